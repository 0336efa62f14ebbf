"""Interpret loads of constants of four bits."""

import numpy as np

from s2s.dialects import loop
from s2s.dialects.loop.nibbles import HALF, NIBBLE
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.types.dtypes import Array


@MEANINGS.register(loop.LoadNibblesOp)
def load_nibbles(scope: Scope, op: loop.LoadNibblesOp) -> Step:
    """`loop.load_nibbles`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, size, count = scope.place(op.buffer), length(op.buffer), op.lanes // 2
    result, group = scope.new(op.result), int(op.group.value.data)

    def step(frame: Frame) -> None:
        first = at(frame)
        if first < 0 or first + count > size:
            raise CompilerBug(f"{scope.where(op)}: index {first} is outside of {buffer_name(op.buffer)}")
        frame[result] = unpacked(frame[buffer][first : first + count], group)

    return step


@MEANINGS.register(loop.LoadNibbleOp)
def load_nibble(scope: Scope, op: loop.LoadNibbleOp) -> Step:
    """`loop.load_nibble`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, size, result = scope.place(op.buffer), length(op.buffer), scope.new(op.result)

    def step(frame: Frame) -> None:
        number = at(frame)
        if not 0 <= number < 2 * size:
            raise CompilerBug(f"{scope.where(op)}: number {number} is outside of {buffer_name(op.buffer)}")
        frame[result] = neighbours(frame[buffer][number // 2 : number // 2 + 1])[number % 2]

    return step


def neighbours(stored: Array) -> Array:
    """Return the numbers of a row of bytes, the low bits of each first, with their signs."""
    bytes = stored.reshape(-1).view(np.uint8)
    nibbles = np.stack([bytes & (2**NIBBLE - 1), bytes >> np.uint8(NIBBLE)], axis=1).reshape(-1)
    return (nibbles ^ np.uint8(HALF)).astype(np.int8) - np.int8(HALF)


def unpacked(stored: Array, group: int) -> Array:
    """Return the numbers in a row of bytes: of each `group`, the low bits, then the high bits."""
    rows = stored.view(np.uint8).reshape(-1, group // 2)
    nibbles = np.concatenate([rows & (2**NIBBLE - 1), rows >> np.uint8(NIBBLE)], axis=1)
    return nibbles.reshape(-1).astype(np.int8) - np.int8(HALF)


__all__ = ["load_nibble", "load_nibbles", "neighbours", "unpacked"]
