"""The kinds of decisions."""

KINDS = ("schedule",)
"""In the order in which a compilation comes to them."""
