"""From an exported program to a module of graph operations."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from s2s.analysis.network.functions import INIT, NAME, STATE
from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.draws import RUN_NUMBER
from s2s.frontends.formulas import checked_shape
from s2s.frontends.imported import Imported, Origin
from s2s.frontends.named_axes import state_sizes, with_symbols
from s2s.frontends.names import one_line
from s2s.frontends.torch.complex_numbers import Complex
from s2s.frontends.torch.dtypes import numpy_dtype
from s2s.frontends.torch.load import LoadedModel
from s2s.frontends.torch.program import Buffer, Input, Program
from s2s.frontends.torch.session import Importer, Scope, Session
from s2s.frontends.torch.sizes import fixed_sizes
from s2s.types.dtypes import AnyTensor, Array, from_numpy, tensor_type, type_of_array
from s2s.types.size import Ledger
from s2s.types.size_formulas import formula_of
from s2s.types.weights import WeightStore


def import_model(
    model: LoadedModel,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    sizes: Mapping[str, int] | None = None,
    ledger: Ledger | None = None,
    own: Callable[[str], Importer | None] | None = None,
) -> Imported:
    """Import a model; `shapes` fixes the shapes of inputs that the export left open, `sizes` its open sizes by name. An
    open size that neither gives is the greatest that the export allows. `ledger` has the symbols of sizes that vary
    from run to run. `own` gives importers that go before the compiler's, by the target of a call."""
    program = model.program
    weights = WeightStore()
    types = _input_types(program, dict(shapes or {}), sizes or {})
    if ledger is not None:
        types = [with_symbols(type, port.name, ledger) for type, port in zip(types, program.inputs, strict=True)]
    states = [type_of_array(buffer.initial) for buffer in program.buffers]
    block = Block(arg_types=[*types, *states])
    builder = Builder(block, weights, ledger=ledger)
    builder.ledger.place = lambda: builder.node
    runs = _Runs(builder)
    session = Session(builder, runs.current, own)
    scope: Scope = dict(program.numbers)
    for argument, port in zip(block.args, [*program.inputs, *program.buffers], strict=True):
        scope[port.node] = builder.computed(argument, port.name)
    scope |= _constants(program, builder)
    session.run(program.graph, scope)
    if session.failures:
        raise UnsupportedError("\n".join(dict.fromkeys(session.failures)))
    builder.node = ""
    outputs = [session.tensor(argument, scope, f"output {given}") for given, argument in program.outputs]
    if not outputs:
        raise InputError(f"{program.name}: returns no tensor; return at least one")
    kept = [_new_state(scope.get(buffer.result), buffer) for buffer in program.buffers]
    main = _main(program._replace(buffers=(*program.buffers, *runs.buffers)), builder, outputs, [*kept, *runs.kept])
    module = ModuleOp([*builder.functions, main])
    state_sizes(module, builder.ledger)
    module.verify()
    return Imported(module, weights, name or program.name, _origin(program))


def _origin(program: Program) -> Origin:
    return Origin("PyTorch", program.producer, 0, {}, len(program.graph.calls))


def _constants(program: Program, builder: Builder) -> dict[str, Value | Complex]:
    """Parameters and constants; one that has two names is one value."""
    made: dict[int, Value | Complex] = {}
    found: dict[str, Value | Complex] = {}
    for node, (name, array) in program.constants.items():
        if id(array) not in made:
            made[id(array)] = _constant(builder, array, name)
        found[node] = made[id(array)]
    return found


def _constant(builder: Builder, array: Array, name: str) -> Value | Complex:
    if array.dtype.kind != "c":
        return builder.constant(array, name)
    parts = ((np.real(array), "real"), (np.imag(array), "imag"))
    return Complex(*(builder.constant(np.asarray(part, order="C"), f"{name}.{label}") for part, label in parts))


def _input_types(program: Program, shapes: dict[str, tuple[int, ...]], sizes: Mapping[str, int]) -> list[AnyTensor]:
    unknown = sorted(shapes.keys() - {each.name for each in program.inputs})
    if unknown:
        known = ", ".join(repr(one_line(each.name)) for each in program.inputs)
        raise InputError(f"--shape {one_line(unknown[0])}: the model has no such input; its inputs are {known}")
    fixed = {**sizes, **fixed_sizes(program, shapes)}
    greatest = {name: fixed.get(name, bounds.most) for name, bounds in program.sizes.items()}
    return [_input_type(each, shapes.get(each.name) or _known_shape(each, greatest)) for each in program.inputs]


def _known_shape(port: Input, sizes: Mapping[str, int | None]) -> tuple[int, ...]:
    """The shape of an input with the open sizes `sizes`."""
    declared, names = port.info.shape, port.sizes
    shape = [_size(name, sizes) if name else size for size, name in zip(declared, names, strict=True)]
    known = [size for size in shape if size is not None]
    if len(known) < len(shape):
        axis = shape.index(None)
        open_sizes = formula_of(names[axis], sizes).used if names[axis] else []
        bounds = f"bounds of it, as in --dim {one_line(open_sizes[0])}=2..64, or " if open_sizes else ""
        raise InputError(
            f"input {one_line(port.name)}: dimension {axis} has no size; give {bounds}the shape, as in --shape "
            f"{one_line(port.name)}={','.join('1' if size is None else str(size) for size in shape)}"
        )
    return tuple(known)


def _size(text: str, sizes: Mapping[str, int | None]) -> int | None:
    """The size of an axis, a name or a formula; None where a size it follows from is open."""
    formula = formula_of(text, sizes)
    values = {name: size for name in formula.used if (size := sizes[name]) is not None}
    return formula.at(values) if len(values) == len(formula.used) else None


def _input_type(port: Input, asked: tuple[int, ...]) -> AnyTensor:
    where, declared = f"input {one_line(port.name)}", port.info.shape
    fits = len(asked) == len(declared) and all(
        size in (None, given) for size, given in zip(declared, asked, strict=True)
    )
    if not fits:
        text = ", ".join("?" if size is None else str(size) for size in declared)
        raise InputError(f"{where}: --shape gives {list(asked)}, the model declares [{text}]; make them agree")
    if 0 in asked:
        raise UnsupportedError(f"{where}: shape {list(asked)} holds no element; give sizes of at least 1")
    return tensor_type(from_numpy(numpy_dtype(port.info.dtype, where)), checked_shape(asked, where))


def _new_state(value: object, buffer: Buffer) -> Value:
    """What a buffer holds after a run."""
    if not isinstance(value, Value):
        raise InputError(f"buffer {one_line(buffer.name)}: becomes no tensor; export the model again")
    if value.type != type_of_array(buffer.initial):
        raise UnsupportedError(
            f"buffer {one_line(buffer.name)}: is {type_of_array(buffer.initial)} and becomes {value.type}; "
            "keep the type of a buffer"
        )
    return value


class _Runs:
    """The number of the run: state of the network once an operator draws random numbers."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.buffers: list[Buffer] = []
        """The buffer that counts the runs, if one does."""
        self._now: Value | None = None

    def current(self) -> Value:
        """Return how often the network has run before, as one u64."""
        if self._now is None:
            block, initial = self.builder.block, np.zeros(1, np.uint64)
            self._now = self.builder.computed(block.insert_arg(type_of_array(initial), len(block.args)), RUN_NUMBER)
            self.buffers.append(Buffer("", RUN_NUMBER, initial, ""))
        return self._now

    @property
    def kept(self) -> list[Value]:
        """What the buffer holds after the run."""
        return [] if self._now is None else [self._now + 1]


def _main(program: Program, builder: Builder, outputs: Sequence[Value], kept: Sequence[Value]) -> FuncOp:
    """`@main`: inputs and outputs under their names, then the buffers that keep their values between runs."""
    block = builder.block
    block.add_op(ReturnOp(*(builder.materialize(value) for value in (*outputs, *kept))))
    arguments = [DictionaryAttr({NAME: StringAttr(port.name)}) for port in program.inputs]
    arguments += [_state(buffer, builder.weights) for buffer in program.buffers]
    results = [DictionaryAttr({NAME: StringAttr(name)}) for name, _ in program.outputs]
    main = FuncOp(
        "main",
        FunctionType.from_lists(list(block.arg_types), [value.type for value in (*outputs, *kept)]),
        Region(block),
        arg_attrs=ArrayAttr(arguments),
        res_attrs=ArrayAttr([*results, *[DictionaryAttr({})] * len(kept)]),
    )
    if kept:
        first = len(program.inputs)
        main.attributes[graph.TIED] = ints([-1] * len(outputs) + [first + n for n in range(len(kept))])
    return main


def _state(buffer: Buffer, weights: WeightStore) -> DictionaryAttr:
    attributes: dict[str, Attribute] = {NAME: StringAttr(buffer.name), STATE: UnitAttr()}
    if buffer.initial.any():
        attributes[INIT] = StringAttr(weights.add(f"{buffer.name}/initial", buffer.initial))
    return DictionaryAttr(attributes)
