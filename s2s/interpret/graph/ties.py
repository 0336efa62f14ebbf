"""Find values that a network rounds to integers and that float errors decide: values near a tie.

A dynamically quantised layer rounds floats that are computed at run time. A compiler may order or contract their
operations otherwise, so that each lies within a few units in the last place of its value here. Where that reaches
beyond a tie, the rounded value is one step off, and all that follows from it:

    size = 62.499996, five operations deep, the largest of its tensor is 127
    error = 5 * 127 * 2^-24 = 3.8e-5        62.5 - 3.8e-5 < size: near a tie
    size = 62.4: is rounded to 62 by every compiler

`NearTies` counts these values while a network runs, and can move them to one side of their tie, or one of them to the
other side. A value is counted where it is rounded to even (`graph.round`), and where the fraction behind `graph.floor`
is compared with a half.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.interfaces import ProductInterface
from s2s.dialects.graph.traits import FusionKind, fusion_kind
from s2s.dialects.walk import walk
from s2s.interpret.graph.run import Evaluator
from s2s.types.dtypes import Array, as_tensor_type, is_float

HALF = 0.5
UNIT = 2.0**-24
"""The relative error of one operation on floats of 32 bits."""
FUNCTION = 4.0
"""What an exponential or another function adds to an error, in units."""
EXACT = (
    *(graph.AbsOp, graph.NegOp, graph.ClampOp, graph.MaximumOp, graph.MinimumOp, graph.SelectOp, graph.ReduceMaxOp),
    *(graph.CastOp, graph.ReduceMinOp, graph.MaxPoolOp, graph.FloorOp, graph.RoundOp, graph.LessOp, graph.EqualOp),
)
"""Operations whose results are exact where their operands are."""
_FUNCTIONS = (graph.ExpOp, graph.LogOp, graph.TanhOp, graph.SigmoidOp, graph.SoftmaxOp, graph.ErfOp, graph.PowOp)


def rounds_floats(root: Operation) -> bool:
    """Whether a network rounds floats that it computes."""
    return any(isinstance(op, graph.RoundOp) or _fraction(op) is not None for op in walk(root))


def _fraction(op: Operation) -> graph.SubOp | None:
    """Return the operation that computes the fraction which `op` compares with a half, if it does."""
    if not isinstance(op, graph.LessOp) or not isinstance(op.a.owner, graph.SubOp):
        return None
    floor = op.a.owner.b.owner
    return op.a.owner if isinstance(floor, graph.FloorOp) and floor.x == op.a.owner.a else None


@dataclass
class NearTies:
    """An evaluator of operations that counts values near a tie, and rounds these to one side if `side` names it."""

    evaluate: Evaluator
    side: Literal["as they are", "down", "up"] = "as they are"
    moved: int | None = None
    """The number of the one value that goes to the other side of its tie, in the order of execution."""
    also: Callable[[Operation], float] | None = None
    """What else a result of an operation may be off by, beside float errors."""
    count: int = 0
    errors: dict[SSAValue, float] = field(default_factory=dict[SSAValue, float])
    """The error of each value in units of the largest of its tensor; values without an entry are exact."""
    bounds: dict[SSAValue, float] = field(default_factory=dict[SSAValue, float])
    """The error of each value that `graph.floor` has taken."""

    def __call__(self, op: Operation, operands: Sequence[Array]) -> list[Array]:
        """Evaluate `op`."""
        error = max(map(self._error, op.operands), default=0.0)
        given = list(operands)
        if isinstance(op, graph.RoundOp):
            if error > 1:
                given[0] = self._to_one_side(given[0], given[0] - np.floor(given[0]), _bound(error, given[0]))
            error = 0.0
        elif isinstance(op, graph.FloorOp) and error > 1:
            self.bounds[op.x] = _bound(error, given[0])
        elif (fraction := _fraction(op)) is not None and (bound := self.bounds.get(fraction.a)) is not None:
            given[0] = self._to_one_side(given[0], given[0], bound)
            error = 0.0
        results = self.evaluate(op, given)
        added = error + _added(op) + self._more(op, results)
        for result in op.results:
            if added and is_float(as_tensor_type(result.type).element_type):
                self.errors[result] = added
        return results

    def _more(self, op: Operation, results: Sequence[Array]) -> float:
        """Return what `also` says of `op`, in units of the largest of its result."""
        more = 0.0 if self.also is None else self.also(op)
        largest = _bound(1.0, results[0]) if more else 0.0
        return more / largest if largest else 0.0

    def _error(self, value: SSAValue) -> float:
        """Return the error of a value; what bodies carry from step to step comes from functions."""
        if value in self.errors or not isinstance(value, BlockArgument):
            return self.errors.get(value, 0.0)
        function = value.block.parent_op()
        is_input = isinstance(function, FuncOp) and function.sym_name.data == "main"
        return 0.0 if is_input or not is_float(as_tensor_type(value.type).element_type) else FUNCTION

    def _to_one_side(self, x: Array, fraction: Array, bound: float) -> Array:
        """Count what lies near a tie, and move it to one side of it."""
        near = np.abs(fraction - HALF) <= bound
        first, self.count = self.count, self.count + int(near.sum())
        if self.moved is not None and first <= self.moved < self.count:
            moved = np.flatnonzero(near)[self.moved - first]
            away = np.zeros(x.size, x.dtype)
            away[moved] = 2 * bound if fraction.flat[moved] <= HALF else -2 * bound
            return x + away.reshape(x.shape)
        if self.side == "as they are":
            return x
        step = np.asarray(2 * bound if self.side == "up" else -2 * bound, x.dtype)
        return np.where(near, x + step, x)


def _bound(error: float, x: Array) -> float:
    finite = np.abs(x[np.isfinite(x)])
    return error * UNIT * float(finite.max(initial=0.0))


def _added(op: Operation) -> float:
    """Return what an operation adds to the error of its operands, in units: sums of n terms the root of n."""
    if isinstance(op, EXACT) or fusion_kind(op) == FusionKind.INJECTIVE:
        return 0.0
    if isinstance(op, _FUNCTIONS):
        return FUNCTION
    terms = op.terms if isinstance(op, ProductInterface) else _uses(op)
    return 1.0 + sqrt(max(terms, 1.0)) if terms > 1 else 1.0


def _uses(op: Operation) -> float:
    """Return how many elements of an operand there are for one of the result."""
    elements = as_tensor_type(op.results[0].type).element_count() or 1
    return max((as_tensor_type(each.type).element_count() / elements for each in op.operands), default=1.0)
