"""The kinds of decisions, and what passes that may not run ask about them."""

from typing import Literal

Prefer = Literal["time", "size", "ram"]
"""The figure that a user wants small: cycles, bytes of flash, or bytes of RAM."""

CHANNEL_ORDER = "channel order"
EXTERNAL = "external"
LINE_BUFFERS = "line buffers"
WHOLE = "whole images"
"""The choice to run no operators row by row."""

KINDS = (
    "trees",
    "packed weights",
    "channels",
    "implementation",
    "transposed convolution",
    "pool windows",
    "convolution groups",
    CHANNEL_ORDER,
    "device",
    "weight blocks",
    EXTERNAL,
    LINE_BUFFERS,
    "attention",
    "fusion",
    "order",
    "layout",
    "window slack",
    "fused rows",
    "row tiles",
    "concatenation",
    "panels",
    "images",
    "algorithm",
    "winograd blocks",
    "schedule",
    "scratch",
    "constant bits",
    "constant codes",
    "threads",
    "streams",
    "pool",
    "pools",
    "constants",
    "code",
)
"""In the order in which a compilation comes to them."""
