"""Merge a chain of multiplications and additions by constants into one multiplication and one addition.

    %a = graph.mul %x, %s : …
    %b = graph.add %a, %t : …
    %c = graph.mul %b, %u : …
    %y = graph.add %c, %v : …
->
    %a = graph.mul %x, %su : …        // s * u
    %y = graph.add %a, %tuv : …       // t * u + v

Networks converted from Caffe have such chains: a normalisation and a scale are separate layers there. Constants are
combined in f64 and rounded once. A division by a constant becomes a multiplication by its reciprocal, which is cheaper,
where the result only reaches smooth functions.

Declined when a value in between has another use, when the combined constant would be larger than both, and for elements
that are not floats; for a division whose quotient may be rounded or compared, where the last bit can matter.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import is_finite, map_lazily, round_to, widened
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.graph.linear_layers import constant_operand
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array, as_tensor_type, is_float, to_numpy
from s2s.types.weights import WeightStore


class Step(NamedTuple):
    """`op` combines `value` with `constant`, here in f64."""

    op: Operation
    value: SSAValue
    constant: Array


def step_of(op: object, store: WeightStore) -> Step | None:
    """`op` as an addition or multiplication of a float constant; None if it is none, or changes its operand's type."""
    if not isinstance(op, graph.AddOp | graph.MulOp) or not is_float(as_tensor_type(op.y.type).element_type):
        return None
    for value in op.operands:
        constant = constant_operand(op, value, store)
        if constant is not None:
            return Step(op, value, widened(constant))
    return None


class ConstantAfterConstant(WeightPattern):
    """Two steps in a row: steps of one kind are merged, a multiplication is moved before an addition."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.AddOp | graph.MulOp, rewriter: PatternRewriter) -> None:
        outer = step_of(op, self.store)
        inner = step_of(outer.value.owner, self.store) if outer is not None else None
        if outer is None or inner is None or not outer.value.has_one_use():
            return
        scales = isinstance(op, graph.MulOp)
        if not scales and isinstance(inner.op, graph.MulOp):
            return
        combined = self._combine(np.multiply if scales else np.add, inner.constant, outer.constant, op)
        if combined is None:
            return
        if type(inner.op) is type(op):
            self._replace(op, inner, type(op), combined, rewriter)
            return
        scaled = graph.MulOp(inner.value, next(x for x in op.operands if x is not outer.value))
        copy_provenance(scaled, op)
        rewriter.insert(scaled)
        self._replace(op, Step(inner.op, scaled.y, combined), graph.AddOp, combined, rewriter)

    def _combine(self, function: Callable[..., Array], a: Array, b: Array, op: Operation) -> Array | None:
        """The constant of both steps in the type of the result, if it is finite and not larger than either."""
        if np.broadcast_shapes(a.shape, b.shape) not in (a.shape, b.shape):
            return None
        combined = round_to(map_lazily(function, a, b), to_numpy(as_tensor_type(op.results[0].type).element_type))
        return combined if is_finite(combined) else None

    def _replace(
        self,
        op: graph.AddOp | graph.MulOp,
        inner: Step,
        make: type[graph.AddOp] | type[graph.MulOp],
        constant: Array,
        rewriter: PatternRewriter,
    ) -> None:
        """Replace `op` by one step on the operand of the inner step."""
        known = rewriter.insert(new_constant(constant, name_for(inner.op, "constant"), self.store))
        made = make(inner.value, known.y)
        copy_provenance(made, inner.op, op)
        rewriter.replace(op, made)


SMOOTH = (graph.ErfOp, graph.ExpOp, graph.TanhOp, graph.SigmoidOp, graph.SoftmaxOp, graph.LogSoftmaxOp)
"""Functions that do not amplify a relative error in the last place."""
PASSED_ON = (graph.AddOp, graph.SubOp, graph.MulOp, graph.SelectOp, graph.ReshapeOp, graph.TransposeOp)
MAX_STEPS = 4
"""Maximum number of operations before a smooth function."""


def _only_smooth(op: Operation, steps: int = MAX_STEPS) -> bool:
    """Return whether each use of `op` leads to a smooth function, after at most `steps` operations that pass values
    on."""
    users = [use.operation for result in op.results for use in result.uses]
    return bool(users) and all(
        isinstance(user, SMOOTH) or (steps > 0 and isinstance(user, PASSED_ON) and _only_smooth(user, steps - 1))
        for user in users
    )


class DivisionByConstant(WeightPattern):
    """`x / c` -> `x * (1 / c)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DivOp, rewriter: PatternRewriter) -> None:
        element = as_tensor_type(op.y.type).element_type
        divisor = constant_operand(op, op.a, self.store) if is_float(element) else None
        if divisor is None or not _only_smooth(op):
            return
        with np.errstate(all="ignore"):
            factor = round_to(map_lazily(np.reciprocal, widened(divisor)), to_numpy(element))
        if not is_finite(factor):
            return
        known = rewriter.insert(new_constant(factor, name_for(op, "factor"), self.store))
        made = graph.MulOp(op.a, known.y)
        copy_provenance(made, op)
        rewriter.replace(op, made)


class CanonicalizeAffinePass(ModulePass):
    """Merge multiplications and additions by constants."""

    name = "graph-canonicalize-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DivisionByConstant(weights_of(ctx)), ConstantAfterConstant(weights_of(ctx)))
