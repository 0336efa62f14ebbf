"""What the operations of a kernel count towards the bound of a step.

    acc = acc + x * w       1 of `macs`       about 3 cycles: a load, a multiply-add, what is around it
    y = store(clip(acc))    1 of `macs`       about 9 cycles

A multiply-add and an element that is stored count as one of `macs`. Cycles are the operations of the IR times what the
C compilers make of an operation at most: of all kernels of MLPerf Tiny and of LSTMs on a Cortex-M4 none takes more.
"""

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from s2s.analysis.cost.loops import FUNCTION, OPERATIONS, Prices
from s2s.dialects import loop
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.hints import isa
from s2s.types.steps import StepBound

_PRODUCTS = (arith.MuliOp, arith.MulfOp, loop.FmaOp, math.FmaOp)


@frozen
class StepPrices:
    """What a step counts."""

    inside: Prices
    """The operations of kernels."""
    call: int
    """A call of a kernel."""
    element: int
    """An element that a network copies."""
    step: int
    """A step beside what it calls."""


def _macs(op: Operation) -> int:
    match op:
        case loop.IntrinsicOp():
            return op.intrinsic.steps * _lanes(op.result.type)
        case loop.IntrinsicRowsOp():
            return op.steps.value.data * op.lanes
        case loop.StoreOp():
            return _lanes(op.value.type)
        case loop.WorkInterface():
            return op.work
        case _ if isinstance(op, _PRODUCTS):
            return _lanes(op.results[0].type)
        case loop.AccessInterface() if not op.results:
            return 1
        case _:
            return FUNCTION * _lanes(op.results[0].type) if op.name.startswith(math.Math.name) else 0


def _lanes(type: Attribute) -> int:
    return type.get_shape()[0] if isa(type, VectorType) else 1


_OPERATION, _TURN, _FUNCTION, _COPY, _COPIED = 3, 4, 150, 20, 6
"""Cycles of a Cortex-M4 for an operation, a turn of a loop, a function of the C library, a copy that extends bytes, and
an element of one."""


def _cycles(op: Operation) -> int:
    if isinstance(op, loop.CacheReadOp):
        return _COPY + _COPIED * op.work
    if op.name.startswith(math.Math.name):
        return _FUNCTION
    return _OPERATION * OPERATIONS.of(op)


MACS = StepPrices(Prices(_macs), call=0, element=1, step=0)
CYCLES: Mapping[str, StepPrices] = {
    "cortex-m4": StepPrices(Prices(_cycles, _TURN), call=40, element=1, step=60),
}
"""By the core, if its cycles have been compared with the model."""


def prices_of(bound: StepBound, core: str) -> StepPrices:
    """Return what steps count in the unit of `bound`. Raises `InputError` if there is no model of the core's cycles."""
    if bound.unit == "macs":
        return MACS
    if core not in CYCLES:
        cores = ", ".join(CYCLES)
        raise InputError(
            f"--steps {bound}: cycles of steps are known for {cores}, not for {core}; give multiply-adds, as in "
            "--steps 50000macs"
        )
    return CYCLES[core]


__all__ = ["StepPrices", "prices_of"]
