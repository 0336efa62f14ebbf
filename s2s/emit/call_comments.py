"""What the comment on a call of a kernel says: the shape of its result, and the nodes of the model that it computes."""

import re

from s2s.dialects import c

_SHAPE = re.compile(r"(?:\[\d+\])+(?= |$)")


def nodes_of(call: c.CallOp) -> str:
    """The nodes of the model that the comment on a call names."""
    return _told(call)[len(shape_of(call)) :].lstrip()


def shape_of(call: c.CallOp) -> str:
    """What the comment on a call says comes out of it: `[25][5][64]`."""
    found = _SHAPE.match(_told(call))
    return found[0] if found else ""


def _told(call: c.CallOp) -> str:
    return call.comment.data if call.comment else ""
