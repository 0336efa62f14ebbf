"""Compile a model with a dimension of varying size, and compare it with the other engines at several sizes.

The largest size of an input's axis is opened: every axis of an input that has it gets a name. Whether the model means
anything at other sizes is for the frontend to say; most of what it accepts does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import onnx

from s2s.artifact import Artifact
from s2s.errors import CompilerBug, InputError, S2SError, ToolchainError, UnsupportedError
from s2s.fuzz.check import Failure, differences_of, loaded, text_of
from s2s.fuzz.compiled import compile_drawn
from s2s.fuzz.onnx_model import OnnxModel
from s2s.fuzz.spread import Spread
from s2s.fuzz.variants import Variant
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.types.sizes import SizeRange
from s2s.verify.build import LoadedNetwork

NAME = "N"
MIN_OPENED = 3
"""An axis of fewer positions is not opened: many axes that have nothing to do with it have such sizes."""

UNDEFINED = frozenset(("ReverseSequence",))
"""Operators with operands that count positions, which no engine checks against the size of the run."""


def check_at_sizes(model: onnx.ModelProto, inputs: Mapping[str, Array], variant: Variant) -> list[Failure]:
    """The failures of a model with an open dimension in one variant, at the first size at which it has any."""
    most = max((size for value in inputs.values() for size in value.shape), default=0)
    if most < MIN_OPENED:
        return [Failure("refused", "no input has an axis to open", variant)]
    if any(node.op_type in UNDEFINED for node in model.graph.node):
        return [Failure("refused", "inputs mean nothing at smaller sizes", variant)]
    opened = _opened(model, inputs, most)
    try:
        options = replace(variant.options(), dims={NAME: SizeRange(1, most)})
        artifact = _compiled(opened, options, most)
        tree = artifact.tree()
    except (UnsupportedError, InputError) as error:
        return [Failure("refused", str(error), variant)]
    except Exception as error:
        return [Failure("bug", text_of(error), variant)]
    try:
        with loaded(tree, variant, artifact.info.target) as network:
            least = artifact.info.sizes[NAME].least
            for size in dict.fromkeys((most, least, most - 1, (least + most) // 2)):
                if failures := list(_failures(opened, _cut(inputs, most, size), network, artifact, variant, size)):
                    return failures
    except ToolchainError as error:
        return [Failure("build", text_of(error), variant)]
    return []


def _compiled(model: onnx.ModelProto, options: CompileOptions, most: int) -> Artifact:
    """The compiled model, for the least size that all its tensors allow."""
    try:
        return compile_drawn(model, options)
    except UnsupportedError as error:
        if "at the least sizes" not in str(error) or most < MIN_OPENED + 1:
            raise
        return compile_drawn(model, replace(options, dims={NAME: SizeRange(most - 2, most)}))


def _opened(model: onnx.ModelProto, inputs: Mapping[str, Array], most: int) -> onnx.ModelProto:
    """The model with a name for each axis of an input that has the greatest size, and no shapes of outputs."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for port in made.graph.input:
        for dim, size in zip(port.type.tensor_type.shape.dim, inputs[port.name].shape, strict=True):
            if size == most:
                dim.dim_param = NAME
    for port in made.graph.output:
        for axis, dim in enumerate(port.type.tensor_type.shape.dim):
            dim.dim_param = f"{port.name}_{axis}"
    del made.graph.value_info[:]
    return made


def _cut(inputs: Mapping[str, Array], most: int, size: int) -> dict[str, Array]:
    """The first positions of each open axis."""
    return {
        name: value[tuple(slice(size if each == most else each) for each in value.shape)].copy()
        for name, value in inputs.items()
    }


def _failures(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    network: LoadedNetwork,
    artifact: Artifact,
    variant: Variant,
    size: int,
) -> Iterator[Failure]:
    """Yield the wrong outputs at one size, none where the other engines find the model invalid at this size."""
    try:
        expected: Mapping[str, Spread] = OnnxModel(model).evaluate(inputs)
    except S2SError:
        return
    try:
        found = network.run({name: inputs[name] for name in network.input_names})
    except (CompilerBug, InputError) as error:
        yield Failure("wrong", f"{NAME} = {size}: {text_of(error)}", variant)
        return
    compared = {  # a Squeeze without axes takes an axis of one out as well, in a run of size 1 only
        name: value for name, value in found.items() if size != 1 or value.ndim == expected[name].clean.ndim
    }
    scaled = artifact.info.tolerance.scaled
    for name, text in differences_of(OnnxModel(model), inputs, expected, compared, scaled=scaled).items():
        yield Failure("wrong", f"{NAME} = {size}: {name}: {text}", variant, name)
