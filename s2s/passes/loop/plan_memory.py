"""Assign every buffer of `main`, and of the networks that it runs, an offset in one arena.

    func.func @main(%y: memref<4xf32>, %x: memref<4xf32>) { %a = loop.alloc : memref<4xf32> … }
->
    func.func @main(%arena: memref<16xi8>, %y: memref<4xf32>, %x: memref<4xf32>)
        attributes {arena_lower_bound = 16, …} { %a = loop.view %arena[0] : memref<16xi8> -> memref<4xf32> … }

A buffer lives from the call that writes it to the last call that reads it. A result whose kernel allows it takes over
the buffer of an operand that dies there. The bound is the largest sum of buffers that live at the same time.

With `io=arena` the inputs and outputs of the network have a place too, which the attribute `offset` of the argument
tells: the caller may put them there, or anywhere else. With `overlap` a result may lie partly over an operand that
dies, as far as the loops of the kernel prove it safe (`s2s.memory.distances`), and kernels run backwards where that
saves memory. In the end the attribute `in_place` of a
kernel lists the arguments that its result lies over in some call.

Constants that memory pools hold from the start of a program on are views of the arena with the attribute `loaded`, and
`init` names their values.

With `devices`, each device with a memory of its own has an arena of its own, a segment of the range of offsets
(`s2s/passes/loop/device_plan.py`), for the buffers that `loop-annotate-memory-scope` has marked.

A network that another one runs is planned first; its arena is a buffer of its caller's. The state of `main`, its
arguments of role `state`, stands in front of everything else, where it outlives the run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i8,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.arguments import ROLE, Role, arguments_in, role_of, with_role
from s2s.analysis.network.functions import EXTERNAL, INIT, LOADED, LOADED_AT, NAME, STATE, TAKES_OVER, callees_first
from s2s.decisions.chooser import Chooser
from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.memory.accesses import buffer_bytes
from s2s.memory.buffers import Buffer, InPlace, Plan, align_up, shares_in_place
from s2s.memory.calls import Calls, Lifetime
from s2s.memory.directions import PLAN_WORK, most_shares, plan_with_directions
from s2s.memory.plan import plan
from s2s.passes.context import given_of, target_of
from s2s.passes.loop.annotate_memory_scope import scope_of
from s2s.passes.loop.device_plan import Limits, limits_of, plan_by_device
from s2s.passes.loop.overlapping import OFFSET, calls_of, in_place_pairs, note_aliases, overlaps_of, spans_of
from s2s.passes.loop.segments import record_segments
from s2s.support.frozen import frozen
from s2s.types.hints import isa
from s2s.types.pools import Pools, pools_of

if TYPE_CHECKING:
    from s2s.passes.loop.pooled_plan import PooledPlan

ARENA_SIZE = "arena_size"
ARENA_ALIGN = "arena_align"
ARENA_LOWER_BOUND = "arena_lower_bound"
ARENA_APART_BOUND = "arena_apart_bound"
"""The lower bound of plans in which no live buffers overlap."""
ARENA_OVERLAPS = "arena_overlaps"
"""The results that overlap operands: source nodes, argument number, shared bytes and distance."""
CALLER, ARENA = "caller", "arena"


class PlanMain:
    """Plans the arena of one `main`."""

    def __init__(
        self,
        func: FuncOp,
        kernels: dict[str, FuncOp],
        align: int,
        elsewhere: frozenset[str],
        *,
        ports: bool = False,
        overlap: bool = False,
        pools: Pools = (),
        devices: Limits | None = None,
        chooser: Chooser,
    ) -> None:
        self.elsewhere = elsewhere
        """Kernels that other networks call too."""
        self.func, self.kernels, self.align, self.overlap = func, kernels, align, overlap
        self.pools, self.devices, self.chooser = pools, devices or {}, chooser
        self._give_arenas()
        self.allocs = [op for op in func.body.block.ops if isinstance(op, loop.AllocOp)]
        self.steps = [op for op in func.body.block.ops if isinstance(op, loop.STEPS)]
        self.names: dict[SSAValue, str] = {op.result: f"{n}" for n, op in enumerate(self.allocs)}
        self.inputs = arguments_in(func, Role.INPUT) if ports else []
        self.outputs = arguments_in(func, Role.OUTPUT) if ports else []
        self.names |= {argument: f"port {n}" for n, argument in enumerate([*self.inputs, *self.outputs])}

    def run(self) -> None:
        """Replace allocs by views, add the arena argument, and record the plan in attributes."""
        states, base = self._states()
        lives = self._lifetimes()
        chosen = self._plan(lives, base)
        block = self.func.body.block
        arena = block.insert_arg(MemRefType(i8, [max(base + chosen.size, 1)]), 0)
        arena.name_hint = "arena"
        self._place_states(arena, states)
        self._place_constants(arena)
        for op in self.allocs:
            if op.result not in lives:
                Rewriter.erase_op(op)
                continue
            view = loop.ViewOp(arena, base + chosen.offsets[self.names[op.result]], op.result.type)
            view.result.name_hint = op.result.name_hint
            Rewriter.replace_op(op, _with_attributes(view, op))
        for op in self.steps:
            if isinstance(op, loop.NetworkCall) and op.arena is None:
                Rewriter.replace_op(op, _with_attributes(op.with_arena(arena), op))
        self._drop_copies_in_place()
        self._state(base, chosen)
        for port in (*self.inputs, *self.outputs):
            _set_argument(self.func, port, OFFSET, base + chosen.offsets[self.names[port]])
        if self.overlap:
            self.func.attributes[ARENA_OVERLAPS] = ArrayAttr(overlaps_of(self.func, self.kernels))

    def _plan(self, lives: dict[SSAValue, Lifetime], base: int) -> Plan:
        """Plan offsets for all buffers that hold a value at some step."""
        buffers = [
            Buffer(name, buffer_bytes(value), self.align, lives[value].first, lives[value].last)
            for value, name in self.names.items()
            if value in lives
        ]
        pairs = in_place_pairs(self.steps, self.kernels, self.names, lives)
        calls = Calls(self.steps, self.kernels, self.names, lives, self.align, self._backwards)
        if self.devices:
            owners: dict[SSAValue, str] = {op.result: scope_of(op) for op in self.allocs}
            found = plan_by_device(
                buffers,
                pairs,
                calls,
                owners,
                self.devices,
                base=base,
                overlap=self.overlap,
                pooled=partial(self._pooled, base) if self.pools else None,
                chooser=self.chooser,
            )
            record_segments(self.func, found.segments)
            chosen, backward = found.plan, found.backwards
        elif self.overlap:
            chosen, backward = plan_with_directions(buffers, pairs, calls)
        else:
            chosen, backward = plan(buffers, pairs), ()
        if self.pools and not self.devices:
            chosen = self._pooled(base, buffers, pairs, calls, chosen, backward).run(self.chooser)
        for name in backward:
            _replace(self.kernels, calls.backwards[name])
        return chosen

    def _pooled(
        self,
        base: int,
        buffers: Sequence[Buffer],
        pairs: Sequence[InPlace],
        calls: Calls,
        whole: Plan,
        backward: tuple[str, ...],
    ) -> "PooledPlan":
        """Return the plan of buffers in memory pools; `whole` is that in one arena, in which the kernels `backward` run
        backwards."""
        from s2s.passes.loop.pooled_plan import HomePlanner, PooledPlan

        def planned(names: frozenset[str]) -> Plan:
            mine = [buffer for buffer in buffers if buffer.name in names]
            kept = [pair for pair in pairs if pair.output in names and pair.input in names]
            if not self.overlap:
                return plan(mine, kept)
            lives = {value: life for value, life in calls.lives.items() if self.names[value] in names}
            return plan(mine, kept, replace(calls, lives=lives).overlaps(backward), work=PLAN_WORK)

        shares = most_shares(buffers, calls) if self.overlap else shares_in_place(buffers, pairs)
        return PooledPlan(
            pools=self.pools,
            main=self.func,
            functions=self.kernels,
            buffers=buffers,
            names=self.names,
            in_place=pairs,
            whole=whole,
            home=HomePlanner(planned, shares),
            base=base,
            align=self.align,
        )

    def _backwards(self, name: str) -> FuncOp | None:
        """Return a kernel that runs backwards, if only this network calls the original."""
        from s2s.passes.loop.run_backwards import backwards

        return None if name in self.elsewhere else backwards(self.kernels[name])

    def _give_arenas(self) -> None:
        """Allocate a buffer for the arena of the networks that an operation runs in sequence."""
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
        """Return the state arguments with their offsets, and the first offset of the other buffers."""
        found: list[tuple[BlockArgument, int]] = []
        end = 0
        for argument in arguments_in(self.func, Role.STATE):
            found.append((argument, end))
            end = align_up(end + buffer_bytes(argument), self.align)
        return found, end

    def _place_states(self, arena: SSAValue, states: list[tuple[BlockArgument, int]]) -> None:
        """Make each state a view of the arena, marked as state."""
        block = self.func.body.block
        given = list(self.func.arg_attrs or ())
        views = list[loop.ViewOp]()
        for argument, offset in states:
            assert isa(argument.type, MemRefType)
            view = loop.ViewOp(arena, offset, argument.type)
            view.result.name_hint = argument.name_hint
            view.attributes |= {key: value for key, value in given[argument.index - 1].data.items() if key != ROLE}
            view.attributes[STATE] = view.attributes.pop(NAME, StringAttr(argument.name_hint or "state"))
            argument.replace_all_uses_with(view.result)
            views.append(view)
        if views:
            assert block.first_op is not None
            block.insert_ops_before(views, block.first_op)
        kept = [attributes for attributes in given if role_of(attributes.data) != Role.STATE]
        self.func.arg_attrs = ArrayAttr(kept) if self.func.arg_attrs is not None else None
        for argument, _ in reversed(states):
            block.erase_arg(argument)

    def _place_constants(self, arena: SSAValue) -> None:
        """Let kernels read the constants that are copied to the arena at start from there."""
        block = self.func.body.block
        for op in [each for each in block.ops if isinstance(each, loop.WeightOp) and LOADED_AT in each.attributes]:
            offset, buffer = op.attributes[LOADED_AT], op.result.type
            assert isinstance(offset, IntegerAttr)
            assert isa(buffer, MemRefType)
            view = loop.ViewOp(arena, offset.value.data, buffer)
            view.result.name_hint = op.result.name_hint
            view.attributes |= {INIT: StringAttr(op.weight.data), LOADED: UnitAttr()}
            Rewriter.replace_op(op, view)

    def _drop_copies_in_place(self) -> None:
        """Erase copies whose source and target the plan has placed at the same offset, and mark the target."""
        spans = spans_of(self.func)
        for op in [each for each in self.steps if isinstance(each, loop.CopyOp)]:
            view = op.target.owner
            if isinstance(view, loop.ViewOp) and spans[op.target] == spans.get(op.source):
                view.attributes[TAKES_OVER] = UnitAttr()
                Rewriter.erase_op(op)

    def _lifetimes(self) -> dict[SSAValue, Lifetime]:
        """Return lifetimes; inputs live from before the first step, outputs until after the last one."""
        lives: dict[SSAValue, Lifetime] = {value: Lifetime(-1, -1) for value in self.inputs}
        for step, call in enumerate(self.steps):
            for operand in map(loop.whole_of, call.operands):
                if operand in self.names:
                    lives.setdefault(operand, Lifetime(step, step)).last = step
        end = len(self.steps)
        for value in self.outputs:
            lives.setdefault(value, Lifetime(end, end)).last = end
        return lives

    def _state(self, base: int, chosen: Plan) -> None:
        function, attributes = self.func, self.func.attributes
        attributes[ARENA_SIZE] = IntegerAttr(base + chosen.size, i64)
        attributes[ARENA_ALIGN] = IntegerAttr(self.align, i64)
        attributes[ARENA_LOWER_BOUND] = IntegerAttr(base + chosen.lower_bound, i64)
        if self.overlap:
            attributes[ARENA_APART_BOUND] = IntegerAttr(base + chosen.apart_bound, i64)
        function.function_type = FunctionType.from_lists([argument.type for argument in function.body.block.args], [])
        none = [DictionaryAttr({})] * (len(function.args) - 1)
        given = list(function.arg_attrs) if function.arg_attrs is not None else none
        function.arg_attrs = ArrayAttr([DictionaryAttr(with_role(Role.ARENA)), *given])


def _set_argument(func: FuncOp, argument: BlockArgument, key: str, value: int) -> None:
    """Set a numeric attribute of an argument."""
    attributes = list(func.arg_attrs or ())
    attributes[argument.index] = DictionaryAttr({**attributes[argument.index].data, key: IntegerAttr(value, i64)})
    func.arg_attrs = ArrayAttr(attributes)


def _replace(kernels: dict[str, FuncOp], kernel: FuncOp) -> None:
    """Replace the kernel of the same name by `kernel`."""
    old = kernels[kernel.sym_name.data]
    block = old.parent_block()
    assert block is not None
    block.insert_op_before(kernel, old)
    old.detach()
    old.erase()
    kernels[kernel.sym_name.data] = kernel


def _with_attributes(target: Operation, source: Operation) -> Operation:
    """Copy the discardable attributes of `source` to `target`."""
    target.attributes |= source.attributes
    return target


def _planned_size(network: FuncOp) -> int:
    size = network.attributes.get(ARENA_SIZE)
    return size.value.data if isinstance(size, IntegerAttr) else 0


@frozen
class PlanMemoryPass(ModulePass):
    name = "loop-plan-memory"

    align: int = 4
    """Alignment in bytes of every buffer and of the arena."""
    io: str = CALLER
    """`arena`: inputs and outputs of `main` have places in the arena; `caller`: the caller provides their memory."""
    overlap: bool = False
    """Whether results may partly overlap operands."""
    pools: tuple[str, ...] = ()
    """Memory pools as `tcm=64KiB`, the fastest first; none: one arena without a limit."""
    devices: tuple[str, ...] = ()
    """The devices with a memory of their own as `dsp=65536`, or `dsp` without a limit."""
    target: str = "c"
    """The target that decisions are recorded for."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.io not in (CALLER, ARENA):
            raise CompilerBug(f"io {self.io!r} is none of {CALLER}, {ARENA}")
        functions = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp)}
        networks = [func for func in functions.values() if is_network_of_buffers(func)]
        pools = pools_of(self.pools)
        for func in callees_first(networks, networks_run):
            ports = self.io == ARENA and func.sym_name.data == "main"
            others = frozenset(
                call.callee.string_value() for other in networks if other is not func for call in calls_of(other)
            )
            with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
                PlanMain(
                    func,
                    functions,
                    self.align,
                    others,
                    ports=ports,
                    overlap=self.overlap,
                    pools=pools if func.sym_name.data == "main" else (),
                    devices=limits_of(self.devices) if func.sym_name.data == "main" else None,
                    chooser=chooser,
                ).run()
        note_aliases(networks, functions)


def is_network_of_buffers(func: FuncOp) -> bool:
    """Return whether `func` is a network function: `main`, a caller of kernels or networks, or one with roles."""
    if func.is_declaration:
        return False
    if func.sym_name.data == "main":
        return True
    has_roles = any(ROLE in attributes.data for attributes in func.arg_attrs or ())
    return has_roles or any(isinstance(op, loop.STEPS) for op in func.body.block.ops)


def operations_of_networks(module: ModuleOp) -> Iterator[Operation]:
    """Iterate over the operations of all network functions: operations that call kernels, and name weights and devices;
    and of the kernels of code generators, which name constants of their own."""
    for func in module.ops:
        if isinstance(func, FuncOp) and (EXTERNAL in func.attributes or is_network_of_buffers(func)):
            yield from walk(func)


def networks_run(func: FuncOp) -> list[str]:
    """Return the names of the networks that `func` runs."""
    return [name for op in func.body.block.ops if isinstance(op, loop.NetworkCall) for name in op.networks]
