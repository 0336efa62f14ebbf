"""Names of the attributes of a network's arguments."""

ROLE = "role"
"""Attribute of an argument of a network: `"output"`, `"input"` or, for `main`, `"state"`."""
SHAPE = "shape"
"""Attribute of an argument of a network: the shape of the tensor in the buffer."""
