"""The graph JSON of a network whose `main` has its memory plan.

In `main` tensors are buffers of the arena. In the JSON every tensor is a value of its own, and storage has no offsets,
so what the plan does in place becomes a node:

    parts of a concatenation are views of its buffer        s2s.concat reads the parts before the whole is read
    a slice is a view of the tensor that it is a part of    s2s.split gives the part, and what lies beside it
    a copy goes to the memory of another device             __copy moves the elements
    a reshape is the same buffer                            __nop gives the shape that the reader has

Results are those of the model, then the scratch buffers of the kernel; the attribute `scratch` counts these. Values
whose buffers begin at one place share a storage number: a storage holds at each offset the byte that was last written
through a buffer beginning there, so where buffers of the arena overlap the JSON only has more memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.memory.buffers import outputs_of
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.errors import CompilerBug
from s2s.executor.graph_json import (
    CONCAT,
    COPY,
    GLOBAL,
    NO_OPERATION,
    SCRATCH,
    SPLIT,
    Call,
    Entry,
    Network,
    Source,
    Value,
)
from s2s.passes.graph.label_ops import HASH
from s2s.passes.loop.annotate_memory_scope import scope_of
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names, c_names, functions, is_main
from s2s.passes.tensor.lower_to_loop.main import SHAPES
from s2s.types.devices import MAIN
from s2s.types.dtypes import size_in_bytes, to_numpy
from s2s.types.weights import WeightStore

Shape = tuple[int, ...]
Place = tuple[str, int, int]
"""What a buffer is part of, the number of that, and the byte of it at which the buffer begins."""


def describe(module: ModuleOp, prefix: str, weights: WeightStore) -> Network:
    """Sources, calls and outputs of `main`."""
    mains = [func for func in functions(module) if is_main(func)]
    if len(mains) != 1:
        raise CompilerBug(f"the module has {len(mains)} functions that call kernels, not one main")
    kernels = {func.sym_name.data: func for func in functions(module) if not is_main(func)}
    results = {name: max(1, len(outputs_of(func))) for name, func in kernels.items()}  # a copy in place writes none
    labels = {name: label.data for name, func in kernels.items() if isa(label := func.attributes.get(HASH), StringAttr)}
    return _Description(Main(mains[0]), c_names(module, prefix), results, labels, weights).network()


@dataclass
class _Description:
    """Walks `main` and appends nodes."""

    main: Main
    names: Names
    results: dict[str, int]
    """The number of results of each kernel."""
    labels: dict[str, str]
    """The hash of each kernel that has one."""
    weights: WeightStore
    nodes: list[Source | Call] = field(default_factory=list[Source | Call])
    entries: dict[SSAValue, Entry] = field(default_factory=dict[SSAValue, Entry])
    """The value that each buffer holds, as far as it was written or put together."""
    storage: dict[Place, int] = field(default_factory=dict[Place, int])
    taken: set[str] = field(default_factory=set[str])
    """The names of the nodes."""
    used: dict[str, int] = field(default_factory=dict[str, int])
    """How often a name was wanted."""

    def network(self) -> Network:
        """The whole network."""
        for value in self.main.inputs:
            self._source(self.main.name(value), value, self._declared(value))
        ops = list(self.main.func.body.block.ops)
        for op in ops:
            if isinstance(op, loop.WeightOp):
                self._source(op.weight.data, op.result, self._weight_shape(op))
        for op in ops:
            if isinstance(op, CallOp):
                self._call(op)
            elif isinstance(op, loop.DeviceCopyOp | loop.StartDeviceCopyOp):
                self._device_copy(op)
        outputs = [self._operand(value, self._declared(value)) for value in self.main.outputs]
        if None in outputs:
            raise CompilerBug("an output of main is never written")
        return Network(tuple(self.nodes), tuple(output for output in outputs if output is not None))

    def _source(self, name: str, buffer: SSAValue, shape: Shape) -> None:
        self.nodes.append(Source(name, self._value(buffer, shape)))
        self.taken.add(name)
        self.entries[buffer] = Entry(len(self.nodes) - 1)

    def _call(self, op: CallOp) -> None:
        kernel = op.callee.root_reference.data
        count, arguments = self.results[kernel], list(op.arguments)
        shapes = [*_shapes(op), *map(_flat, arguments[len(_shapes(op)) :])]
        operands, scratch = list[Entry](), list[int]()
        for number in range(count, len(arguments)):
            entry = self._operand(arguments[number], shapes[number])
            if entry is None:
                scratch.append(number)
            elif scratch:
                raise CompilerBug(f"kernel {kernel}: a scratch buffer stands before an operand")
            else:
                operands.append(entry)
        made = [*range(count), *scratch]
        attributes = {SCRATCH: str(len(scratch))} if scratch else {}
        if kernel in self.labels:
            attributes[HASH] = self.labels[kernel]
        self._append(
            ", ".join(provenance(op)) or kernel,
            self.names.kernels[kernel],
            operands,
            [self._value(arguments[number], shapes[number]) for number in made],
            attributes,
        )
        self.entries |= {arguments[number]: Entry(len(self.nodes) - 1, i) for i, number in enumerate(range(count))}

    def _device_copy(self, op: loop.DeviceCopyOp | loop.StartDeviceCopyOp) -> None:
        entry = self._entry(op.source)
        if entry is None:
            raise CompilerBug("a copy between devices reads a buffer that is never written")
        value = self._value(op.target, self._result(entry).shape)
        self.entries[op.target] = self._append(f"copy to {op.device.data}", COPY, [entry], [value])

    def _operand(self, buffer: SSAValue, shape: Shape) -> Entry | None:
        """The value in a buffer as its reader has it; None if nothing was written there."""
        entry = self._entry(buffer)
        if entry is None or self._result(entry).shape == shape:
            return entry
        return self._append("reshape", NO_OPERATION, [entry], [self._value(buffer, shape)])

    def _entry(self, buffer: SSAValue) -> Entry | None:
        """The value in a buffer: written there, put together from its parts, or cut out of its whole."""
        if buffer in self.entries:
            return self.entries[buffer]
        parts = [view for view in _views(buffer) if self._is_written(view)]
        if parts:
            self.entries[buffer] = self._concat(buffer, parts)
        elif isinstance(buffer.owner, loop.ViewOp) and (whole := self._whole(buffer.owner)) is not None:
            self.entries[buffer] = self._split(buffer.owner, whole)
        return self.entries.get(buffer)

    def _whole(self, view: loop.ViewOp) -> Entry | None:
        return None if view.arena is self.main.arena else self._entry(view.arena)

    def _is_written(self, view: loop.ViewOp) -> bool:
        return view.result in self.entries or any(map(self._is_written, _views(view.result)))

    def _concat(self, buffer: SSAValue, parts: Sequence[loop.ViewOp]) -> Entry:
        ordered = sorted(parts, key=lambda view: view.offset.value.data)
        operands = [entry for view in ordered if (entry := self._entry(view.result)) is not None]
        if sum(prod(_flat(view.result)) for view in ordered) != prod(_flat(buffer)):
            raise CompilerBug("the parts of a buffer of main do not fill it")
        return self._append("concat", CONCAT, operands, [self._value(buffer, _flat(buffer))])

    def _split(self, view: loop.ViewOp, whole: Entry) -> Entry:
        """Cut a part out of a value; what lies in front of it and behind it goes where nobody reads it."""
        element = _type(view.result).element_type
        first = view.offset.value.data // size_in_bytes(element)
        last = prod(_flat(view.arena)) - first - prod(_flat(view.result))
        part = self._value(view.result, _flat(view.result))
        beside = [Value(part.dtype, (size,), self._storage(("unused", 0, 0))) for size in (first, last)]
        results = [*beside[: first > 0], part, *beside[1 : 1 + (last > 0)]]
        return self._append("split", SPLIT, [whole], results, result=int(first > 0))

    def _append(
        self,
        name: str,
        function: str,
        operands: Sequence[Entry],
        results: Sequence[Value],
        attributes: dict[str, str] | None = None,
        result: int = 0,
    ) -> Entry:
        self.nodes.append(Call(self._unique(name), function, tuple(operands), tuple(results), attributes or {}))
        return Entry(len(self.nodes) - 1, result)

    def _unique(self, name: str) -> str:
        unique = name
        while unique in self.taken:
            self.used[name] = self.used.get(name, 1) + 1
            unique = f"{name} #{self.used[name]}"
        self.taken.add(unique)
        return unique

    def _result(self, entry: Entry) -> Value:
        node = self.nodes[entry.node]
        return node.value if isinstance(node, Source) else node.results[entry.result]

    def _value(self, buffer: SSAValue, shape: Shape) -> Value:
        scope = scope_of(buffer.owner) if isinstance(buffer.owner, loop.ViewOp) else MAIN
        named = GLOBAL if scope == MAIN else f"{GLOBAL}.{scope}"
        dtype = to_numpy(_type(buffer).element_type).name
        return Value(dtype, shape, self._storage(self._place(buffer)), scope=named)

    def _storage(self, place: Place) -> int:
        return self.storage.setdefault(place, len(self.storage))

    def _place(self, buffer: SSAValue) -> Place:
        whole = loop.whole_of(buffer)
        start = buffer.owner.start if isinstance(buffer.owner, loop.ViewOp) else 0
        if isinstance(whole.owner, loop.WeightOp):
            return whole.owner.weight.data, -1, 0
        return "main", self.main.func.args.index(whole), start

    def _declared(self, value: SSAValue) -> Shape:
        shape = self.main.attribute(value, "shape")
        return _flat(value) if shape is None else _integers(shape)

    def _weight_shape(self, op: loop.WeightOp) -> Shape:
        name = op.weight.data
        return self.weights.get(name).shape if name in self.weights else _flat(op.result)


def _views(buffer: SSAValue) -> list[loop.ViewOp]:
    return [use.operation for use in buffer.uses if isinstance(use.operation, loop.ViewOp)]


def _shapes(op: CallOp) -> list[Shape]:
    """The shapes of results and operands as far as they are recorded."""
    recorded = op.attributes.get(SHAPES)
    return list(map(_integers, recorded)) if isa(recorded, ArrayAttr) else []


def _integers(attribute: Attribute) -> Shape:
    if not isinstance(attribute, DenseArrayBase):
        raise CompilerBug(f"{attribute} is not a shape")
    return tuple(int(size) for size in attribute.get_values())


def _type(buffer: SSAValue) -> MemRefType[Attribute]:
    if not isa(buffer.type, MemRefType):
        raise CompilerBug(f"{buffer.type} is not a buffer")
    return buffer.type


def _flat(buffer: SSAValue) -> Shape:
    return _type(buffer).get_shape()
