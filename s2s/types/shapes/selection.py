"""Types of the operators that select elements."""

from xdsl.dialects.builtin import f32, i32

from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes.common import ShapeError, require_bool, result, text


def nonzero(mask: AnyTensor, count: AnyTensor, bound: int) -> AnyTensor:
    """At most `bound` positions in a row of truth values."""
    require_bool("mask", mask)
    if mask.get_num_dims() != 1 or not 0 < bound <= mask.get_shape()[0]:
        raise ShapeError(
            f"mask has shape {text(mask.get_shape())} and bound is {bound}, expected a row of that or more"
        )
    if count != tensor_type(i32, ()):
        raise ShapeError(f"count is {count}, expected one i32")
    return result(i32, [bound])


def non_max_suppression(
    boxes: AnyTensor, scores: AnyTensor, overlap: AnyTensor, least: AnyTensor, most: int
) -> AnyTensor:
    """At most `most` boxes of each image and class."""
    if any(each.element_type != f32 for each in (boxes, scores, overlap, least)):
        raise ShapeError("boxes, scores and their limits are of other types than f32")
    images, sizes = boxes.get_shape(), scores.get_shape()
    if len(images) != 3 or len(sizes) != 3 or images[2] != 4 or sizes[::2] != images[:2]:
        raise ShapeError(f"boxes {text(images)} and scores {text(sizes)}, expected [b, n, 4] and [b, c, n]")
    if overlap.get_shape() or least.get_shape():
        raise ShapeError("the limits of overlaps and scores are no single numbers")
    if most < 1:
        raise ShapeError(f"chooses {most} boxes, expected at least 1")
    return result(i32, [*sizes[:2], most])
