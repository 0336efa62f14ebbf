"""Convert the image and the result of a convolution to channels-last layout by copies inside its kernel.

    tensor.compute [oc, oh, ow | ic, kh, kw] reads(%x at (ic, oh + kh - 1, ow + kw - 1), …)
->
    %c = tensor.compute [h, w, c] epilogue(%x at (c, h, w))
    %z = tensor.compute [oh, ow, oc | ic, kh, kw] reads(%c at (oh + kh - 1, ow + kw - 1, ic), …)
    %y = tensor.compute [oc, oh, ow] epilogue(%z at (oh, ow, oc))

Tensors between kernels are in blocks of channels already; this is for inputs and outputs in the layout of the model.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.convolutions import Convolution
from s2s.dialects import tensor
from s2s.dialects.graph.traits import copy_provenance
from s2s.passes.tensor.permute import permuted
from s2s.types.dtypes import tensor_type


def needs_copies(conv: Convolution) -> tuple[bool, bool]:
    """Return whether image and result need a copy: each has one channel dimension that is not contiguous."""
    image, result = moves(conv.op, conv.in_dims[-1]).reads[conv.x], moves(conv.op, conv.out_dims[-1]).result
    return len(conv.in_dims) == 1 and image != 1, len(conv.out_dims) == 1 and result != 1


def copied_elements(conv: Convolution) -> int:
    """Return the number of elements that the copies have."""
    of_image, of_result = needs_copies(conv)
    return of_image * prod(shape_of(conv.image)) + of_result * prod(conv.op.parallel_sizes)


def channels_last(conv: Convolution) -> tensor.ComputeOp:
    """Replace the convolution by one on channels-last copies, where it needs them; return the new one."""
    op = conv.op
    of_image, of_result = needs_copies(conv)
    if of_image:
        _copy_image(conv)
    if not of_result:
        return op
    (channel,) = conv.out_dims
    order = [*(dim for dim in range(op.rank) if dim != channel), channel]
    sizes = tuple(op.sizes[dim] for dim in order)
    made = permuted(op, order, [tensor_type(tensor.element_type(op.res[0]), sizes)])
    back = _copy(made.res[0], [order.index(dim) for dim in range(op.rank)], shape_of(op.res[0]))
    made.res[0].name_hint, back.res[0].name_hint = "z", op.res[0].name_hint
    copy_provenance(back, op)
    Rewriter.insert_op([made, back], InsertPoint.before(op))
    Rewriter.replace_op(op, [], [back.res[0]])
    return made


def _copy_image(conv: Convolution) -> None:
    op, image = conv.op, conv.image
    results = op.read_accesses[conv.x].map.data.results
    (dim,) = conv.in_dims
    channel = next(axis for axis, expr in enumerate(results) if dim in expr.used_dims())
    axes = [*(axis for axis in range(len(results)) if axis != channel), channel]
    copy = _copy(image, axes)
    copy.res[0].name_hint = image.name_hint
    copy_provenance(copy, op)
    Rewriter.insert_op(copy, InsertPoint.before(op))
    access = op.read_accesses[conv.x]
    moved = AffineMap(len(op.sizes), 0, tuple(results[axis] for axis in axes))
    accesses = list(op.accesses)
    accesses[conv.x] = tensor.AccessAttr.of(moved, guarded=access.is_guarded)
    op.properties["accesses"] = ArrayAttr(accesses)
    op.operands[conv.x] = copy.res[0]


def _copy(value: SSAValue, axes: Sequence[int], shape: tuple[int, ...] | None = None) -> tensor.ComputeOp:
    """Copy `value` with its axes permuted; `shape` is the shape of the result where it has additional axes of size
    one."""
    old = shape_of(value)
    sizes = tuple(old[axis] for axis in axes)
    source: list[AffineExpr] = [AffineDimExpr(axes.index(axis)) for axis in range(len(old))]
    element = tensor.element_type(value)
    block = Block(arg_types=[element])
    block.add_op(tensor.YieldOp(block.args[0]))
    return tensor.ComputeOp(
        sizes,
        [],
        epilogue=[(value, tensor.AccessAttr.of(AffineMap(len(axes), 0, tuple(source))))],
        reduce=None,
        apply=Region(block),
        result_types=[tensor_type(element, shape or sizes)],
    )
