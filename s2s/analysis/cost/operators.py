"""Count the multiply-adds of graph operations."""

from math import prod

from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.types.dtypes import as_tensor_type


def multiply_adds(op: Operation) -> int:
    """Return the multiply-adds of a convolution or a matrix product; 0 for any other operation."""
    match op:
        case graph.ConvOp():
            return prod(_shape(op.y)) * prod(_shape(op.w)[1:])
        case graph.ConvTransposeOp():
            return prod(_shape(op.x)) * prod(_shape(op.w)[1:])
        case graph.MatmulOp():
            return prod(_shape(op.y)) * _shape(op.a)[-2 if op.transpose_a else -1]
        case graph.BlockwiseMatmulOp() | graph.CodebookMatmulOp() | graph.SuperblockMatmulOp():
            return prod(_shape(op.y)) * _shape(op.x)[-1]
        case graph.BlockwiseDotOp() | graph.SuperblockDotOp():
            return prod(_shape(op.y)) * prod(_shape(op.x)[-3:])
        case _:
            return 0


def _shape(value: SSAValue) -> tuple[int, ...]:
    return as_tensor_type(value.type).get_shape()
