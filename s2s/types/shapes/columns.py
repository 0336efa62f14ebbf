"""Type of the sum of the patches of an image."""

from collections.abc import Sequence

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import (
    ShapeError,
    require_at_least,
    require_length,
    require_number,
    result,
    text,
)


def sum_patches(
    x: AnyTensor, sizes: Sequence[int], strides: Sequence[int], low: Sequence[int], dilations: Sequence[int]
) -> AnyTensor:
    """`x[N, C, k…, p…]` gives `y[N, C, …]` of these sizes."""
    require_number("x", x)
    shape, rank = x.get_shape(), len(sizes)
    if rank < 1 or len(shape) != 2 + 2 * rank:
        raise ShapeError(f"x of shape {text(shape)} holds no patches of {rank} dimensions")
    for name, values, least in (
        ("sizes", sizes, 1),
        ("strides", strides, 1),
        ("low", low, 0),
        ("dilations", dilations, 1),
    ):
        require_length(name, values, rank)
        require_at_least(name, values, least)
    return result(x.element_type, [*shape[:2], *sizes])
