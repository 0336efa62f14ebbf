"""Parse the comment on a kernel call: the shape of its result and its source nodes."""

import re

from s2s.dialects import c

_SHAPE = re.compile(r"(?:\[\d+\])+(?= |$)")


def nodes_of(call: c.CallOp) -> str:
    """Return the source nodes in the comment on a call."""
    return _told(call)[len(shape_of(call)) :].lstrip()


def shape_of(call: c.CallOp) -> str:
    """Return the result shape in the comment on a call: `[25][5][64]`."""
    found = _SHAPE.match(_told(call))
    return found[0] if found else ""


def _told(call: c.CallOp) -> str:
    return call.comment.data if call.comment else ""
