"""Compile regions of `tensor.compute` to functions of arrays: each operation runs on all points of a box at once."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.interpret.scalar import Scalar, function_of, number
from s2s.interpret.tensor.access import Mask
from s2s.types.dtypes import as_tensor_type
from s2s.types.sizes import ranges_of
from s2s.types.symbols import enclosing_module


class Moment(NamedTuple):
    """The context of a region's execution beside its arguments."""

    dims: Sequence[Scalar]
    """The index along each dimension of the domain."""
    hits: Sequence[Mask]
    """For each argument, the points where its guarded access is in bounds."""
    active: Mask = None
    """The points whose result is used; None means all."""


Values = list[Any]
Step = Callable[[Values, Moment], None]


class Body:
    """A compiled region; each of its values has a numbered place in a list."""

    def __init__(self, block: Block) -> None:
        self.places: dict[SSAValue, int] = {argument: place for place, argument in enumerate(block.args)}
        self.steps: list[Step] = []
        self.yielded: list[int] = []
        for op in block.ops:
            if isinstance(op, tensor.YieldOp):
                self.yielded = self._operands(op)
            else:
                self.steps.append(self._step(op))

    def run(self, arguments: Sequence[Scalar], moment: Moment) -> list[Scalar]:
        """Run the region and return the values that it yields."""
        values: Values = [None] * len(self.places)
        values[: len(arguments)] = arguments
        for step in self.steps:
            step(values, moment)
        return [values[place] for place in self.yielded]

    def _operands(self, op: Operation) -> list[int]:
        outside = [operand for operand in op.operands if operand not in self.places]
        if outside:
            raise CompilerBug(f"{op.name} uses %{outside[0].name_hint} from outside of its region")
        return [self.places[operand] for operand in op.operands]

    def _step(self, op: Operation) -> Step:
        operands = self._operands(op)
        first = len(self.places)
        self.places.update({result: first + number for number, result in enumerate(op.results)})
        match op:
            case arith.ConstantOp():
                return _constant(number(op.value), first)
            case tensor.IndexOp():
                return _index(op.dim.value.data, first)
            case tensor.SizeOp():
                return _constant(_greatest(op), first)
            case tensor.InBoundsOp():
                return _in_bounds(operands[0], first)
            case tensor.ExtractOp():
                return _extract(op, operands, first)
            case _:
                return _call(function_of(op), operands, first, len(op.results))


def _constant(value: Scalar, place: int) -> Step:
    def step(values: Values, moment: Moment) -> None:
        values[place] = value

    return step


def _greatest(op: tensor.SizeOp) -> Scalar:
    """Return the greatest value of a size, for which all tensors are computed."""
    module = enclosing_module(op)
    if module is None:
        raise CompilerBug(f"{op.name} stands in no module that states its bounds")
    return np.int64(ranges_of(module.attributes)[op.size.data].most)


def _index(dim: int, place: int) -> Step:
    def step(values: Values, moment: Moment) -> None:
        values[place] = moment.dims[dim]

    return step


def _in_bounds(argument: int, place: int) -> Step:
    def step(values: Values, moment: Moment) -> None:
        hits = moment.hits[argument]
        values[place] = np.True_ if hits is None else hits

    return step


def _call(function: Callable[..., Scalar], operands: list[int], place: int, results: int) -> Step:
    def one(values: Values, moment: Moment) -> None:
        values[place] = function(*[values[operand] for operand in operands])

    def several(values: Values, moment: Moment) -> None:
        values[place : place + results] = function(*[values[operand] for operand in operands])

    return one if results == 1 else several


def _extract(op: tensor.ExtractOp, operands: list[int], place: int) -> Step:
    table, *indices = operands
    shape = as_tensor_type(op.table.type).get_shape()

    def step(values: Values, moment: Moment) -> None:
        positions = [np.asarray(values[index]) for index in indices]
        active = True if moment.active is None else moment.active
        for axis, (position, size) in enumerate(zip(positions, shape, strict=True)):
            outside = ((position < 0) | (position >= size)) & active
            if outside.any():
                wrong = np.broadcast_to(position, outside.shape)[outside].flat[0]
                raise CompilerBug(f"{op.name}: index {wrong} of dimension {axis} is outside of {op.table.type}")
        if moment.active is not None:
            positions = [np.where(active, position, 0) for position in positions]
        values[place] = values[table][tuple(positions)]

    return step
