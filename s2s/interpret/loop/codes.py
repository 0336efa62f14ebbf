"""Interpret loads of constants by their codes of four bits."""

import numpy as np

from s2s.dialects import loop
from s2s.dialects.loop.codes import GROUP
from s2s.dialects.loop.nibbles import NIBBLE
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.types.dtypes import Array


@MEANINGS.register(loop.LookUpOp)
def look_up(scope: Scope, op: loop.LookUpOp) -> Step:
    """`loop.look_up`."""
    at, table = (position(each, scope.operands(op.indices)) for each in op.map.data.results)
    buffer, size, result = scope.place(op.buffer), length(op.buffer), scope.new(op.result)
    count = op.values.value.data

    def step(frame: Frame) -> None:
        number, start = at(frame), table(frame)
        if not 0 <= number < 2 * size or not 0 <= start <= size - count:
            raise CompilerBug(f"{scope.where(op)}: number {number} of {start} is outside of {buffer_name(op.buffer)}")
        codes = codes_of(frame[buffer][number // 2 : number // 2 + 1])
        frame[result] = frame[buffer][start : start + count][codes[number % 2]]

    return step


@MEANINGS.register(loop.LookUpGroupOp)
def look_up_group(scope: Scope, op: loop.LookUpGroupOp) -> Step:
    """`loop.look_up_group`."""
    at, table = (position(each, scope.operands(op.indices)) for each in op.map.data.results)
    buffer, size, result = scope.place(op.buffer), length(op.buffer), scope.new(op.result)
    count, in_pairs = op.values.value.data, op.pairs is not None

    def step(frame: Frame) -> None:
        first, start = at(frame), table(frame)
        if not 0 <= first <= size - GROUP // 2 or not 0 <= start <= size - count:
            raise CompilerBug(f"{scope.where(op)}: group {first} of {start} is outside of {buffer_name(op.buffer)}")
        codes = codes_of(frame[buffer][first : first + GROUP // 2])
        numbers = frame[buffer][start : start + count][codes].astype(np.int16)
        low, high = numbers[0::2], numbers[1::2]
        frame[result] = np.concatenate([high - np.int16(256) * low if in_pairs else low, high])

    return step


def codes_of(stored: Array) -> Array:
    """Return the codes in a row of bytes, from 0 to 15, that in the low bits of a byte first."""
    bytes = stored.reshape(-1).view(np.uint8)
    return np.stack([bytes & (2**NIBBLE - 1), bytes >> np.uint8(NIBBLE)], axis=1).reshape(-1)


__all__ = ["codes_of", "look_up", "look_up_group"]
