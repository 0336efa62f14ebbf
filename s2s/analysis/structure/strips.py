"""Decide whether the iterations of a loop can run side by side, as many at a time as vectors hold at run time.

    for c in 0 to 64: y[c] = saturate(rescale(b[c] + sum over k of x[k] * w[k * 64 + c]))

Values that depend on `c` are *varying*: each becomes a vector with a lane for each iteration. `x[k]` is not; all lanes
share it. Each operation on varying values does for all iterations what the loop does for one, in the same order.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, f32, i8, i16, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.traits import Pure

from s2s.dialects import loop, tensor
from s2s.support.frozen import frozen
from s2s.types.affine import linear_of_dims
from s2s.types.dtypes import scalar_type, vector_of
from s2s.types.hints import isa

ELEMENTS = (i8, i16, i32, f32)
"""Types that lanes have."""
GROUP = vector_of(i8, 4)
"""Bytes of which a lane takes the products at once."""
STORED = (i8, i32, f32)
"""Types of lanes that are stored."""
WORDS = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)
FLOATS = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.MinimumfOp, arith.MaximumfOp)
ROUNDINGS = (*loop.LANE_ROUNDINGS, "single")
WIDENED: Mapping[Attribute, tuple[Attribute, ...]] = {i8: (i16, i32), i16: (i32,)}
"""Types that lanes of bytes and of 16 bits are extended to."""
SHORT = (-(2**15), 2**15 - 1)
"""The range of a factor of 16 bits."""
COMPARISONS = ("sgt", "slt")
"""Comparisons of lanes, of which a choice between lanes is made."""
Interval = tuple[int, int]


@frozen
class Strips:
    """The body of a loop, of which each operation is to run for several iterations at once."""

    around: loop.ForOp

    @cached_property
    def varying(self) -> frozenset[SSAValue]:
        """The values that differ between iterations."""
        varying: set[SSAValue] = set()
        while True:
            before = len(varying)
            for op in self._operations():
                self._spread(op, varying)
            if len(varying) == before:
                return frozenset(varying)

    def _operations(self) -> Iterator[Operation]:
        return (op for op in self.around.body.walk() if op is not self.around)

    def _spread(self, op: Operation, varying: set[SSAValue]) -> None:
        """Add what `op` makes of varying values to the `varying` ones."""
        if isinstance(op, loop.ForOp):
            for init, inner, following, result in zip(
                op.inits, op.carried, _yielded(op.body.block), op.res, strict=True
            ):
                if init in varying or following in varying:
                    varying |= {inner, result}
        elif isinstance(op, loop.IfOp):
            for branch in _branches(op):
                varying.update(
                    result for result, value in zip(op.res, _yielded(branch), strict=True) if value in varying
                )
        elif any(operand in varying or operand is self.around.index for operand in op.operands):
            varying.update(op.results)

    def fault(self) -> str | None:
        """Return why the iterations cannot run side by side; None if they can."""
        around = self.around
        if around.inits or around.step.value.data != 1 or around.kind.data != loop.SERIAL:
            return "it carries values, or takes several elements in one iteration"
        loads = {op.buffer for op in self._operations() if isinstance(op, loop.LoadOp)}
        for op in self._operations():
            if not self._is_uniform(op) and not self._has_form(op):
                return f"{op.name} has no form for several iterations"
            if isinstance(op, loop.StoreOp) and op.buffer in loads:
                return "an iteration may read what another one writes"
        return None

    def _is_uniform(self, op: Operation) -> bool:
        """Return whether an operation does the same in each iteration, and no more than to compute values."""
        if isinstance(op, loop.YieldOp):
            return True
        if any(operand in self.varying or operand is self.around.index for operand in op.operands):
            return False
        return isinstance(op, loop.LoadOp | loop.ForOp) or (not op.regions and op.has_trait(Pure))

    def _has_form(self, op: Operation) -> bool:
        match op:
            case loop.ForOp():
                carried = all(value.type in (i32, f32) for value in op.carried if value in self.varying)
                return carried and op.down is None and op.kind.data == loop.SERIAL and not self._moves(op)
            case loop.IfOp():
                return all(value.type in ELEMENTS for value in op.res) and not self._moves(op)
            case loop.LoadOp():
                stride = self.stride(op)
                known = op.result.type in ELEMENTS or (op.result.type == GROUP and stride == GROUP.get_shape()[0])
                return known and _is_plain(op.buffer) and stride is not None
            case arith.SelectOp():
                return op.cond in self.varying and computes_in_lanes(op)
            case loop.IntrinsicOp():
                return op.intrinsic.form.data == "dot_strips" and op.w in self.varying and op.x not in self.varying
            case loop.StoreOp():
                stored = op.value.type in STORED and _is_plain(op.buffer)
                return stored and op.parent is self.around.body.block and bool(self.stride(op))
            case _:
                return computes_in_lanes(op)

    def _moves(self, op: loop.ForOp | loop.IfOp) -> bool:
        """Return whether the bounds or the condition of `op` differ between iterations."""
        return self.around.index in op.dims

    def stride(self, op: loop.LoadOp | loop.StoreOp) -> int | None:
        """Return how many elements neighbouring iterations are apart in an access: 0 where they share one, None where
        the distance is not the same everywhere."""
        if self.around.index not in op.indices:
            return 0
        form = linear_of_dims(op.map.data.results[0])
        if form is None:
            return None
        places = [number for number, index in enumerate(op.indices) if index is self.around.index]
        return sum(form.terms.get(AffineDimExpr(number), 0) for number in places)

    def is_product(self, op: Operation) -> bool:
        """Return whether `op` is a product that only a sum takes, of factors of 16 bits or of floats: one instruction
        for both."""
        if not isinstance(op, arith.MuliOp | arith.MulfOp) or op.result not in self.varying:
            return False
        uses = list(op.result.uses)
        sums = arith.AddiOp if isinstance(op, arith.MuliOp) else arith.AddfOp
        if len(uses) != 1 or not isinstance(uses[0].operation, sums) or uses[0].operation.parent is not op.parent:
            return False
        return isinstance(op, arith.MulfOp) or all(map(fits_short, op.operands))


def _branches(op: loop.IfOp) -> list[Block]:
    return [op.then.block, *([op.otherwise.block] if op.otherwise is not None else [])]


def _yielded(block: Block) -> Sequence[SSAValue]:
    last = block.last_op
    return last.arguments if isinstance(last, loop.YieldOp) else ()


def computes_in_lanes(op: Operation) -> bool:
    """Return whether an operation on numbers has a form for several iterations at once."""
    types = {value.type for value in (*op.operands, *op.results)}
    match op:
        case tensor.RescaleOp():
            return op.rounding.data in ROUNDINGS
        case tensor.SaturateOp():
            return True
        case tensor.QuantizeOp():
            return op.result.type == i8 and op.maybe_nan is None and op.away is None and op.factors is None
        case arith.ExtSIOp():
            return op.result.type in WIDENED.get(op.input.type, ())
        case arith.TruncIOp() | arith.SIToFPOp():
            return types in ({i32, i8}, {i32, f32})
        case arith.CmpiOp() | arith.SelectOp():
            return _chooses_words(op)
        case arith.DivSIOp():
            return op.lhs.type == i32 and _constant(op.rhs, 0) > 0
        case arith.ShRSIOp():
            return op.lhs.type == i32 and 0 <= _constant(op.rhs, -1) < 32
        case _ if isinstance(op, WORDS):
            return types == {i32}
        case _:
            return isinstance(op, FLOATS) and types == {f32}


def _chooses_words(op: arith.CmpiOp | arith.SelectOp) -> bool:
    """Return whether `op` is a choice between lanes of 32 bits, or the comparison that such a choice is made by."""
    if isinstance(op, arith.SelectOp):
        return isinstance(op.cond.owner, arith.CmpiOp) and op.result.type == i32
    chosen = all(isinstance(use.operation, arith.SelectOp) and use.index == 0 for use in op.result.uses)
    return chosen and comparison(op) in COMPARISONS and op.lhs.type == i32


def comparison(op: arith.CmpiOp) -> str:
    """Return the name of a comparison, such as `sgt`."""
    return arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]


def _is_plain(buffer: SSAValue) -> bool:
    """Return whether the elements of a buffer are the numbers that are loaded."""
    return isa(buffer.type, MemRefType) and scalar_type(buffer.type.element_type) == buffer.type.element_type


def fits_short(value: SSAValue) -> bool:
    """Return whether `value` is known to fit in 16 bits."""
    interval = _interval(value)
    return interval is not None and SHORT[0] <= interval[0] and interval[1] <= SHORT[1]


def _interval(value: SSAValue) -> Interval | None:
    """Return the least and greatest number that `value` may be, of bytes, 16 bits, and sums of them and constants."""
    match value.owner:
        case arith.ConstantOp():
            return (_constant(value, 0), _constant(value, 0))
        case arith.ExtSIOp(input=narrow):
            return _interval(narrow)
        case arith.AddiOp(lhs=lhs, rhs=rhs):
            a, b = _interval(lhs), _interval(rhs)
            return None if a is None or b is None else (a[0] + b[0], a[1] + b[1])
        case arith.SubiOp(lhs=lhs, rhs=rhs):
            a, b = _interval(lhs), _interval(rhs)
            return None if a is None or b is None else (a[0] - b[1], a[1] - b[0])
        case _:
            width = value.type.width.data if isa(value.type, IntegerType) else 32
            return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if 1 < width < 32 else None


def _constant(value: SSAValue, otherwise: int) -> int:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isa(owner.value, IntegerAttr):
        return owner.value.value.data
    return otherwise
