"""From an ONNX model to a module of graph operations."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from onnx import ModelProto, TensorProto, ValueInfoProto
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import checked_shape
from s2s.frontends.imported import Imported, Origin
from s2s.frontends.named_axes import state_sizes
from s2s.frontends.names import one_line
from s2s.frontends.onnx.custom import declared_values
from s2s.frontends.onnx.declared_shapes import declared_shapes
from s2s.frontends.onnx.load import LoadedModel, ModelSource, load_model
from s2s.frontends.onnx.open_shapes import declared_dims, is_open_batch, proposal
from s2s.frontends.onnx.ports import Ports
from s2s.frontends.onnx.scope import Scope
from s2s.frontends.onnx.session import Session, failure
from s2s.frontends.onnx.structure import function_key
from s2s.frontends.onnx.tensors import element_dtype
from s2s.types.interface import ModelTensor
from s2s.types.size import Ledger
from s2s.types.size_formulas import named_size, parse_formula, told_sizes
from s2s.types.weights import WeightStore


def import_model(
    model: ModelSource | LoadedModel,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    ledger: Ledger | None = None,
) -> Imported:
    """Import a model; `shapes` fixes the shapes of inputs that the model leaves open, `ledger` has the symbols of sizes
    that vary from run to run."""
    loaded = model if isinstance(model, LoadedModel) else load_model(model)
    proto, weights = loaded.proto, WeightStore()
    inputs = _input_tensors(proto, dict(shapes or {}))
    block = Block()
    builder = Builder(block, weights, ledger=ledger)
    builder.ledger.place = lambda: builder.node
    functions = {function_key(function): function for function in proto.functions}
    ports = Ports(builder)
    session = Session(builder, functions, loaded.folder, declared_values(proto.graph), ports.run_number)
    scope = Scope(loaded.opsets(), shapes=declared_shapes(proto.graph))
    for input_name, tensor in inputs.items():
        scope.define(input_name, ports.input(input_name, tensor))
    session.define_initializers(proto.graph, scope)
    session.run_nodes(proto.graph.node, scope)
    if session.failures:
        raise failure(session.failures)
    if not proto.graph.output:
        raise InputError(f"graph {one_line(proto.graph.name)}: has no outputs; name at least one")
    outputs = [_output(value, scope) for value in proto.graph.output]
    builder.node = ""
    main = ports.main([(value.name, found) for value, found in zip(proto.graph.output, outputs, strict=True)])
    module = ModuleOp([*builder.functions, main])
    state_sizes(module, builder.ledger)
    module.verify()
    origin = Origin(
        "ONNX",
        one_line(f"{proto.producer_name} {proto.producer_version}".strip()),
        proto.ir_version,
        loaded.opsets(),
        len(proto.graph.node),
    )
    return Imported(module, weights, name or _model_name(loaded), origin)


def _model_name(loaded: LoadedModel) -> str:
    """The name of the file, else the graph's."""
    return Path(loaded.label).stem if loaded.folder is not None else loaded.proto.graph.name or "model"


def _input_tensors(model: ModelProto, shapes: dict[str, tuple[int, ...]]) -> dict[str, ModelTensor]:
    """Types of the inputs that have no initializer."""
    given = {tensor.name for tensor in model.graph.initializer}
    given |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    free = [value for value in model.graph.input if value.name not in given]
    unknown = sorted(shapes.keys() - {value.name for value in free})
    if unknown:
        names = ", ".join(repr(one_line(value.name)) for value in free)
        raise InputError(f"--shape {one_line(unknown[0])}: the model has no such input; its inputs are {names}")
    return {value.name: _input_tensor(value, shapes.get(value.name)) for value in free}


def _input_tensor(value: ValueInfoProto, shape: tuple[int, ...] | None) -> ModelTensor:
    where = f"input {one_line(value.name)}"
    if not value.type.HasField("tensor_type"):
        kind = (value.type.WhichOneof("value") or "value of unknown type").removesuffix("_type").replace("_", " ")
        raise UnsupportedError(f"{where}: is no dense tensor ({kind}); give the model tensors as inputs")
    tensor = value.type.tensor_type
    dtype = element_dtype(tensor.elem_type, where)
    declared = declared_dims(value)
    if shape is None:
        shape = _fixed(value.name, where, declared, tensor.HasField("shape"))
    elif tensor.HasField("shape"):
        _check_given(where, declared, shape)
    return ModelTensor(dtype.name, checked_shape(shape, where))


def _fixed(name: str, where: str, declared: list[int | str], known_rank: bool) -> tuple[int, ...]:
    """The shape an input declares, when it has no open dimension."""
    open_dims = [axis for axis, dim in enumerate(declared) if isinstance(dim, str)]
    if open_dims or not known_rank:
        first = next((axis for axis in open_dims if not is_open_batch(declared, axis)), min(open_dims, default=0))
        fact = f"dimension {first} ({declared[first]}) has no size" if open_dims else "has no shape"
        example = ",".join(map(str, proposal(declared))) or "1,…"
        named = [dim for dim in declared if isinstance(dim, str) and dim != "?"]
        sizes = " ".join(f"--dim {dim}={size}" for dim, size in _named_sizes(declared).items())
        by_name = f", or the size of each name, as in {sizes}" if named and len(named) == len(open_dims) else ""
        raise InputError(f"{where}: {fact}; give the shape, as in --shape {one_line(name)}={example}{by_name}")
    return tuple(dim for dim in declared if isinstance(dim, int))


def _named_sizes(declared: Sequence[int | str]) -> dict[str, int]:
    """Usual sizes of open dimensions by their names; of a formula of one name, `4*q`, by that."""
    sizes: dict[str, int] = {}
    for dim, size in zip(declared, proposal(declared), strict=True):
        if isinstance(dim, str) and dim != "?":
            formula = parse_formula(dim)
            formula = formula if formula is not None and len(formula.names) == 1 else named_size(dim)
            sizes |= told_sizes([(formula, size)], {formula.names[0]: range(1, size + 1)})
    return sizes


def _check_given(where: str, declared: list[int | str], shape: tuple[int, ...]) -> None:
    """A shape from the user must agree with what the model fixes."""
    fits = len(shape) == len(declared) and all(
        isinstance(dim, str) or dim == size for dim, size in zip(declared, shape, strict=True)
    )
    if not fits:
        text = ", ".join(map(str, declared))
        raise InputError(f"{where}: --shape gives {list(shape)}, the model declares [{text}]; make them agree")


def _output(value: ValueInfoProto, scope: Scope) -> Value:
    """The value of an output; its declared element type must be the one it has."""
    found = scope.lookup(value.name)
    where = f"output {one_line(value.name)}"
    if not isinstance(found, Value):
        raise InputError(f"{where}: is produced by no node; remove it or add the node")
    declared = value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else 0
    if declared == TensorProto.STRING or found.texts is not None:
        if declared not in (0, TensorProto.STRING) or found.texts is None:
            words = [TensorProto.DataType.Name(declared).lower(), "string" if found.texts else str(found.model_dtype)]
            raise InputError(f"{where}: is declared as {words[0]} and computed as {words[1]}; fix the declaration")
        return found
    dtype = element_dtype(declared, where) if declared else found.model_dtype
    if dtype != found.model_dtype:
        raise InputError(f"{where}: is declared as {dtype} and computed as {found.model_dtype}; fix the declaration")
    return found
