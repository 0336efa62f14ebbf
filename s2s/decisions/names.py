"""The kinds of decisions."""

KINDS = ("layout", "algorithm", "schedule")
"""In the order in which a compilation comes to them."""
