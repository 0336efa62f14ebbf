"""The kinds of decisions."""

KINDS = ("attention", "fusion", "order", "layout", "row tiles", "algorithm", "schedule", "threads")
"""In the order in which a compilation comes to them."""
