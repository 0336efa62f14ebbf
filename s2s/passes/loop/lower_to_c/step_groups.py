"""Lower what each step of a network does: a tile of one operation, or several operations.

    loop.call @gates(%g, %x) {step = 0, tiles = 4}
    loop.call @cell(%h, %g) {step = 1}
->
    if (tile < 4) {
        net_gates(g, x, tile);
    } else {
        net_cell(h, g);
    }
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import plus_constant
from s2s.passes.loop.lower_to_c.sliding import lower_window
from s2s.passes.loop.lower_to_c.steps import StepBuilder, lower_operations


class StepGroup(NamedTuple):
    """What a step of a network does, or several steps, each a tile of the first operation; the last one does
    all others as well."""

    ops: tuple[Operation, ...]
    tiles: int | None
    """None for one step."""


def step_groups(network: FuncOp) -> Iterator[StepGroup]:
    """Yield the groups of a network that is cut into steps, in order."""
    marked = (op for op in network.body.block.ops if loop.step_of(op) is not None)
    for _, ops in groupby(marked, loop.step_of):
        group = tuple(ops)
        yield StepGroup(group, loop.tiles_of(group[0]))


def lower_shared(steps: StepBuilder, network: FuncOp) -> None:
    """Lower what every step may use: buffers, constants, and windows as steps before have left them."""
    for op in network.body.block.ops:
        if isinstance(op, loop.AdvanceOp):
            lower_window(steps, op)
        elif loop.step_of(op) is None:
            lower_operations(steps, [op])


def lower_group(steps: StepBuilder, group: StepGroup, tile: SSAValue) -> Block:
    """Return what a step of a group does."""
    block = Block()
    with steps.b.inside(block):
        _lower_tile(steps._replace(tile=tile), group)
    return block


def _lower_tile(steps: StepBuilder, group: StepGroup) -> None:
    """Lower a tile of a group."""
    b, (first, *others), tile = steps.b, group.ops, steps.tile
    if group.tiles is None or tile is None or not others:
        lower_operations(steps, group.ops)
        return
    lower_operations(steps, [first])
    last = Block()
    with b.inside(last):
        lower_operations(steps, others)
    b.block.add_op(c.IfOp(b.binary("==", tile, b.literal(group.tiles - 1, IndexType())), last))


def lower_step(steps: StepBuilder, network: FuncOp, number: SSAValue) -> None:
    """Lower step `number` of a network that another one runs."""
    lower_shared(steps, network)
    _lower_chain(steps, list(step_groups(network)), number, 0)


def _lower_chain(steps: StepBuilder, groups: Sequence[StepGroup], number: SSAValue, before: int) -> None:
    """Lower the steps of groups, of which the first one has number `before`."""
    b, (first, *others) = steps.b, groups
    behind = before + (first.tiles or 1)
    branches = [Block(), Block()]
    with b.inside(branches[0]):
        _lower_tile(steps._replace(tile=plus_constant(b, number, -before)), first)
    if not others:
        for op in branches[0].ops:
            op.detach()
            b.block.add_op(op)
        return
    with b.inside(branches[1]):
        _lower_chain(steps, others, number, behind)
    b.block.add_op(c.IfOp(b.binary("<", number, b.literal(behind, IndexType())), *branches))


__all__ = ["StepGroup", "lower_group", "lower_shared", "lower_step", "step_groups"]
