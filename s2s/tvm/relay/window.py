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


def sizes_of(value: Sizes, count: int) -> list[int]:
    """Return one number for each dimension of a window."""
    given = [value] if isinstance(value, int) else list(value)
    return given * count if len(given) == 1 else given


def pads_of(value: Sizes, count: int) -> list[int]:
    """Padding before each dimension, then after each."""
    pads = sizes_of(value, count)
    return [*pads, *pads] if len(pads) == count else pads


def spatial_rank(data: Expr) -> int:
    """Return the number of dimensions of a window."""
    return len(data.shape) - 2
