"""Find what the tensors of a network over sliding windows are in the next run: the same, moved on by frames, or others.

    %a = graph.conv %x, %w      %x moves by 1 frame a run, %w is constant     moves by 1: kept but for the new element
    %m = graph.reduce_mean %a   along the frames                              changes: computed in each run
    %s = graph.mul %a, %m       of what moves and what changes                changes, too: no element of it is kept
    %y = graph.slice %s         the last element                              changes; only this one of %s is computed

The window `x` of 98 frames moves on by one frame a run: element `i` is what element `i + 1` was the run before. So is
element `i` of `a = conv(x)` with three taps and no padding, which has 96 elements: a run computes element 95 anew, from
frames 95 to 97. With a padding of one element on each side, elements 0 and 97 of `a` read padding; what was element 1
is not what element 0 is now, so only elements 1 to 96 move.

That an operand does not move says nothing of the next run: it is constant, or it changes. An element of the run before
may stand for one of this run only if all that it was computed of is constant or has moved by as many elements.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.frame_rules import Frames, Rule, rule_of
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, type_of
from s2s.dialects.graph.run_sizes import SizedOp
from s2s.support.frozen import frozen
from s2s.types.dtypes import is_integer, size_in_bytes


@frozen
class Constant:
    """The same in each run."""


@frozen
class Moves:
    """Element `i` along the frames is what element `i + step` was in the run before, for all elements of `frames`."""

    frames: Frames
    step: Fraction


@frozen
class Changes:
    """Unrelated to what it was the run before. Where it has `frames`, an element can be computed without the others."""

    frames: Frames | None = None


Motion: TypeAlias = Constant | Moves | Changes
Motions = Mapping[SSAValue, Motion]


def motions_of(main: FuncOp, windows: Mapping[SSAValue, Moves]) -> dict[SSAValue, Motion]:
    """Return the motion of each argument and result in `main`, whose arguments `windows` move and whose others, inputs
    and states, change."""
    motions: dict[SSAValue, Motion] = {each: windows.get(each, Changes()) for each in main.body.block.args}
    for op in main.body.block.ops:
        motion = _motion(op, motions)
        motions.update(dict.fromkeys(op.results, motion))
    return motions


def frames_of(value: SSAValue, motions: Motions) -> Frames | None:
    """Return where the frames of the window lie in `value`; None if each of its elements may hang on all of them."""
    motion = motions[value]
    return None if isinstance(motion, Constant) else motion.frames


def rule_in(op: Operation, motions: Motions) -> Rule | None:
    """Return what the elements of the result of `op` read of its operands that have frames."""
    framed = {number: frames_of(operand, motions) for number, operand in enumerate(op.operands)}
    return rule_of(op, {number: frames for number, frames in framed.items() if frames is not None})


def is_dequantised(value: SSAValue, motions: Motions) -> bool:
    """Return whether `value` is `(cast x - zero_point) * scale` of narrower integers, or a part of that formula."""
    op = value.owner
    framed = [each for each in op.operands if frames_of(each, motions)] if isinstance(op, Operation) else []
    if len(framed) != 1:
        return False
    if isinstance(op, graph.CastOp):
        before, after = (type_of(each).element_type for each in (op.x, op.y))
        return is_integer(before) and size_in_bytes(before) < size_in_bytes(after)
    return isinstance(op, graph.SubOp | graph.MulOp) and is_dequantised(framed[0], motions)


def _motion(op: Operation, motions: Motions) -> Motion:
    """Return the motion of the results of `op`."""
    operands = [motions[operand] for operand in op.operands]
    if _follows_from_operands(op) and all(isinstance(each, Constant) for each in operands):
        return Constant()
    rule = rule_in(op, motions)
    frames = None if rule is None else _frames(op, rule, motions)
    if rule is None or frames is None:
        return Changes()
    steps = {
        each.step / rule.taps[number].stride if isinstance(each, Moves) and number in rule.taps else None
        for number, each in enumerate(operands)
        if not isinstance(each, Constant)
    }
    step = steps.pop() if len(steps) == 1 else None
    return Changes(frames) if step is None else Moves(frames, step)


def _follows_from_operands(op: Operation) -> bool:
    """Return whether equal operands give equal results: no size of the run, function of the user, or state goes in."""
    return isinstance(op, GraphOp | graph.WeightOp) and not isinstance(op, SizedOp)


def _frames(op: Operation, rule: Rule, motions: Motions) -> Frames | None:
    """Return the frames of the result of `op`: its elements that read no padding, and none outside of the frames of
    operands."""
    low, high = 0, type_of(op.results[0]).get_shape()[rule.axis]
    for number, taps in rule.taps.items():
        read = frames_of(op.operands[number], motions)
        assert read is not None
        low = max(low, ceil(Fraction(read.low - taps.offset, taps.stride)))
        high = min(high, floor(Fraction(read.high - taps.offset - taps.extent, taps.stride)) + 1)
    return Frames(rule.axis, low, high) if low < high else None
