"""The kinds of decisions."""

KINDS = (
    "transposed convolution",
    "convolution groups",
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
    "threads",
    "constants",
)
"""In the order in which a compilation comes to them."""
