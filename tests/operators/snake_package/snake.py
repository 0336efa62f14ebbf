"""A package of somebody else: the operator `x + sin(x) ** 2`."""

from importlib.metadata import EntryPoint

import numpy as np
from xdsl.dialects import math as libm
from xdsl.irdl import operand_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import Pure

from s2s.dialects.graph import FusionKind, HasFusionKind
from s2s.dialects.graph.base import TENSOR, GraphOp, Value, type_of
from s2s.dialects.operation import op_definition
from s2s.passes.graph.lower_to_tensor.compute import aligned, compute, dims
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.passes.operators import register_operator
from s2s.types.dtypes import AnyTensor, Array


@op_definition
class SnakeOp(GraphOp):
    """`y = x + sin(x) ** 2`."""

    name = "snake.snake"
    x = operand_def(TENSOR)
    traits = traits_def(Pure(), HasFusionKind(FusionKind.ELEMENTWISE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value) -> None:
        super().__init__([x])

    def inferred_type(self) -> AnyTensor:
        return type_of(self.x)


def snake(op: SnakeOp, x: Array) -> Array:
    """The meaning in numpy."""
    return x + np.sin(x) ** 2


class LowerSnake(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SnakeOp, rewriter: PatternRewriter) -> None:
        shape = op.y.type.get_shape()

        def formula(s: Scalars, x: Scalar) -> Scalar:
            sine = s.unary(libm.SinOp, x)
            return x + sine * sine

        y = compute(rewriter, op, shape, epilogue=[aligned(op.x, dims(len(shape)))], apply=formula)
        rewriter.replace(op, [], [y])


def register() -> None:
    """What the entry point names."""
    register_operator(SnakeOp, snake, LowerSnake())


POINT = EntryPoint("snake", "snake:register", "s2s.operators")
