"""Inspect a network without compiling it: operators, weights, work, memory, and what is not supported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from html import escape
from math import prod
from shlex import quote
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.channels.removed import RemovedChannels, removed_channels
from s2s.analysis.cost.operators import multiply_adds_of_network
from s2s.analysis.network.functions import input_numbers, output_numbers
from s2s.analysis.network.state_pairs import state_pairs
from s2s.analysis.numbers.accumulators import layer_sums
from s2s.analysis.numbers.port_quantisation import state_quantisation
from s2s.analysis.numbers.sums import LayerSums, describe_sums
from s2s.c_syntax.interface import Quantisation
from s2s.dialects import graph
from s2s.errors import CompilerBug, InputError, UnsupportedError
from s2s.frontends import onnx, tflite, torch
from s2s.frontends.formats import LoadedModel, ModelSource, fixed_sizes, import_model, load_model, specialised
from s2s.frontends.gguf import decoder_of, is_gguf
from s2s.frontends.imported import Imported
from s2s.frontends.named_axes import axis_names, sized
from s2s.frontends.names import one_line
from s2s.frontends.onnx.growing_caches import grown_states
from s2s.frontends.onnx.names import operator
from s2s.frontends.onnx.open_shapes import open_inputs, proposed_shapes
from s2s.frontends.onnx.state_names import with_star
from s2s.memory.order import peak_of
from s2s.memory.steps import Step
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.pipeline import passes_of
from s2s.registry import get_pass
from s2s.support.frozen import frozen
from s2s.types.dtypes import AnyTensor, as_tensor_type, from_numpy, size_in_bytes
from s2s.types.numbers import Numbers
from s2s.types.sizes import DimSize, InputShapes, assumed_in_words
from s2s.types.weights import WeightStore

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]


@frozen
class TensorInfo:
    """An input or an output of a network."""

    name: str
    type: str
    shape: tuple[int, ...]
    bytes: int
    scale: float | None = None
    """`real = scale * (q - zero_point)`, where the model says so."""
    zero_point: int | None = None

    def describe(self) -> str:
        """Return type, shape, size and quantisation in words."""
        dims = "×".join(map(str, self.shape)) or "scalar"
        text = f"{self.type} {dims}, {self.bytes:,} bytes"
        if self.scale is not None and self.zero_point is not None:
            text += f", {Quantisation(self.scale, self.zero_point).formula()}"
        return text


@frozen
class Inspection:
    """The result of `s2s inspect`. The figures are None when the network cannot be imported."""

    model: str
    producer: str
    opsets: Mapping[str, int]
    operators: Mapping[str, int]
    """Operators of the model with how often they occur, the most frequent first."""
    unsupported: tuple[str, ...]
    """Why s2s cannot compile the model, a reason for each node in question."""
    inputs: tuple[TensorInfo, ...] = ()
    outputs: tuple[TensorInfo, ...] = ()
    parameters: int | None = None
    weight_bytes: int | None = None
    multiply_adds: int | None = None
    """Multiplications with an addition in convolutions and matrix products."""
    activation_bytes: int | None = None
    """Largest sum of simultaneously live tensors, in the order of the model and with nothing fused."""

    accumulators: tuple[LayerSums, ...] = ()
    """The proven bounds of the sums of integer layers, also of quantised models."""
    removed_channels: RemovedChannels | None = None
    """Channels that no kernel computes: constants, equal to others or read by nobody; None if all are needed."""
    state_pairs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Inputs that may be state, each with the output that looks like its next value."""
    growing_dims: tuple[str, ...] = ()
    """Dimensions by which caches among `state_pairs` grow; `--dim` bounds them."""
    assumed: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """Shapes of inputs that the model leaves open and nobody gave; everything else holds for them."""
    fixed: Mapping[str, Mapping[int, int]] = field(default_factory=dict[str, Mapping[int, int]])
    """The sizes that a program of PyTorch fixes although `dynamic_shapes` leaves them open, by input and dimension."""

    @property
    def supported(self) -> bool:
        """Return whether s2s can compile the model."""
        return not self.unsupported

    def as_dict(self) -> dict[str, object]:
        """The fields in order, as JSON has them."""
        return asdict(self)

    def in_words(self) -> dict[str, str]:
        """Return what there is to say, by its headings."""
        opsets = ", ".join(f"{domain} {version}" for domain, version in self.opsets.items())
        words = {"model": self.model, "producer": self.producer or "unknown", "version": opsets}
        words |= {f"input {each.name}": each.describe() for each in self.inputs}
        words |= {f"output {each.name}": each.describe() for each in self.outputs}
        words |= assumed_in_words(self.assumed, self.fixed)
        if self.state_pairs:
            given = [f"--state {quote(f'{name}={output}')}" for name, output in with_star(self.state_pairs).items()]
            given += [f"--dim {quote(f'{name}=0..127')}" for name in self.growing_dims]
            words["may be state"] = f"an output of one run is an input of the next with {' '.join(given)}"
        words["operators"] = ", ".join(f"{count} {name}" for name, count in self.operators.items())
        if self.supported:
            words["weights"] = f"{self.parameters:,} in {self.weight_bytes:,} bytes"
            words["work"] = f"{self.multiply_adds:,} multiply-adds"
            if self.accumulators:
                words["accumulators"] = describe_sums(self.accumulators)
            if self.removed_channels is not None:
                words["channels that are constants"] = self.removed_channels.describe()
            words["activations"] = f"at most {self.activation_bytes:,} bytes at a time, before fusion"
        return words

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        told = [*self.in_words().items(), *(("not supported", reason) for reason in self.unsupported)]
        rows = (f"<tr><th style='text-align: left'>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in told)
        return f"<table>{''.join(rows)}</table>"


def inspect_model(
    model: ModelSource,
    shapes: InputShapes | None = None,
    *,
    bind: Mapping[str, Numbers] | None = None,
    dims: Mapping[str, DimSize] | None = None,
    trust: bool = False,
) -> Inspection:
    """Read and describe `model`; unsupported operators are part of the result, an invalid model raises an `InputError`.

    Dimensions that the model leaves open take usual sizes where `shapes` does not give them.
    """
    is_decoder = is_gguf(model)
    if is_gguf(model):
        model, dims = decoder_of(model, dims or {})
    loaded = specialised(load_model(model, trust=trust), bind or {}, dims or {}, axis_names(shapes or {}))
    given = sized(shapes or {}, dims or {})
    try:
        imported, assumed = _imported(loaded, given)
    except UnsupportedError as error:
        return _outline(loaded, tuple(str(error).splitlines()))
    state_quantisation(imported.module, imported.weights)
    main = _main_function(imported.module)
    grown, growing = grown_states(loaded.proto) if isinstance(loaded, onnx.LoadedModel) else ({}, [])
    pairs = {} if is_decoder else {**state_pairs(main), **grown}
    outline = _outline(loaded, ())
    arrays = [imported.weights.get(name) for name in _used_weights(imported.module)]
    return Inspection(
        outline.model,
        outline.producer,
        outline.opsets,
        outline.operators,
        (),
        _tensors(main.arg_attrs, main.function_type.inputs, input_numbers(main)),
        _tensors(main.res_attrs, main.function_type.outputs, output_numbers(main)),
        sum(array.size for array in arrays),
        sum(array.size * size_in_bytes(from_numpy(array.dtype)) for array in arrays),
        multiply_adds_of_network(main),
        activation_bytes(main),
        _sums(imported.module, imported.weights),
        _removed(imported.module, imported.weights),
        pairs,
        tuple(growing),
        assumed,
        fixed_sizes(loaded),
    )


def _imported(loaded: LoadedModel, given: Shapes) -> tuple[Imported, Shapes]:
    """The network, and the shapes assumed of inputs that the model leaves open: the first usual ones that it takes."""
    tries: list[dict[str, tuple[int, ...]]] = []
    for shapes in _usual(loaded):
        assumed = {name: shape for name, shape in shapes.items() if name not in given}
        if assumed not in tries:
            tries.append(assumed)
    refused: list[InputError] = []
    for assumed in tries:
        try:
            return import_model(loaded, shapes={**given, **assumed}), assumed
        except InputError as error:
            refused.append(error)
    first = next(filter(None, tries), None)
    if first is None:
        raise refused[0]
    taken = " ".join(f"--shape {name}={','.join(map(str, shape))}" for name, shape in first.items())
    raise InputError(
        f"{loaded.label}: leaves sizes open, and contradicts the usual ones, {taken} ({refused[0]}); give others"
    ) from refused[0]


def _usual(loaded: LoadedModel) -> Sequence[Shapes]:
    """Sets of shapes for inputs with open sizes; TFLite models have some of their own, which are taken if they fit."""
    if isinstance(loaded, onnx.LoadedModel):
        return proposed_shapes(open_inputs(loaded.proto))
    return [{}, *proposed_shapes(tflite.open_inputs(loaded))] if isinstance(loaded, tflite.LoadedModel) else [{}]


def _sums(module: ModuleOp, weights: WeightStore) -> tuple[LayerSums, ...]:
    """Return the accumulators of integer layers as the compiler chooses them; changes `module`."""
    get_pass("graph-lift-quantized")().apply(CompilerContext(weights), module)
    return layer_sums(module, weights)


def _removed(module: ModuleOp, weights: WeightStore) -> RemovedChannels | None:
    """Return the channels that the compiler removes; changes `module`."""
    context, options = CompilerContext(weights), CompileOptions(target="c")
    try:
        for each in (*passes_of("settle", options), *passes_of("simplify", options)):
            each.apply(context, module)
            if each.name == "graph-remove-channels":
                break
    except UnsupportedError:
        return None
    return removed_channels(module)


def activation_bytes(main: FuncOp) -> int:
    """Return the largest sum of simultaneously live activations; reshapes and constants do not count."""
    block = main.body.block
    numbers: dict[SSAValue, int] = {}
    sizes: list[int] = []
    steps: list[Step] = []

    def number(value: SSAValue) -> int:
        numbers[value] = len(sizes)
        tensor = as_tensor_type(value.type)
        sizes.append(prod(tensor.get_shape()) * size_in_bytes(tensor.element_type))
        return numbers[value]

    for argument in block.args:
        number(argument)
    kept: list[int] = []
    for op in block.ops:
        reads = [numbers[operand] for operand in op.operands if operand in numbers]
        match op:
            case graph.WeightOp() | graph.ConstantOp():
                continue
            case ReturnOp():
                kept = reads
            case graph.ReshapeOp() if reads:
                numbers[op.y] = reads[0]
            case _:
                steps.append(Step(tuple(reads), tuple(number(result) for result in op.results)))
    return peak_of(steps, sizes, kept)


def _outline(loaded: LoadedModel, unsupported: tuple[str, ...]) -> Inspection:
    """Return what the file states about itself."""
    if isinstance(loaded, onnx.LoadedModel):
        proto = loaded.proto
        found = Counter(operator(node) for node in proto.graph.node)
        opsets: dict[str, int] = {domain or "ai.onnx": version for domain, version in loaded.opsets().items()}
        producer = one_line(f"{proto.producer_name} {proto.producer_version}".strip())
    elif isinstance(loaded, torch.LoadedModel):
        program = loaded.program
        found = Counter(call.target for call in program.graph.calls)
        opsets, producer = {}, program.producer
    else:
        found = Counter(each.custom or each.builtin for graph in loaded.info.subgraphs for each in graph.operators)
        opsets, producer = {"tflite": loaded.info.version}, loaded.producer
    operators = dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
    return Inspection(loaded.label, producer, opsets, operators, unsupported)


def _main_function(module: ModuleOp) -> FuncOp:
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main":
            return op
    raise CompilerBug("the imported module has no @main")


def _tensors(
    names: ArrayAttr[DictionaryAttr] | None, types: ArrayAttr[Attribute], numbers: Sequence[int]
) -> tuple[TensorInfo, ...]:
    """Return names and types of the inputs or outputs of a function with these `numbers`, without its state."""
    if names is None:
        raise CompilerBug("the imported @main does not name its inputs and outputs")
    every = list(zip(names, types, strict=True))
    return tuple(_tensor(every[number][0].data, as_tensor_type(every[number][1])) for number in numbers)


def _tensor(facts: Mapping[str, Attribute], type: AnyTensor) -> TensorInfo:
    name, shape = facts["name"], type.get_shape()
    assert isinstance(name, StringAttr)
    scale, zero_point = facts.get("quant_scale"), facts.get("quant_zero_point")
    return TensorInfo(
        one_line(name.data),
        str(type.element_type),
        shape,
        prod(shape) * size_in_bytes(type.element_type),
        scale.value.data if isinstance(scale, FloatAttr) else None,
        zero_point.value.data if isinstance(zero_point, IntegerAttr) else None,
    )


def _used_weights(module: ModuleOp) -> list[str]:
    """Return the names of the weights that the network reads, each once."""
    return list(dict.fromkeys(op.weight_name.data for op in module.walk() if isinstance(op, graph.WeightOp)))
