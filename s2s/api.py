"""The Python interface of s2s: compile a model to an artifact.

artifact = s2s.compile("kws.onnx", target="host")
artifact.write("kws")
artifact.run({"mfcc": array})
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from inspect import Signature, signature
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeAlias, cast

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError
from s2s.executor.device import cpu, device
from s2s.external.registry import register_codegen
from s2s.frontends.custom import CFunction, PackedFunction, register_custom_op
from s2s.frontends.formats import ModelSource
from s2s.frontends.model import Network
from s2s.inspection import Inspection, inspect_model
from s2s.joint.artifact import JointArtifact, together
from s2s.mixed.quantize import Fitted, quantize_within
from s2s.options import CompileOptions, DebugOptions, UserOptions
from s2s.options.declaration import declaration, parameters_of
from s2s.options.values import bindings_of, dims_of, shapes_of
from s2s.passes.pass_context import PassContext
from s2s.profiling import profile as profiling
from s2s.quantization import Quantized, quantize
from s2s.targets import Target
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork
from s2s.verify.build import load as load_tree

Model: TypeAlias = "ModelSource | Network"
"""What `compile` takes: a model of any format, or a network at graph level, as a module of `s2s.tvm` is one."""
P = ParamSpec("P")


def _with_options(
    options: Callable[P, UserOptions],
) -> Callable[[Callable[[Model, UserOptions], Artifact]], Callable[Concatenate[Model, P], Artifact]]:
    """Return a decorator that turns a function of a model and its options into one that takes each option by name."""

    def decorate(function: Callable[[Model, UserOptions], Artifact]) -> Callable[Concatenate[Model, P], Artifact]:
        @functools.wraps(function)
        def taking_options(model: Model, *args: P.args, **kwargs: P.kwargs) -> Artifact:
            return function(model, options(*args, **kwargs))

        first, _ = signature(function).parameters.values()
        cast(Any, taking_options).__signature__ = Signature(
            [first, *parameters_of(UserOptions)], return_annotation=Artifact
        )
        return taking_options

    return decorate


@_with_options(UserOptions)
def compile(model: Model, options: UserOptions) -> Artifact:
    """Compile a model to C, with the options of `CompileOptions`, and passes as the `PassContext` around says.

    `model` is a file of ONNX, TFLite, PyTorch or GGUF by its path, such a model as an object, or a network of Relay.
    Raises `InputError` for a wrong model or option, `UnsupportedError` for what the compiler cannot do yet.
    """
    chosen = PassContext.current().applied(CompileOptions(**vars(options)))
    if not isinstance(model, Network):
        return compile_artifact(model, chosen)
    given = next((each.name for each in fields(chosen) if _is_given(each, chosen)), None)
    if given is not None:
        raise InputError(f"{given}: says how a model is read, and this is a module; leave it out")
    return compile_artifact(model.as_model(options.name), chosen)


def _is_given(option: "Field[Any]", options: CompileOptions) -> bool:
    """Return whether an option is given that says how a file is read."""
    return declaration(option).is_of_files and bool(getattr(options, option.name))


def inspect(
    model: ModelSource,
    *,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    bind: Mapping[str, object] | None = None,
    dims: Mapping[str, int | str | tuple[int, ...]] | None = None,
) -> Inspection:
    """Describe a network without compiling it: inputs, outputs, operators, weights, work, unsupported nodes.

    Sizes are in bytes, work in multiplications with an addition. Sizes that the model leaves open take usual values
    where `shapes` and `dims` do not give them; `bind` makes inputs constants.
    """
    return inspect_model(model, shapes_of(shapes), bind=bindings_of(bind), dims=dims_of(dims))


def profile(
    network: "Artifact | Model",
    *,
    inputs: Mapping[str, Array] | None = None,
    runs: int | None = None,
    measure_again: bool = False,
) -> profiling.Profile:
    """Time each kernel of a network on this machine, in microseconds, and compare it with the machine's peaks.

    `network` is a model, which is compiled for this machine, or what `compile` returned, for other options. The network
    runs on `inputs`, by default on random ones, `runs` times, by default for two seconds. `measure_again` measures the
    peaks anew, which are kept from one profile to the next.
    """
    artifact = network if isinstance(network, Artifact) else compile(network)
    profiling.check_profiled(artifact.compilation.options)
    return profiling.profile_artifact(artifact, inputs=inputs, runs=runs, measure_again=measure_again)


def load(tree: str | Path, *, network: str | None = None) -> LoadedNetwork:
    """Build a tree that `s2s compile` wrote, and load it; of a tree of several networks, the one that `network`
    names."""
    return load_tree(tree, network=network)


__all__ = [
    "Artifact",
    "CFunction",
    "CompileOptions",
    "DebugOptions",
    "Fitted",
    "Inspection",
    "JointArtifact",
    "LoadedNetwork",
    "PackedFunction",
    "Quantized",
    "Target",
    "compile",
    "cpu",
    "device",
    "inspect",
    "load",
    "profile",
    "quantize",
    "quantize_within",
    "register_codegen",
    "register_custom_op",
    "together",
]
