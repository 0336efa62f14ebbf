"""Interpret `tensor.compute`, with sums in exactly the order of a serial loop.

Numpy computes the parallel dimensions at once; the reduction dimensions run step by step. The schedule is ignored,
since it does not change the result.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from s2s.dialects import tensor
from s2s.interpret.numbers import where
from s2s.interpret.scalar import Scalar, number, signless
from s2s.interpret.tensor.access import Box, Mask, Reader, boxes, reader
from s2s.interpret.tensor.body import Body, Moment
from s2s.interpret.tensor.contraction import contract
from s2s.types.dtypes import Array, as_tensor_type, to_numpy


def evaluate_compute(op: tensor.ComputeOp, operands: Sequence[Array], *, fast: bool = False) -> list[Array]:
    """Compute the results of `op`; `fast` allows matrix products, which add up in another order."""
    kernel = _Kernel(op, [signless(operand) for operand in operands])
    sums = contract(op, kernel.reads) if fast else None
    types = [as_tensor_type(type) for type in op.result_types]
    results = [np.empty(op.parallel_sizes, to_numpy(type.element_type)) for type in types]
    with np.errstate(all="ignore"):
        for box in boxes(op.parallel_sizes):
            accumulators = kernel.fold(box) if sums is None else [sums[box.slices]]
            for result, value in zip(results, kernel.apply_at(box, accumulators), strict=True):
                signless(result)[box.slices] = value
    return [result.reshape(type.get_shape()) for result, type in zip(results, types, strict=True)]


class _Kernel:
    """A computation with readers of its operands and compiled regions."""

    def __init__(self, op: tensor.ComputeOp, operands: Sequence[Array]) -> None:
        places = [f"{op.name}: %{operand.name_hint or place}" for place, operand in enumerate(op.operands)]
        accessed = list(zip(places, operands, op.accesses, strict=False))
        split = len(op.reads)
        self.reads = [reader(*each, op.sizes) for each in accessed[:split]]
        self.epilogue = [reader(*each, op.parallel_sizes) for each in accessed[split:]]
        self.tables = list(operands[len(accessed) :])
        self.inits = [number(init) for init in op.inits]
        self.reduction_sizes = op.reduction_sizes
        self.reduce = None if op.reduce is None else Body(op.reduce.block)
        self.apply = Body(op.apply.block)

    def fold(self, box: Box) -> list[Scalar]:
        """Return the accumulators after all steps of the reduction."""
        accumulators = list(self.inits)
        if self.reduce is None:
            return accumulators
        for step in product(*map(range, self.reduction_sizes)):
            values, hits = _read(self.reads, box, step)
            active = _all(hits)
            if active is not None and not active.any():
                continue
            dims = (*box.grid, *map(np.int64, step))
            moment = Moment(dims, hits, active)
            after = self.reduce.run([*values, *accumulators, *self.tables], moment)
            if active is None or active.all():
                accumulators = after
            else:
                accumulators = [where(active, *pair) for pair in zip(after, accumulators, strict=True)]
        return accumulators

    def apply_at(self, box: Box, accumulators: Sequence[Scalar]) -> list[Scalar]:
        """Return the values that the apply region yields."""
        values, hits = _read(self.epilogue, box, ())
        moment = Moment(box.grid, [*([None] * len(accumulators)), *hits])
        return self.apply.run([*accumulators, *values, *self.tables], moment)


def _read(readers: Sequence[Reader], box: Box, step: Sequence[int]) -> tuple[list[Array], list[Mask]]:
    pairs = [each.read(box, step) for each in readers]
    return [value for value, _ in pairs], [hits for _, hits in pairs]


def _all(masks: Sequence[Mask]) -> Mask:
    """Return the conjunction of all masks."""
    combined: Mask = None
    for mask in masks:
        if mask is not None:
            combined = mask if combined is None else combined & mask
    return combined
