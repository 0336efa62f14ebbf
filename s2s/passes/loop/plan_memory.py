"""Give every buffer of `main`, and of the networks that it runs, its place in one arena.

    func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) { %a = loop.alloc : memref<4xf32> … }
->
    func.func @main(%arena: memref<16xi8>, %y: memref<4xf32>, %x: memref<4xf32>)
        attributes {arena_lower_bound = 16, …} { %a = loop.view %arena[0] : memref<16xi8> -> memref<4xf32> … }

A buffer lives from the call that writes it to the last call that reads it. A result whose kernel allows it takes over
the buffer of an operand that dies there. The bound is the largest sum of buffers that live at the same time.

A network that another one runs is planned first; its arena is a buffer of its caller's. The state of `main`, its
arguments of role `state`, stands in front of everything else, where it outlives the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from s2s.analysis.dtypes import size_in_bytes
from s2s.analysis.networks import STATE, callees_first
from s2s.dialects import loop
from s2s.memory.buffers import Buffer, InPlace, align_up
from s2s.memory.plan import plan
from s2s.passes.tensor.lower_to_loop import IN_PLACE

ARENA_SIZE = "arena_size"
ARENA_ALIGN = "arena_align"
ARENA_LOWER_BOUND = "arena_lower_bound"


@dataclass
class Lifetime:
    """The calls between which an alloc holds a value."""

    first: int
    last: int


class PlanMain:
    """Plans the arena of one `main`."""

    def __init__(self, func: FuncOp, kernels: dict[str, FuncOp], align: int) -> None:
        self.func, self.kernels, self.align = func, kernels, align
        self._give_arenas()
        self.allocs = [op for op in func.body.block.ops if isinstance(op, loop.AllocOp)]
        self.steps = [op for op in func.body.block.ops if isinstance(op, loop.STEPS)]
        self.names: dict[SSAValue, str] = {op.result: f"{n}" for n, op in enumerate(self.allocs)}

    def run(self) -> None:
        """Replace allocs by views, add the arena argument, and state the plan in attributes."""
        states, base = self._states()
        lives = self._lifetimes()
        buffers = [
            Buffer(self.names[op.result], _bytes(op.result.type), self.align, life.first, life.last)
            for op in self.allocs
            if (life := lives.get(op.result)) is not None
        ]
        chosen = plan(buffers, self._in_place(lives))
        block = self.func.body.block
        arena = block.insert_arg(MemRefType(i8, [max(base + chosen.size, 1)]), 0)
        arena.name_hint = "arena"
        self._place_states(arena, states)
        for op in self.allocs:
            if op.result not in lives:
                Rewriter.erase_op(op)
                continue
            view = loop.ViewOp(arena, base + chosen.offsets[self.names[op.result]], op.result.type)
            view.result.name_hint = op.result.name_hint
            Rewriter.replace_op(op, view)
        for op in self.steps:
            if isinstance(op, loop.NetworkCall) and op.arena is None:
                Rewriter.replace_op(op, _with_attributes(op.with_arena(arena), op))
        self._drop_copies_in_place()
        self._state(base + chosen.size, base + chosen.lower_bound)

    def _give_arenas(self) -> None:
        """A buffer for the arena of the networks that an operation runs, one after the other."""
        for op in list(self.func.body.block.ops):
            if not isinstance(op, loop.NetworkCall) or op.arena is not None:
                continue
            size = max(_planned_size(self.kernels[name]) for name in op.networks)
            if size:
                alloc = loop.AllocOp(MemRefType(i8, [size]))
                alloc.result.name_hint = "inner"
                Rewriter.insert_op(alloc, InsertPoint.before(op))
                Rewriter.replace_op(op, _with_attributes(op.with_arena(alloc.result), op))

    def _states(self) -> tuple[list[tuple[BlockArgument, int]], int]:
        """The arguments that outlive the run with their offsets, and where the other buffers begin."""
        found: list[tuple[BlockArgument, int]] = []
        end = 0
        for argument, attributes in zip(self.func.args, self.func.arg_attrs or (), strict=False):
            if attributes.data.get("role") == StringAttr("state"):
                found.append((argument, end))
                end = align_up(end + _bytes(argument.type), self.align)
        return found, end

    def _place_states(self, arena: SSAValue, states: list[tuple[BlockArgument, int]]) -> None:
        """Make each state a view of the arena that says what it is."""
        block = self.func.body.block
        given = list(self.func.arg_attrs or ())
        views = list[loop.ViewOp]()
        for argument, offset in states:
            assert isa(argument.type, MemRefType[Attribute])
            view = loop.ViewOp(arena, offset, argument.type)
            view.result.name_hint = argument.name_hint
            view.attributes |= {key: value for key, value in given[argument.index - 1].data.items() if key != "role"}
            view.attributes[STATE] = view.attributes.pop("name", StringAttr(argument.name_hint or "state"))
            argument.replace_all_uses_with(view.result)
            views.append(view)
        if views:
            assert block.first_op is not None
            block.insert_ops_before(views, block.first_op)
        kept = [attributes for attributes in given if attributes.data.get("role") != StringAttr("state")]
        self.func.arg_attrs = ArrayAttr(kept) if self.func.arg_attrs is not None else None
        for argument, _ in reversed(states):
            block.erase_arg(argument)

    def _drop_copies_in_place(self) -> None:
        """Erase the copies whose source and target the plan has put in one place."""
        for op in self.steps:
            if isinstance(op, loop.CopyOp):
                target, source = _offset(op.target), _offset(op.source)
                if target is not None and target == source:
                    Rewriter.erase_op(op)

    def _lifetimes(self) -> dict[SSAValue, Lifetime]:
        lives: dict[SSAValue, Lifetime] = {}
        for step, call in enumerate(self.steps):
            for operand in call.operands:
                if operand in self.names:
                    lives.setdefault(operand, Lifetime(step, step)).last = step
        return lives

    def _in_place(self, lives: dict[SSAValue, Lifetime]) -> list[InPlace]:
        pairs: list[InPlace] = []
        for step, call in enumerate(self.steps):
            if isinstance(call, loop.CopyOp):
                pairs += self._copied_in_place(call, step, lives)
            if not isinstance(call, CallOp):
                continue
            made = call.arguments[0]
            for number in _in_place_arguments(self.kernels[call.callee.root_reference.data]):
                dying = call.arguments[number]
                if made not in lives or dying not in lives or lives[made].first != step or lives[dying].last != step:
                    continue
                if lives[dying].first < step and list(call.arguments).count(dying) == 1:
                    pairs.append(InPlace(self.names[made], self.names[dying]))
        return pairs

    def _copied_in_place(self, copy: loop.CopyOp, step: int, lives: dict[SSAValue, Lifetime]) -> list[InPlace]:
        """A copy of what dies costs nothing where it is made in place."""
        made, dying = lives.get(copy.target), lives.get(copy.source)
        if made is None or dying is None or made.first != step or not dying.first < dying.last == step:
            return []
        return [InPlace(self.names[copy.target], self.names[copy.source])]

    def _state(self, size: int, bound: int) -> None:
        function, attributes = self.func, self.func.attributes
        attributes[ARENA_SIZE] = IntegerAttr(size, i64)
        attributes[ARENA_ALIGN] = IntegerAttr(self.align, i64)
        attributes[ARENA_LOWER_BOUND] = IntegerAttr(bound, i64)
        function.function_type = FunctionType.from_lists([argument.type for argument in function.body.block.args], [])
        none = [DictionaryAttr({})] * (len(function.args) - 1)
        given = list(function.arg_attrs) if function.arg_attrs is not None else none
        function.arg_attrs = ArrayAttr([DictionaryAttr({"role": StringAttr("arena")}), *given])


def _note_aliases(networks: Sequence[FuncOp], kernels: Mapping[str, FuncOp]) -> None:
    """Keep in each kernel's `in_place` only the arguments that some call really gives the result's address."""
    calls = [op for func in networks for op in func.body.block.ops if isinstance(op, CallOp)]
    used: dict[str, set[int]] = {}
    for call in calls:
        name = call.callee.root_reference.data
        made = _offset(call.arguments[0])
        for number in _in_place_arguments(kernels[name]):
            same = call.arguments[number] is call.arguments[0]
            if same or (made is not None and _offset(call.arguments[number]) == made):
                used.setdefault(name, set()).add(number)
    for name in {call.callee.root_reference.data for call in calls}:
        numbers = sorted(used.get(name, set()))
        kernels[name].attributes[IN_PLACE] = DenseArrayBase.from_list(i64, numbers)


def _with_attributes(target: Operation, source: Operation) -> Operation:
    """`target` with the discardable attributes of `source`."""
    target.attributes |= source.attributes
    return target


def _planned_size(network: FuncOp) -> int:
    size = network.attributes.get(ARENA_SIZE)
    return size.value.data if isinstance(size, IntegerAttr) else 0


def _bytes(type: Attribute) -> int:
    assert isa(type, MemRefType[Attribute])
    return type.get_shape()[0] * size_in_bytes(type.element_type)


def _offset(value: SSAValue) -> int | None:
    return value.owner.offset.value.data if isinstance(value.owner, loop.ViewOp) else None


def _in_place_arguments(kernel: FuncOp) -> list[int]:
    listed = kernel.attributes.get(IN_PLACE)
    return [int(number) for number in listed.get_values()] if isinstance(listed, DenseArrayBase) else []


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    name = "loop-plan-memory"

    align: int = 4
    """Alignment in bytes of every buffer and of the arena."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp)}
        networks = [func for func in functions.values() if is_network_of_buffers(func)]
        for func in callees_first(networks, _networks_run):
            PlanMain(func, functions, self.align).run()
        _note_aliases(networks, functions)


def is_network_of_buffers(func: FuncOp) -> bool:
    """Whether `func` is the function of a network: it calls kernels or networks, or its arguments have roles."""
    if func.is_declaration:
        return False
    has_roles = any("role" in attributes.data for attributes in func.arg_attrs or ())
    return has_roles or any(isinstance(op, loop.STEPS) for op in func.body.block.ops)


def _networks_run(func: FuncOp) -> list[str]:
    return [name for op in func.body.block.ops if isinstance(op, loop.NetworkCall) for name in op.networks]
