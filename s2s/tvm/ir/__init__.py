"""Modules and types, under TVM's names."""

from s2s.tvm.relay.expr import TensorType
from s2s.tvm.relay.module import IRModule
from s2s.tvm.transform import PassContext


def assert_structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> None:
    """Raise a ValueError where two modules, or two things of them, have different texts."""
    if not structural_equal(lhs, rhs):
        raise ValueError(f"the texts differ:\n{lhs}\n{rhs}")


def structural_equal(lhs: object, rhs: object, map_free_vars: bool = False) -> bool:
    """Whether two modules, or two things of them, have the same text."""
    return type(lhs) is type(rhs) and str(lhs) == str(rhs)


__all__ = ["IRModule", "PassContext", "TensorType", "assert_structural_equal", "structural_equal"]
