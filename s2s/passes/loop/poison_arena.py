"""Fill dead bytes of the arena with a pattern before each step of a network: a debug build that proves the memory plan.

    %a = loop.view %arena[0] : memref<32xi8> -> memref<4xf32>
    func.call @k(%a, %x) …
    func.call @k(%y, %a) …
->
    %a = loop.view %arena[0] : memref<32xi8> -> memref<4xf32>
    loop.poison %dead : memref<32xi8>
    func.call @k(%a, %x) …
    loop.poison %rest : memref<16xi8>
    func.call @k(%y, %a) …

A kernel that reads what the plan takes for dead, or has let another one overwrite, then computes something
else. Values that a kernel overwrites while it runs are proven by its results.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.arguments import Role, role_of
from s2s.analysis.network.functions import STATE, TAKES_OVER
from s2s.dialects import loop
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.plan_memory import ARENA_SIZE, OFFSET, is_network_of_buffers
from s2s.support.frozen import frozen

Span = tuple[int, int]


@frozen
class _Life:
    """The byte range of a value, and the first and last step that need it."""

    span: Span
    first: int
    last: int


class _Poison:
    """Poisons the arena of one network."""

    def __init__(self, func: FuncOp, size: int) -> None:
        self.func, self.size = func, size
        self.steps = [op for op in func.body.block.ops if isinstance(op, loop.STEPS)]

    def run(self) -> None:
        """Insert the poison operations."""
        lives = [*self._views(), *self._ports()]
        for number, step in enumerate(self.steps):
            alive = [life.span for life in lives if life.first < number <= life.last]
            for start, end in _dead(alive, self.size):
                view = loop.ViewOp(self.func.body.block.args[0], start, MemRefType(i8, [end - start]))
                view.result.name_hint = "dead"
                Rewriter.insert_op([view, loop.PoisonOp(view.result)], InsertPoint.before(step))

    def _views(self) -> list[_Life]:
        views = [op for op in self.func.body.block.ops if isinstance(op, loop.ViewOp)]
        found: list[_Life] = []
        for view in views:
            used = self._used(view.result)
            span = (view.start, view.start + buffer_bytes(view.result))
            if STATE in view.attributes:
                found.append(_Life(span, -1, len(self.steps)))
            elif used:
                first = used[0] if TAKES_OVER not in view.attributes else self._last_of(span, found)
                found.append(_Life(span, first, used[-1]))
        return found

    @staticmethod
    def _last_of(span: Span, lives: Sequence[_Life]) -> int:
        """Return the step after which the value that stays in `span` is in its last view so far."""
        return max(life.last for life in lives if life.span == span)

    def _ports(self) -> list[_Life]:
        """Return lifetimes of inputs, which begin at the start, and of outputs, which last to the end."""
        found: list[_Life] = []
        for argument, attributes in zip(self.func.args, self.func.arg_attrs or (), strict=False):
            offset = attributes.data.get(OFFSET)
            if not isinstance(offset, IntegerAttr):
                continue
            used = self._used(argument) or [len(self.steps)]
            span = (offset.value.data, offset.value.data + buffer_bytes(argument))
            is_input = role_of(attributes.data) == Role.INPUT
            found.append(_Life(span, -1, used[-1]) if is_input else _Life(span, used[0], len(self.steps)))
        return found

    def _used(self, value: SSAValue) -> list[int]:
        """Return the numbers of the steps that use `value`, or a part of it."""
        users = _users(value)
        return [number for number, step in enumerate(self.steps) if step in users]


def _users(value: SSAValue) -> set[Operation]:
    users: set[Operation] = {use.operation for use in value.uses}
    return users.union(*(_users(each.result) for each in users if isinstance(each, loop.ViewOp)))


def _dead(alive: Sequence[Span], size: int) -> list[Span]:
    """Return the byte ranges of `size` bytes that no span covers."""
    found: list[Span] = []
    end = 0
    for start, stop in [*sorted(alive), (size, size)]:
        if end < start:
            found.append((end, start))
        end = max(end, stop)
    return found


@frozen
class PoisonArenaPass(ModulePass):
    name = "loop-poison-arena"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and is_network_of_buffers(func):
                size = func.attributes.get(ARENA_SIZE)
                if isinstance(size, IntegerAttr) and size.value.data:
                    _Poison(func, size.value.data).run()
