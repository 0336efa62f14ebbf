"""Derive which dimensions of a computation have a size that is known at run time, from those of its operands.

All tensors keep the strides that they have at the greatest sizes, so that only trip counts change from run to run.
With `x` of shape `[1, n, 64]`, `n` at most 128, the computation

    tensor.compute [4, 128 | 16] reads(%x at (h, i, k) -> (0, i, h * 16 + k), …)

has `n` positions along dimension 1 (`i`), and its result of shape `[4, 128]` has `n` along axis 1.
"""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import dim_names, shape_of
from s2s.dialects import tensor
from s2s.errors import UnsupportedError
from s2s.types.affine import is_dim, ranges, simplify
from s2s.types.sizes import Extents


def reshaped(shape: Sequence[int], extents: Extents, result: Sequence[int]) -> Extents:
    """Return the extents of a tensor of `shape` after it is reshaped to `result`; an error if an axis of varying size
    is merged or split. Axis 1 of `[1, 128, 64]` becomes axis 0 of `[128, 4, 16]`: size and stride are equal."""
    found = [""] * len(result)
    for axis, name in enumerate(extents):
        if not name:
            continue
        place = (shape[axis], prod(shape[axis + 1 :]))
        same = [other for other, size in enumerate(result) if (size, prod(result[other + 1 :])) == place]
        if not same:
            raise UnsupportedError(
                f"reshape of {list(shape)} to {list(result)} merges or splits axis {axis}, whose size {name} varies; "
                "give it a constant size"
            )
        found[same[0]] = name
    return tuple(found)


class DomainExtents:
    """The sizes at run time of the dimensions of one computation, as its operands demand them."""

    def __init__(self, op: tensor.ComputeOp) -> None:
        self.op = op
        self.names = [""] * len(op.sizes)

    def demand(self, value: SSAValue, access: tensor.AccessAttr, extents: Extents, dims: int) -> None:
        """Note what an operand with `extents`, read over the first `dims` dimensions, demands of the domain."""
        box = ranges(self.op.sizes[:dims])
        for axis, name in enumerate(extents):
            if not name:
                continue
            at = simplify(access.map.data.results[axis], box)
            size = shape_of(value)[axis]
            if not is_dim(at) or self.op.sizes[at.position] != size or access.division[axis] != 1:
                raise UnsupportedError(
                    f"reads axis {axis}, whose size {name} varies, at {at}, not position by position, as windows, "
                    "slices, paddings and concatenations along it do; give it a constant size"
                )
            if self.names[at.position] not in ("", name):
                dim = dim_names(self.op)[at.position]
                raise UnsupportedError(
                    f"dimension {dim} has the sizes {self.names[at.position]} and {name}; give one of them to both"
                )
            self.names[at.position] = name

    @property
    def extents(self) -> Extents:
        """The size of each dimension at run time."""
        return tuple(self.names)

    def of_result(self, result: SSAValue) -> Extents:
        """Return the extents of a result."""
        op = self.op
        return reshaped(op.parallel_sizes, self.extents[: op.rank], shape_of(result))


def domain_extents(op: tensor.ComputeOp, operands: Sequence[Extents]) -> DomainExtents:
    """Return the extents of the domain of `op` for those of its `operands`; an error if they are not supported."""
    found, count = DomainExtents(op), len(op.reads)
    for value, access, extents in zip(op.reads, op.read_accesses, operands, strict=False):
        found.demand(value, access, extents, len(op.sizes))
    for value, access, extents in zip(op.epilogue, op.epilogue_accesses, operands[count:], strict=False):
        found.demand(value, access, extents, op.rank)
    return found
