"""Compile operations into Python closures; each family of operations registers its compilers here."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation

from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame
from s2s.interpret.loop.scope import Scope, Step
from s2s.interpret.scalar import Scalar, function_of, is_scalar_op
from s2s.support.operation_table import OperationTable

MEANINGS: OperationTable[Scope, Step | None] = OperationTable("interpretation at loop level", __package__)
"""For each class of operation, the function that compiles one to a step; it returns None if there is nothing to run."""


def translate_block(scope: Scope, block: Block) -> tuple[Step, ...]:
    """Compile the operations of a block in order."""
    steps = [translate_operation(scope, op) for op in block.ops]
    return tuple(step for step in steps if step is not None)


def translate_operation(scope: Scope, op: Operation) -> Step | None:
    """Compile one operation: a loop operation as registered, one of `arith` or `math` by its scalar function."""
    meaning = MEANINGS.find(op)
    if meaning is not None:
        return meaning(scope, op)
    if is_scalar_op(op):
        return step_of(scope, op, function_of(op))
    raise CompilerBug(f"{scope.where(op)}: the operation has no meaning at loop level")


def step_of(scope: Scope, op: Operation, function: Callable[..., Scalar]) -> Step:
    """Compile `function` of the operands; index operands, elsewhere Python integers, become 64-bit integers here."""
    places = scope.operands(op.operands)
    if any(isinstance(operand.type, IndexType) for operand in op.operands):
        function = _on_indices(function)
    if len(op.results) != 1:
        return _several(function, places, [scope.new(result) for result in op.results])
    result = scope.new(op.results[0])
    match places:
        case [a]:

            def step(frame: Frame) -> None:
                frame[result] = function(frame[a])

        case [a, b]:

            def step(frame: Frame) -> None:
                frame[result] = function(frame[a], frame[b])

        case _:

            def step(frame: Frame) -> None:
                frame[result] = function(*[frame[place] for place in places])

    return step


def _on_indices(function: Callable[..., Scalar]) -> Callable[..., Scalar]:
    def on_indices(*values: Scalar) -> Scalar:
        return function(*[np.int64(value) if isinstance(value, int) else value for value in values])

    return on_indices


def _several(function: Callable[..., Scalar], places: Sequence[int], results: Sequence[int]) -> Step:
    def step(frame: Frame) -> None:
        for result, value in zip(results, function(*[frame[place] for place in places]), strict=True):
            frame[result] = value

    return step
