"""The operations that the formulas of a schedule do."""

from math import prod

from s2s.errors import InputError
from s2s.tvm.te.expressions import Binary, Expr, IterVar, PlaceholderOp, Read, Select
from s2s.tvm.te.operations import ComputeOp, Reduce, items_of
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.sizes import size_of


class FlopCalculationError(InputError, RuntimeError):
    """The operations of a schedule cannot be counted."""


def compute_flop(sch: Schedule) -> int:
    """The operations of all formulas of a schedule: each sign at each point, but the ones of indices."""
    total = 0
    for stage in sch.stages:
        op = stage.op
        if isinstance(op, PlaceholderOp):
            continue
        if not isinstance(op, ComputeOp) or len(items_of(op.formula)) > 1:
            raise FlopCalculationError(f"compute_flop: {op.name} is no formula of one tensor; call cfg.add_flop")
        total += _points(op.axis) * _count(op.formula)
    if total == 0:
        raise FlopCalculationError("compute_flop: the formulas have no operation; call cfg.add_flop")
    return total


def _points(axes: tuple[IterVar, ...]) -> int:
    try:
        return prod(size_of(axis.extent, {}) for axis in axes)
    except InputError as error:
        raise FlopCalculationError(f"compute_flop: {error}") from error


def _count(expr: Expr) -> int:
    """The operations of a formula at one point, and of a reduction at all of its points."""
    match expr:
        case Reduce():
            combined = 1 if expr.reducer is None else _count(expr.reducer.results[0])
            return _points(expr.axes) * (combined + _count(expr.value))
        case Select():
            return _count(expr.condition) + max(_count(expr.true_value), _count(expr.false_value))
        case Read():
            return 0
        case _:
            return int(isinstance(expr, Binary)) + sum(map(_count, expr.operands))


__all__ = ["FlopCalculationError", "compute_flop"]
