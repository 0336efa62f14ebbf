"""From a TFLite model to a module of graph operations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    f64,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder
from s2s.frontends.formulas import checked_shape
from s2s.frontends.imported import Imported, Origin
from s2s.frontends.named_axes import state_sizes, with_symbols
from s2s.frontends.names import one_line
from s2s.frontends.onnx.open_shapes import proposal
from s2s.frontends.tflite.checks import is_constant
from s2s.frontends.tflite.load import LoadedModel, ModelSource, load_model
from s2s.frontends.tflite.node import Rounding
from s2s.frontends.tflite.records import ModelInfo, TensorInfo
from s2s.frontends.tflite.schema import PACKED_BITS
from s2s.frontends.tflite.session import ModelSession
from s2s.types.dtypes import AnyTensor, from_numpy, tensor_type
from s2s.types.size import Ledger
from s2s.types.weights import WeightStore


def import_model(
    model: ModelSource | LoadedModel,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    rounding: Rounding = "micro",
    ledger: Ledger | None = None,
) -> Imported:
    """Import a model; `shapes` resizes inputs, as users of TFLite's interpreter do, `ledger` has the symbols of sizes
    that vary from run to run."""
    loaded = model if isinstance(model, LoadedModel) else load_model(model)
    info, weights = loaded.info, WeightStore()
    main = info.subgraphs[0]
    inputs = [main.tensors[index] for index in main.inputs]
    names = _names(inputs, info)
    types = _types(inputs, names, dict(shapes or {}), Ledger() if ledger is None else ledger)
    if shapes:
        info = _resized(info)
        main = info.subgraphs[0]
    block = Block(arg_types=types)
    builder = Builder(block, weights, ledger=ledger)
    builder.ledger.place = lambda: builder.node
    session = ModelSession(builder, info, rounding)
    arguments = [builder.computed(argument, name) for argument, name in zip(block.args, names, strict=True)]
    try:
        outputs = session.run(main, arguments)
    except InputError as error:
        if session.failures:  # what stands in for their results may be all that is wrong
            raise UnsupportedError("\n".join(session.failures)) from error
        given = _open_shapes(info, shapes or {})
        if not given:
            raise
        raise InputError(
            f"{loaded.label}: {error}. The model leaves sizes of its inputs open, and those in the file may stand for "
            f"none; give yours, as in {given}"
        ) from error
    if session.failures:
        raise UnsupportedError("\n".join(session.failures))
    if not outputs:
        raise InputError(f"{loaded.label}: has no outputs; export the model again")
    builder.node = ""
    kept = session.variables.results()
    block.add_op(ReturnOp(*(builder.materialize(value) for value in (*(output.value for output in outputs), *kept))))
    declared = [output.info for output in outputs]
    function = FuncOp(
        "main",
        FunctionType.from_lists(
            list(block.arg_types), [value.type for value in (*(output.value for output in outputs), *kept)]
        ),
        Region(block),
        arg_attrs=ArrayAttr([*_attributes(names, inputs), *session.variables.arguments()]),
        res_attrs=ArrayAttr([*_attributes(_names(declared, info), declared), *[DictionaryAttr({})] * len(kept)]),
    )
    if kept:
        function.attributes[graph.TIED] = ints([-1] * len(outputs) + [len(inputs) + n for n in range(len(kept))])
    module = ModuleOp([*builder.functions, function])
    state_sizes(module, builder.ledger)
    module.verify()
    origin = Origin("TFLite", loaded.producer, info.version, {}, sum(len(graph.operators) for graph in info.subgraphs))
    return Imported(module, weights, name or (loaded.path.stem if loaded.path else "model"), origin)


def open_inputs(info: ModelInfo) -> dict[str, list[int | str]]:
    """Inputs with sizes that the file leaves open, which have `?` in their stead."""
    main = info.subgraphs[0]
    inputs = [main.tensors[index] for index in main.inputs]
    return {
        name: ["?" if axis in tensor.open_axes else dim for axis, dim in enumerate(tensor.shape)]
        for name, tensor in zip(_names(inputs, info), inputs, strict=True)
        if tensor.open_axes
    }


def _open_shapes(info: ModelInfo, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Options with usual shapes of the inputs with open sizes that nobody gave, which took the shapes in the file."""
    left = {name: proposal(dims) for name, dims in open_inputs(info).items() if name not in shapes}
    return " ".join(f"--shape {name}={','.join(map(str, shape))}" for name, shape in left.items())


def _names(tensors: Sequence[TensorInfo], model: ModelInfo) -> list[str]:
    """Names as the signature gives them, else the names of the tensors without what the converter adds; each once."""
    names: list[str] = []
    for tensor in tensors:
        plain = tensor.name.removeprefix("serving_default_").removesuffix(":0")
        name, count = model.signature_names.get(tensor.index) or plain or tensor.name, 1
        unique = name
        while unique in names:
            count += 1
            unique = f"{name}_{count}"
        names.append(unique)
    return names


def _types(
    inputs: Sequence[TensorInfo], names: Sequence[str], shapes: dict[str, tuple[int, ...]], ledger: Ledger
) -> list[AnyTensor]:
    """The types of the inputs, with sizes that vary as symbols."""
    unknown = sorted(shapes.keys() - set(names))
    if unknown:
        known = ", ".join(repr(one_line(name)) for name in names)
        raise InputError(f"--shape {one_line(unknown[0])}: the model has no such input; its inputs are {known}")
    pairs = zip(inputs, names, strict=True)
    return [with_symbols(_type(tensor, shapes.get(name)), name, ledger) for tensor, name in pairs]


def _type(tensor: TensorInfo, asked: tuple[int, ...] | None) -> AnyTensor:
    shape = tensor.shape if asked is None else checked_shape(asked, tensor.place)
    if len(shape) != len(tensor.shape):
        raise InputError(
            f"{tensor.place}: --shape gives {list(shape)}, the model has {len(tensor.shape)} dimensions; "
            "make them agree"
        )
    if any(dim < 1 for dim in shape):
        raise InputError(f"{tensor.place}: input of shape {list(shape)}; give sizes of at least 1 with --shape")
    if tensor.kind in PACKED_BITS:
        raise UnsupportedError(f"{tensor.place}: inputs of {tensor.kind.lower()} are not supported; use int8")
    return tensor_type(from_numpy(tensor.dtype), shape)


def _resized(info: ModelInfo) -> ModelInfo:
    """The model with the shapes of all that is computed left to what computes it."""
    graphs = [
        replace(
            graph,
            tensors=tuple(
                tensor if is_constant(tensor, info) or tensor.is_variable else replace(tensor, open_shape=True)
                for tensor in graph.tensors
            ),
        )
        for graph in info.subgraphs
    ]
    return replace(info, subgraphs=tuple(graphs))


def _attributes(names: Sequence[str], tensors: Sequence[TensorInfo]) -> ArrayAttr[DictionaryAttr]:
    """Name and quantisation of inputs or outputs."""
    return ArrayAttr([DictionaryAttr(_facts(name, tensor)) for name, tensor in zip(names, tensors, strict=True)])


def _facts(name: str, tensor: TensorInfo) -> dict[str, Attribute]:
    facts: dict[str, Attribute] = {"name": StringAttr(name)}
    if tensor.quant is not None and tensor.quant.is_per_tensor:
        scale, zero_point = tensor.scalar()
        facts["quant_scale"] = FloatAttr(scale, f64)
        facts["quant_zero_point"] = IntegerAttr(zero_point, i64)
    return facts
