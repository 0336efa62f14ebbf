"""Tensors seen through reshapes, which move no bytes."""

from xdsl.ir import SSAValue

from s2s.dialects import graph


def root_of(value: SSAValue) -> SSAValue:
    """The tensor that `value` is, seen through reshapes."""
    while isinstance(value.owner, graph.ReshapeOp):
        value = value.owner.x
    return value
