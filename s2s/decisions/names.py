"""The kinds of decisions."""

KINDS = (
    "implementation",
    "transposed convolution",
    "pool windows",
    "convolution groups",
    "device",
    "external",
    "operator row tiles",
    "attention",
    "fusion",
    "order",
    "layout",
    "fused rows",
    "row tiles",
    "concatenation",
    "panels",
    "images",
    "algorithm",
    "winograd blocks",
    "schedule",
    "scratch",
    "threads",
    "pools",
    "constants",
)
"""In the order in which a compilation comes to them."""
