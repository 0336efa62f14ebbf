"""Copy channels-first images of depthwise convolutions and poolings into blocks of channels.

    %y = tensor.compute [240, 28, 28 | 5, 5] reads(%x at (c, h, w, r, s) -> (0, c, h + r - 2, w + s - 2), %w at …) …
-> for vectors of 16
    %x_copy = tensor.compute [15, 28, 28, 16] epilogue(%x at (b, h, w, l) -> (0, b * 16 + l, h, w)) …
                schedule #tensor.schedule<[tile_and_fuse<0 by 1>]>
    %y = tensor.compute [15, 16, 28, 28 | 5, 5]
                reads(%x_copy at (b, l, h, w, r, s) -> (b, h + r - 2, w + s - 2, l), %w at …) …
                schedule #tensor.schedule<[tile_and_fuse<0 by 1>]>

Between kernels images are blocked anyway (`tensor-block-channels`); this pass is for images in the layout of the
caller or of another operator. Vectors then run along the channels, whatever the stride and padding of the window. The
copy transposes one block of the image at a time in registers, and the block stays in a cache while it is used. The
result is transposed back as it is stored.

Whether an image is copied is a decision (`s2s/decisions/operand_copies.py`): by default not where vectors along the
rows of the original image are cheaper. Declined without vectors, for sums over channels, and for channels that fill no
vector.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from s2s.analysis.affine.strides import interior, vectorizable
from s2s.analysis.structure.compute import DIM_NAMES, dim_names, shape_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.operand_copies import COPIED, CopiedOperand, ImagesKind
from s2s.dialects import tensor
from s2s.dialects.graph.traits import copy_provenance
from s2s.passes.context import given_of, target_of
from s2s.passes.tensor.block_kernel import split_dim
from s2s.passes.tensor.copy_candidates import copy_candidates
from s2s.passes.tensor.permute import copy_of
from s2s.passes.tensor.tile_and_fuse.schedule import fuse_in_blocks
from s2s.schedules.default import Choice, candidates
from s2s.schedules.register_transpose import MIN_SHARE, transpose_cost
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.affine import ranges, simplify

STEP = 4.0
"""Cost of one vector of results, without its reduction and its store, in multiply-adds."""


class Image(NamedTuple):
    """A read of a channels-first image."""

    read: int
    axis: int
    """The axis of the image that holds channels."""
    dim: int
    """The dimension of the domain that counts channels."""
    before: Mapping[int, int]
    """The dimension along each axis before the channels whose size exceeds one, such as the dimensions of a batch."""
    block: int


def image_of(op: tensor.ComputeOp, constants: frozenset[SSAValue], target: Target) -> Image | None:
    """Return the image that `op` slides a window over, channel by channel; None if `op` is of another form."""
    reads = list(zip(op.reads, op.read_accesses, strict=True))
    moving = [number for number, (value, _) in enumerate(reads) if value not in constants]
    if op.reduce is None or len(moving) != 1 or not vectorizable(op) or not shape_of(reads[moving[0]][0]):
        return None
    value, access = reads[moving[0]]
    results = [simplify(expr, ranges(op.sizes)) for expr in access.map.data.results]
    if any(divisor > 1 for divisor in access.division) or not (results[-1].used_dims() - _single(op)):
        return None
    own = [axis for axis, expr in enumerate(results[:-1]) if isinstance(expr, AffineDimExpr)]
    own = [axis for axis in own if _is_own(results, axis, op)]
    if not own or any(axis not in own and results[axis].used_dims() for axis in range(own[-1])):
        return None
    axis = own[-1]
    dims = {each: next(iter(results[each].used_dims())) for each in own}
    extent = op.sizes[dims[axis]]
    block = next((lanes for lanes in (target.lanes, target.lanes // 2) if lanes >= 4 and extent % lanes == 0), 0)
    if not block or extent != shape_of(value)[axis] or not any(dim < op.rank for dim in results[-1].used_dims()):
        return None
    return Image(moving[0], axis, dims[axis], {each: dims[each] for each in own[:-1]}, block)


def _single(op: tensor.ComputeOp) -> set[int]:
    return {dim for dim, size in enumerate(op.sizes) if size == 1}


def _is_own(results: Sequence[AffineExpr], axis: int, op: tensor.ComputeOp) -> bool:
    """Return whether the dimension that indexes this axis is parallel and indexes no other axis."""
    (dim,) = results[axis].used_dims()
    return dim < op.rank and sum(dim in expr.used_dims() for expr in results) == 1


def _cycles(op: tensor.ComputeOp, image: Image, target: Target, constants: frozenset[SSAValue]) -> tuple[float, float]:
    """Estimate the cost of one result of `op` with a copy and without one."""
    now = min(each.cost for each in candidates(op, target, constants) if isinstance(each, Choice))
    ends = STEP + transpose_cost(image.block)
    copied = prod(shape_of(op.reads[image.read])) / prod(op.parallel_sizes)
    return (prod(op.reduction_sizes) + ends + copied * ends) / image.block, now


def _is_short(op: tensor.ComputeOp, image: Image) -> bool:
    """Return whether the rows or the channels are too few for a copy."""
    return interior(op, op.rank - 1) <= image.block // MIN_SHARE or op.rank - 1 == image.dim


def copy_image(op: tensor.ComputeOp, image: Image) -> None:
    """Insert a copy of the image in blocks of channels before `op`, and read it instead."""
    split_dim(op, image.dim, image.block)
    value, access = op.reads[image.read], op.read_accesses[image.read]
    results = [simplify(expr, ranges(op.sizes)) for expr in access.map.data.results]
    shape = [*shape_of(value), image.block]
    shape[image.axis] //= image.block
    source: list[AffineExpr] = [AffineDimExpr(axis) for axis in range(len(results))]
    source[image.axis] = AffineDimExpr(image.axis) * image.block + AffineDimExpr(len(results))
    source = [AffineConstantExpr(0) if size == 1 and axis < image.axis else source[axis] for axis, size in _axes(value)]
    copy = copy_of(shape, (value, tensor.AccessAttr.of(AffineMap(len(shape), 0, tuple(source)))))
    copy.res[0].name_hint = f"{value.name_hint or 'x'}_copy"
    copy.attributes[DIM_NAMES] = StringAttr(" ".join(_names(op, image, len(results))))
    copy_provenance(copy, op)
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(copy, op)
    results[image.axis] = AffineDimExpr(image.dim)
    reached = AffineMap(len(op.sizes), 0, (*results, AffineDimExpr(image.dim + 1)))
    accesses = list(op.accesses)
    accesses[image.read] = tensor.AccessAttr.of(reached, guarded=access.is_guarded)
    op.properties["accesses"] = ArrayAttr(accesses)
    op.operands[image.read] = copy.res[0]
    walked = [(axis, dim + (dim > image.dim)) for axis, dim in image.before.items()]
    outer = [{copy: axis, op: dim} for axis, dim in walked]
    fuse_in_blocks([copy, op], outer, {copy: image.axis, op: image.dim}, 1)


def _axes(value: SSAValue) -> Sequence[tuple[int, int]]:
    return list(enumerate(shape_of(value)))


def _names(op: tensor.ComputeOp, image: Image, rank: int) -> list[str]:
    """Names for the dimensions of the copy, where dimensions of channels keep their names in `op`."""
    names = dim_names(op)
    behind = "dhw"[-(rank - image.axis - 1) :]
    return [*(f"n{place}" for place in range(image.axis)), names[image.dim], *behind, names[image.dim + 1]]


@frozen
class CacheImagesPass(ModulePass):
    name = "tensor-cache-images"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        with Chooser(given_of(ctx), target) as chooser:
            for each in copy_candidates(op, target, lambda func, constants: _images(func, constants, target)):
                inner, image = each.op, each.operand
                copied, now = _cycles(inner, image, target, each.constants)
                pays = copied < now and not _is_short(inner, image)
                results = prod(inner.parallel_sizes)
                subject = CopiedOperand(each.kernel, each.key, each.nodes, pays, (copied * results, now * results))
                if chooser.choose(ImagesKind(), subject) == COPIED:
                    copy_image(inner, image)


def _images(func: FuncOp, constants: frozenset[SSAValue], target: Target) -> list[tuple[tensor.ComputeOp, Image]]:
    """Return the unscheduled computations of a kernel that slide a window over an image."""
    ops = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp) and op.schedule is None]
    found = [(op, image_of(op, constants, target)) for op in ops]
    return [(op, image) for op, image in found if image is not None]
