"""What the operations of a kernel count towards the bound of a step.

    acc = acc + x * w       1 of `macs`       about 3 cycles: a load, a multiply-add, what is around it
    y = store(clip(acc))    1 of `macs`       about 9 cycles

A multiply-add and an element that is stored count as one of `macs`. Cycles are the operations of the IR times what the
C compilers make of an operation at most: of all kernels of MLPerf Tiny, of LSTMs, of decoders and of random networks
none takes more. Of a Cortex-M4 each kind of operation has a price, fitted to the cycles of these kernels.
"""

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineConstantExpr

from s2s.analysis.cost.loops import FUNCTION, OPERATIONS, Prices
from s2s.dialects import loop, tensor
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.dtypes import size_in_bytes
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


@frozen
class _Core:
    """Cycles of a core, with what its C compiler makes of an operation at most."""

    operation: int = 3
    """An operation of integers, a load or a store, and of floats where the core computes with them."""
    turn: int = 4
    """A turn of a loop."""
    function: int = 150
    """A function of the C library."""
    floats: int | None = None
    """An operation of floats by a routine of the C compiler's library; None if the core has it."""
    quotient: int = 0
    """A division of floats by such a routine."""
    wide: int = 3
    """An operation of integers of 64 bits."""
    copy: int = 20
    """A copy that extends bytes."""
    copied: int = 6
    """An element of one."""

    entry: int = 0
    """What a loop takes before its first turn."""
    unrolled: int | None = None
    """A turn of a loop that the C compiler unrolls; None if it is the same."""

    def cycles(self, op: Operation) -> int:
        if isinstance(op, loop.CacheReadOp):
            return self.copy + self.copied * op.work
        if op.name.startswith(math.Math.name):
            return self._call(op)
        return self._price(op) * OPERATIONS.of(op)

    def _call(self, op: Operation) -> int:
        return self.function

    def _price(self, op: Operation) -> int:
        elements = {_element(value.type) for value in (*op.operands, *op.results)}
        if op.name.startswith(_ARITHMETIC) and any(map(_is_wide, elements)):
            return self.wide
        if self.floats is None or not any(isinstance(element, AnyFloat) for element in elements):
            return self.operation
        if isinstance(op, arith.DivfOp):
            return self.quotient
        return self.floats if op.name.startswith(_ARITHMETIC) or isinstance(op, _PRODUCTS) else self.operation

    def prices(self, call: int, step: int) -> StepPrices:
        return StepPrices(Prices(self.cycles, self.turn, self.entry, self.unrolled), call, element=1, step=step)


class _CortexM4(_Core):
    """A core with an FPU for single floats and products of pairs of 16 bits, kind of operation by kind of operation."""

    def cycles(self, op: Operation) -> int:
        if isinstance(op, loop.CacheReadOp) and op.pairs is not None:  # a function, and others of its borders
            return 70 + 3 * op.work
        limits = op.map.data.results[2:] if isinstance(op, loop.CacheReadOp) else ()
        if isinstance(op, loop.CacheReadOp) and limits:  # zeros, or a function for the borders of a range
            zeros = limits == (AffineConstantExpr(0),) * 2
            return self.copy + 3 * op.work if zeros else 3 * self.copy + self.copied * op.work
        return super().cycles(op)

    def _call(self, op: Operation) -> int:
        match op:
            case math.AbsFOp() | math.AbsIOp() | math.CountLeadingZerosOp() | math.FmaOp() | math.CopySignOp():
                return self.operation
            case math.SqrtOp():
                return 20
            case math.ExpOp():
                return 130
            case _:
                return self.function

    def _price(self, op: Operation) -> int:
        match op:
            case loop.IntrinsicOp():  # two multiply-adds an instruction
                return max(1, op.intrinsic.steps // 2)
            case tensor.RescaleOp():
                return 25 if _is_wide(_element(op.x.type)) else _RESCALES.get(op.rounding.data, 14)
            case loop.AccessInterface():
                return self._access(op)
            case arith.DivfOp():
                return 17
            case _ if isinstance(op, _CHOICES):
                return 11 if isinstance(_element(op.results[0].type), AnyFloat) else 2
            case arith.DivSIOp() | arith.DivUIOp() | arith.RemSIOp() | arith.RemUIOp():
                return 150 if _is_wide(_element(op.result.type)) else 15
            case _ if op.name.startswith(_ARITHMETIC):
                return self._arithmetic(op)
            case _:
                return _PRICES.get(type(op), self.operation)

    def _arithmetic(self, op: Operation) -> int:
        elements = {_element(value.type) for value in (*op.operands, *op.results)}
        if any(map(_is_wide, elements)):
            return 4
        if isinstance(op, arith.ExtSIOp | arith.ExtUIOp) and isinstance(op.input.owner, loop.AccessInterface):
            return 0  # the load extends
        if isinstance(op, arith.MulfOp | arith.NegfOp) or not any(
            isinstance(element, AnyFloat) for element in elements
        ):
            return 1
        return self.operation

    def _access(self, op: Operation) -> int:
        """A load or a store of a number, or of two words."""
        if isinstance(op, loop.StoreOp):
            return 3
        type = op.results[0].type if op.results else None
        is_wide = type is not None and _lanes(type) * size_in_bytes(_element(type)) > _WORD
        return 3 if is_wide else 2


_ARITHMETIC = f"{arith.Arith.name}."
_WORD = 4
"""Bytes of a register."""
_EXTREMES = arith.MaximumfOp, arith.MinimumfOp, arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp
_CHOICES = (*_EXTREMES, arith.SelectOp)
"""Comparisons: of floats the flags go to the core, and it branches."""
_RESCALES: Mapping[str, int] = {"upward": 5, "negative": 7}
"""The short roundings."""
_PRICES: Mapping[type[Operation], int] = {loop.PairsOp: 2, tensor.SaturateOp: 2, tensor.ExpNonpositiveOp: 45}


def _element(type: Attribute) -> Attribute:
    return type.get_element_type() if isa(type, VectorType) else type


def _is_wide(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.bitwidth > 32


_SOFT_M3 = _Core(function=2000, floats=75, quotient=250, copied=10)
_SOFT_M0 = _Core(operation=7, turn=8, function=5000, floats=170, quotient=600, wide=60, copy=40, copied=12)
MACS = StepPrices(Prices(_macs), call=0, element=1, step=0)
CYCLES: Mapping[str, StepPrices] = {
    "cortex-m0": _SOFT_M0.prices(call=60, step=100),
    "cortex-m3": _SOFT_M3.prices(call=40, step=60),
    "cortex-m4": _CortexM4(function=235, turn=6, entry=12, unrolled=3, copied=4).prices(call=60, step=100),
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
