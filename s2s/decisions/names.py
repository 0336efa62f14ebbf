"""The kinds of decisions."""

KINDS = (
    "attention",
    "fusion",
    "order",
    "layout",
    "fused rows",
    "row tiles",
    "panels",
    "images",
    "algorithm",
    "schedule",
    "threads",
)
"""In the order in which a compilation comes to them."""
