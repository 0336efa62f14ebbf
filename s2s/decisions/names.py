"""The kinds of decisions, and what passes that may not run ask about them."""

EXTERNAL = "external"
ROW_TILES = "operator row tiles"
WHOLE = "whole images"
"""The choice to compute no operators in row tiles."""

KINDS = (
    "trees",
    "packed weights",
    "channels",
    "implementation",
    "transposed convolution",
    "pool windows",
    "convolution groups",
    "device",
    "weight blocks",
    EXTERNAL,
    ROW_TILES,
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
