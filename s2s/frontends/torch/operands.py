"""Operands of elementwise operators in one element type."""

from collections.abc import Sequence

from s2s.frontends.builder import Scalar, Value
from s2s.frontends.formulas import cast
from s2s.frontends.torch.dtypes import Number, common_dtype
from s2s.frontends.torch.node import Node
from s2s.types.dtypes import from_numpy


def typed(node: Node, operand: Value | Scalar, dtype: Number) -> Value:
    """A tensor or number as a tensor of `dtype`."""
    return cast(operand, dtype) if isinstance(operand, Value) else node.builder.scalar(operand, from_numpy(dtype))


def together(node: Node, names: Sequence[str]) -> list[Value]:
    """The arguments `names`, tensors or numbers, in the type that they have in common."""
    found = [node.operand(name) for name in names]
    dtype = common_dtype(found)
    return [typed(node, operand, dtype) for operand in found]


def as_result(node: Node, name: str = "self") -> Value:
    """A tensor in the type of the result: an integer's square root is a float."""
    return cast(node.value(name), node.result_dtype())
