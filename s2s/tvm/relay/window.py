"""Windows of convolutions and poolings as TVM gives them."""

from collections.abc import Sequence

from s2s.errors import InputError
from s2s.tvm.relay.expr import Expr
from s2s.types.shapes.window import CHANNELS_FIRST, CHANNELS_LAST, Layout

Sizes = int | Sequence[int]
LAYOUTS: dict[str, Layout] = {
    "NCW": CHANNELS_FIRST,
    "NCHW": CHANNELS_FIRST,
    "NCDHW": CHANNELS_FIRST,
    "NWC": CHANNELS_LAST,
    "NHWC": CHANNELS_LAST,
    "NDHWC": CHANNELS_LAST,
}


def layout_of(where: str, layout: str) -> Layout:
    """Return where a layout of TVM has its channels."""
    if layout not in LAYOUTS:
        raise InputError(f"relay.nn.{where}: layout {layout} is not known; give {', '.join(LAYOUTS)}")
    return LAYOUTS[layout]


def sizes_of(where: str, value: Sizes, count: int) -> list[int]:
    """Return one number for each dimension of a window; `where` names the argument in errors."""
    sizes = [value] if isinstance(value, int) else list(value)
    if len(sizes) not in (1, count):
        raise InputError(
            f"relay.{where}: {sizes} are too few or too many; give one number, or one for each of {count} dimensions"
        )
    return sizes if len(sizes) == count else sizes * count


def pads_of(where: str, value: Sizes, count: int) -> list[int]:
    """Padding before each dimension, then after each."""
    if not isinstance(value, int) and len(value) == 2 * count:
        return list(value)
    return 2 * sizes_of(f"{where}: padding", value, count)


def spatial_rank(data: Expr) -> int:
    """Return the number of dimensions of a window."""
    return len(data.shape) - 2
