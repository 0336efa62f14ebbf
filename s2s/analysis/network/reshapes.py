"""Trace tensors back through reshapes, which move no bytes."""

from xdsl.ir import SSAValue

from s2s.dialects import graph


def root_of(value: SSAValue) -> SSAValue:
    """Return the tensor whose bytes `value` shares: its source behind all reshapes."""
    while isinstance(value.owner, graph.ReshapeOp):
        value = value.owner.x
    return value
