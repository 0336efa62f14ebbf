"""Reverse the loops of kernels, so that they compute their results from the end to the start.

    loop.for %i = 0 to 8 { … store to %y … }
    loop.for %i = 8 to 10 { … store to %y … }
->
    loop.for %i = 8 to 10 down { … }
    loop.for %i = 0 to 8 down { … }

The order in which a kernel computes the elements of its result decides how far the result may lie over an operand: an
operand at the start of a larger result is read before it is overwritten only if the end is computed first. Loops that
carry values are sums and keep their order, and so does what stands inside of a tile.

Declined where two iterations, or two steps of a block, write the same element of the result, or one reads what the
other writes (`s2s.memory.store_order`): an insert copies its base, and then writes the new elements over it. Declined,
too, for kernels that read from scratch what an earlier iteration has left there, and for loops that are divided among
threads.
"""

from collections.abc import Sequence
from dataclasses import field
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.memory.buffers import read_by, touches_memory, written_by
from s2s.dialects import loop
from s2s.dialects.loop.control import PARALLEL
from s2s.memory.store_order import StoreOrder
from s2s.support.mutable import mutable


def backwards(kernel: FuncOp) -> FuncOp | None:
    """Return a copy of `kernel` that computes its result from the end to the start; None if that is impossible."""
    copy = kernel.clone()
    reversal = _Reversal(copy)
    reversal.block(copy.body.block, ())
    return copy if reversal.found and reversal.possible else None


@mutable
class _Unit:
    """Operations that stay together in their order."""

    ops: list[Operation] = field(default_factory=list[Operation])
    stores: bool = False


class _Reversal:
    """Reverses the loops of a kernel around the stores to its result."""

    def __init__(self, kernel: FuncOp) -> None:
        self.output: SSAValue = kernel.body.block.args[0]
        self.order = StoreOrder(kernel, self.output)
        self.found, self.possible = False, True
        """Whether a loop to reverse was found, and whether all of them may be reversed."""

    def block(self, block: Block, outer: tuple[loop.ForOp, ...]) -> None:
        """Reverse the loops in `block`, which is inside of the loops `outer`."""
        terminator = block.last_op
        assert isinstance(terminator, loop.YieldOp | ReturnOp)
        body = [op for op in block.ops if op is not terminator]
        shared, units = self._units(body)
        self.possible &= all(self.order.may_swap(one.ops, other.ops, outer) for one, other in combinations(units, 2))
        for op in body:
            if isinstance(op, loop.ForOp) and self._stores(op) and not op.inits and op.fixed_bounds is not None:
                self.possible &= op.kind.data != PARALLEL and self.order.may_reverse(op, outer)
                op.down = UnitAttr() if op.down is None else None
                self.found = True
                self.block(op.body.block, (*outer, op))
        for op in body:
            op.detach()
        block.insert_ops_before([*shared, *(op for unit in reversed(units) for op in unit.ops)], terminator)

    def _units(self, body: Sequence[Operation]) -> tuple[list[Operation], list[_Unit]]:
        """Split a block into constants and index arithmetic, which come first, and units in their order."""
        shared: list[Operation] = []
        units = [_Unit()]
        local = set(body)
        for op in body:
            if not op.regions and not touches_memory(op) and not _producers(op) & local:
                shared.append(op)
                local.discard(op)
                continue
            if units[-1].stores and not self._stores(op):
                units.append(_Unit())
            units[-1].ops.append(op)
            units[-1].stores |= self._stores(op)
            # Every loop is a unit of its own, unless it uses what precedes it.
            if isinstance(op, loop.ForOp) and self._stores(op):
                units.append(_Unit())
        return shared, self._joined([unit for unit in units if unit.ops])

    def _joined(self, units: Sequence[_Unit]) -> list[_Unit]:
        """Merge units where one uses values or scratch that another has produced."""
        owner: dict[Operation, int] = {}
        starts = list(range(len(units)))
        written: dict[SSAValue, int] = {}
        for number, unit in enumerate(units):
            own: set[SSAValue] = set()
            for op in unit.ops:
                owner[op] = number
                needed = [owner[made] for made in _producers(op) if made in owner]
                needed += [written[buffer] for buffer in read_by(op) - own if buffer in written]
                starts[number] = min([starts[number], *needed])
                own |= written_by(op) - {self.output}
            written |= dict.fromkeys(own, number)
        joined: list[_Unit] = []
        first = len(units)
        for number in reversed(range(len(units))):
            if number < first:
                joined.insert(0, _Unit())
                first = number
            first = min(first, starts[number])
            joined[0].ops[:0] = units[number].ops
        return joined

    def _stores(self, op: Operation) -> bool:
        return self.output in written_by(op)


def _producers(op: Operation) -> set[Operation]:
    """Return the operations whose results `op`, or an operation nested in it, uses."""
    return {operand.owner for inner in op.walk() for operand in inner.operands if isinstance(operand.owner, Operation)}


class RunBackwardsPass(ModulePass):
    """Reverse the loops of all kernels that allow it."""

    name = "loop-run-backwards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in [each for each in op.ops if isinstance(each, FuncOp) and not each.is_declaration]:
            if not any(isinstance(inner, CallOp | loop.NetworkCall) for inner in func.body.block.ops):
                reversed_kernel = backwards(func)
                if reversed_kernel is not None:
                    op.body.block.insert_op_before(reversed_kernel, func)
                    func.detach()
                    func.erase()
