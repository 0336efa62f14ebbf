"""Types of the operations that pool regions of images."""

from collections.abc import Sequence

from xdsl.dialects.builtin import f32, f64, i32

from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes.common import ShapeError, require_same_element, result, text


def _check_images(image: AnyTensor, batch: AnyTensor) -> int:
    """Refuse operands that are no images and no numbers of images; return how many regions there are."""
    if image.element_type not in (f32, f64) or image.get_num_dims() != 4:
        raise ShapeError(f"images are {image}, expected [n, h, w, c] of f32 or f64")
    if batch.element_type != i32 or batch.get_num_dims() != 1:
        raise ShapeError(f"numbers of images are {batch}, expected a row of i32")
    return batch.get_shape()[0]


def roi_align(
    image: AnyTensor,
    batch: AnyTensor,
    places: Sequence[AnyTensor],
    sizes: AnyTensor,
    bins: tuple[int, int],
    ratio: int,
) -> AnyTensor:
    """Bins of regions; `places` are the types of the starts and of the sizes of bins."""
    count = _check_images(image, batch)
    require_same_element(image, *places)
    for each in places:
        if each.get_shape() != (count, 2):
            raise ShapeError(f"places have shape {text(each.get_shape())}, expected {text([count, 2])}")
    if sizes != tensor_type(i32, (2,)):
        raise ShapeError(f"sizes are {sizes}, expected two i32")
    if min(bins) < 1 or ratio < 0:
        raise ShapeError(
            f"{bins[0]} x {bins[1]} bins of {ratio} samples, expected at least one bin, and no less than 0"
        )
    return result(image.element_type, [count, *bins, image.get_shape()[3]])


def max_regions(image: AnyTensor, batch: AnyTensor, high: AnyTensor, wide: AnyTensor) -> AnyTensor:
    """Bins of regions; `high` and `wide` are the first row and column of each and the one behind the last."""
    count = _check_images(image, batch)
    for each in (high, wide):
        shape = each.get_shape()
        if each.element_type != i32 or len(shape) != 3 or shape[0] != count or shape[2] != 2:
            raise ShapeError(f"ends of bins are {each}, expected [{count}, n, 2] of i32")
    return result(image.element_type, [count, high.get_shape()[1], wide.get_shape()[1], image.get_shape()[3]])
