"""What each operation of `arith` and `math` computes, on numpy scalars and on arrays alike.

The regions of `tensor.compute` and the bodies of loops are made of these operations, so both interpreters take their
meaning from here. Integers are signless: values travel as signed numpy integers (`i1` as bool), and the operation says
whether it reads them as unsigned. They wrap around. What MLIR leaves undefined follows the C we emit (`s2s_math.h`):
division by zero gives 0, shifts by the width or more give 0 or the sign, float to integer saturates and NaN gives 0.

Functions of `math` on types narrower than f64 are computed in f64 and rounded once, which is what a good libm does too.
"""

import operator as operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IndexType, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Operation

from s2s.dialects.loop.lanes import QuantizeLanesOp
from s2s.dialects.tensor import ExpNonpositiveOp, QuantizeOp, RemFOp, RescaleOp, SaturateOp, TreeOp
from s2s.errors import CompilerBug
from s2s.interpret.numbers import (
    choose,
    count_leading_zeros,
    count_trailing_zeros,
    divide_signed,
    divide_unsigned_up,
    divide_up,
    erf,
    float_to_integer,
    fused_multiply_add,
    integer_power,
    maximum,
    minimum,
    multiply_extended,
    reciprocal_root,
    round_half_away,
    through_double,
)
from s2s.interpret.rescale import RESCALES, Rescale
from s2s.types.dtypes import Array, from_dense, is_bool, to_numpy
from s2s.types.hints import isa

Scalar = Any
"""A numpy scalar or an array of them; an `index` may also be a Python int."""
Function = Callable[..., Scalar]
Unary = Callable[[Scalar], Scalar]
Binary = Callable[[Scalar, Scalar], Scalar]

ops: Any = operator
"""The module, as `Any`: half of its functions have no parameter types, and none needs any here."""

_ANY_SIGN: Mapping[type[Operation], Function] = {
    arith.AddiOp: ops.add,
    arith.SubiOp: ops.sub,
    arith.MuliOp: ops.mul,
    arith.DivSIOp: divide_signed,
    arith.FloorDivSIOp: ops.floordiv,
    arith.CeilDivSIOp: divide_up,
    arith.RemSIOp: np.fmod,
    arith.MinSIOp: minimum,
    arith.MaxSIOp: maximum,
    arith.AndIOp: ops.and_,
    arith.OrIOp: ops.or_,
    arith.XOrIOp: ops.xor,
    arith.ShLIOp: ops.lshift,
    arith.ShRSIOp: ops.rshift,
    math.AbsIOp: np.abs,
    math.IPowIOp: integer_power,
}
"""Integer operations that read their operands as signed, or do the same for both signs."""

_UNSIGNED: Mapping[type[Operation], Function] = {
    arith.DivUIOp: ops.floordiv,
    arith.CeilDivUIOp: divide_unsigned_up,
    arith.RemUIOp: np.fmod,
    arith.MinUIOp: minimum,
    arith.MaxUIOp: maximum,
    arith.ShRUIOp: ops.rshift,
    math.CountLeadingZerosOp: count_leading_zeros,
    math.CountTrailingZerosOp: count_trailing_zeros,
    math.CtPopOp: np.bitwise_count,
}
"""Integer operations that read their operands as unsigned."""

_FLOAT: Mapping[type[Operation], Function] = {
    arith.AddfOp: ops.add,
    arith.SubfOp: ops.sub,
    arith.MulfOp: ops.mul,
    arith.DivfOp: ops.truediv,
    arith.NegfOp: ops.neg,
    arith.MaximumfOp: maximum,
    arith.MinimumfOp: minimum,
    arith.MaxnumfOp: np.fmax,
    arith.MinnumfOp: np.fmin,
    RemFOp: np.fmod,
    ExpNonpositiveOp: through_double(np.exp),
    math.AbsFOp: np.abs,
    math.CeilOp: np.ceil,
    math.FloorOp: np.floor,
    math.TruncOp: np.trunc,
    math.RoundEvenOp: np.rint,
    math.RoundOp: round_half_away,
    math.SqrtOp: np.sqrt,
    math.RsqrtOp: reciprocal_root,
    math.CopySignOp: np.copysign,
    math.FmaOp: fused_multiply_add,
    math.AcosOp: through_double(np.arccos),
    math.AcoshOp: through_double(np.arccosh),
    math.AsinOp: through_double(np.arcsin),
    math.AsinhOp: through_double(np.arcsinh),
    math.AtanOp: through_double(np.arctan),
    math.Atan2Op: through_double(np.arctan2),
    math.AtanhOp: through_double(np.arctanh),
    math.CbrtOp: through_double(np.cbrt),
    math.CosOp: through_double(np.cos),
    math.CoshOp: through_double(np.cosh),
    math.ErfOp: through_double(erf),
    math.ExpOp: through_double(np.exp),
    math.Exp2Op: through_double(np.exp2),
    math.ExpM1Op: through_double(np.expm1),
    math.FPowIOp: through_double(np.power),
    math.LogOp: through_double(np.log),
    math.Log10Op: through_double(np.log10),
    math.Log1pOp: through_double(np.log1p),
    math.Log2Op: through_double(np.log2),
    math.PowFOp: through_double(np.power),
    math.SinOp: through_double(np.sin),
    math.SinhOp: through_double(np.sinh),
    math.TanOp: through_double(np.tan),
    math.TanhOp: through_double(np.tanh),
}

_COMPARE: Mapping[str, Function] = {
    "eq": ops.eq,
    "ne": ops.ne,
    "lt": ops.lt,
    "le": ops.le,
    "gt": ops.gt,
    "ge": ops.ge,
}


def function_of(op: Operation) -> Function:
    """Return the function from operand values to the result of `op` (to a pair if it has two results)."""
    kind = type(op)
    if kind in _FLOAT:
        return _FLOAT[kind]
    if kind in _ANY_SIGN:
        return _integer(_ANY_SIGN[kind], op, unsigned=False)
    if kind in _UNSIGNED:
        return _integer(_UNSIGNED[kind], op, unsigned=True)
    if isinstance(op, arith.CmpiOp):
        return _compare_integers(op)
    if isinstance(op, arith.CmpfOp):
        return _compare_floats(arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data])
    if isinstance(op, arith.SelectOp):
        return choose
    if isinstance(op, RescaleOp | SaturateOp | QuantizeOp | TreeOp):
        return _of_tensor(op)
    extended = _extended(op)
    return extended if extended is not None else _cast(op)


def _of_tensor(op: RescaleOp | SaturateOp | QuantizeOp | TreeOp) -> Function:
    match op:
        case RescaleOp():
            return _rescale(RESCALES[op.rounding.data], op.added)
        case SaturateOp():
            return _saturate
        case QuantizeOp():
            return quantizer(op)
        case TreeOp():
            return _tree(op)


def _rescale(function: Rescale, added: int) -> Function:
    def rescale(*operands: Scalar) -> Scalar:
        return function(*operands) + np.int32(added)

    return rescale if added else function


def _saturate(x: Scalar) -> Scalar:
    return np.clip(x, -128, 127).astype(np.int8)


def _tree(op: TreeOp) -> Function:
    from s2s.interpret.trees import leaf_row

    trees, values = op.trees, np.array(op.values.get_values(), to_numpy(op.result.type))

    def value(*operands: Scalar) -> Scalar:
        return values[leaf_row(trees, 0, np.stack(np.broadcast_arrays(*operands)))]

    return value


def quantizer(op: QuantizeOp | QuantizeLanesOp) -> Callable[[Scalar], Scalar]:
    """Return the meaning of a quantisation, of a scalar or in lanes."""
    zero_point, away, dtype = op.zero_point.value.data, op.away is not None, dtype_of(op.result.type)
    divisor = np.float32(1.0 if op.factors is None else op.factors.get_values()[0])

    def quantize(x: Scalar) -> Scalar:
        quotient = (x / divisor).astype(np.float64)
        if away:
            moved = np.nan_to_num(np.copysign(np.floor(np.abs(quotient) + 0.5), quotient)) + zero_point
        else:
            moved = np.nan_to_num(np.rint(quotient) + zero_point)
        return np.clip(moved, -op.half, op.half - 1).astype(dtype)

    return quantize


def is_scalar_op(op: Operation) -> bool:
    """Return whether `op` belongs to `arith` or `math`, or is a similar scalar operation of s2s."""
    own = RescaleOp | SaturateOp | QuantizeOp | ExpNonpositiveOp | TreeOp
    return op.dialect_name() in ("arith", "math") or isinstance(op, own)


def dtype_of(type: Attribute) -> np.dtype[Any]:
    """Return the dtype of values of `type` in the interpreters: signed integers whatever the sign in memory, `index` as
    64 bits."""
    element = type.element_type if isa(type, VectorType) else type
    if isinstance(element, IndexType):
        return np.dtype(np.int64)
    if isa(element, IntegerType):
        return to_numpy(IntegerType(element.width.data))
    return to_numpy(element)


def signless(array: Array) -> Array:
    """Return `array` itself, or its memory read as signed integers."""
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array


def number(value: Attribute) -> Scalar:
    """Return the value of a number attribute, in the dtype of its type."""
    if isa(value, FloatAttr):
        return dtype_of(value.type).type(value.value.data)
    if isa(value, IntegerAttr):
        dtype = dtype_of(value.type)
        if dtype == np.bool_:
            return np.bool_(value.value.data & 1)
        mask = (1 << 8 * dtype.itemsize) - 1
        return np.dtype(f"u{dtype.itemsize}").type(value.value.data & mask).view(dtype)
    if isa(value, DenseIntOrFPElementsAttr):
        return signless(from_dense(value))
    raise CompilerBug(f"{value} is not a number")


def _integer(function: Function, op: Operation, *, unsigned: bool) -> Function:
    """Wrap `function` to read integers with the sign that `op` assumes; the result is signless again."""
    type = op.operands[0].type
    if is_bool(type):
        return _on_bits(function, unsigned=unsigned)
    if not unsigned:
        return function
    given = dtype_of(type)
    read = np.dtype(f"u{given.itemsize}")

    def on_unsigned(*values: Scalar) -> Scalar:
        return function(*(value.view(read) for value in values)).astype(read).view(given)

    return on_unsigned


def _on_bits(function: Function, *, unsigned: bool) -> Function:
    """Wrap `function` for `i1`: a set bit is 1 where `unsigned`, else -1."""
    one = 1 if unsigned else -1

    def on_bits(*values: Scalar) -> Scalar:
        return (function(*(value.astype(np.int8) * np.int8(one) for value in values)) & 1).astype(np.bool_)

    return on_bits


def _compare_integers(op: arith.CmpiOp) -> Binary:
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    compare = _COMPARE[predicate[-2:]]
    if predicate in ("eq", "ne"):
        return compare
    unsigned = predicate.startswith("u")
    if is_bool(op.lhs.type):
        return compare if unsigned else (lambda a, b: compare(b, a))
    if not unsigned:
        return compare
    read = np.dtype(f"u{dtype_of(op.lhs.type).itemsize}")
    return lambda a, b: compare(a.view(read), b.view(read))


def _compare_floats(predicate: str) -> Binary:
    """Return a float comparison: ordered predicates are false for NaN, unordered ones true."""
    match predicate:
        case "false":
            return lambda a, b: (a != a) & (a == a)
        case "true":
            return lambda a, b: (a != a) | (a == a)
        case "ord":
            return lambda a, b: (a == a) & (b == b)
        case "uno":
            return lambda a, b: (a != a) | (b != b)
        case "one":
            return lambda a, b: (a < b) | (a > b)
        case "ueq":
            return lambda a, b: ~((a < b) | (a > b))
        case "une":
            return ops.ne
        case _:
            compare = _COMPARE[predicate[1:]]
    if predicate.startswith("o"):
        return compare
    opposite = _COMPARE[{"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}[predicate[1:]]]
    return lambda a, b: ~opposite(a, b)


def _extended(op: Operation) -> Function | None:
    """Return the function of arithmetic with a second result: the carry of a sum, or the upper half of a product."""
    if not isinstance(op, arith.AddUIExtendedOp | arith.MulUIExtendedOp | arith.MulSIExtendedOp):
        return None
    given = dtype_of(op.lhs.type)
    read = np.dtype(f"u{given.itemsize}")
    if isinstance(op, arith.AddUIExtendedOp):

        def add(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
            total = a.view(read) + b.view(read)
            return total.view(given), total < a.view(read)

        return add
    if isinstance(op, arith.MulSIExtendedOp):
        return multiply_extended

    def multiply(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
        low, high = multiply_extended(a.view(read), b.view(read))
        return low.view(given), high.view(given)

    return multiply


def _cast(op: Operation) -> Unary:
    """Return the conversion to the result type of `op`."""
    if len(op.operands) != 1 or len(op.results) != 1:
        raise CompilerBug(f"{op.name} has no meaning on numpy values")
    given, wanted = dtype_of(op.operands[0].type), dtype_of(op.results[0].type)
    one = -1 if given == np.bool_ else 1
    match op:
        case arith.FPToSIOp() | arith.FPToUIOp() if wanted != np.bool_:
            return float_to_integer(wanted, unsigned=isinstance(op, arith.FPToUIOp))
        case arith.BitcastOp():
            return lambda a: a.view(wanted)
        case arith.ExtFOp() | arith.TruncFOp():
            return lambda a: a.astype(wanted)
        case arith.SIToFPOp() | arith.ExtSIOp() | arith.IndexCastOp() if one == -1:
            return lambda a: (-a.astype(np.int8)).astype(wanted)
        case arith.SIToFPOp() | arith.ExtSIOp() | arith.IndexCastOp() | arith.TruncIOp():
            return (lambda a: (a & 1).astype(wanted)) if wanted == np.bool_ else (lambda a: a.astype(wanted))
        case arith.UIToFPOp() | arith.ExtUIOp():
            read = given if given == np.bool_ else np.dtype(f"u{given.itemsize}")
            return lambda a: a.view(read).astype(wanted)
        case _:
            raise CompilerBug(f"{op.name} has no meaning on numpy values")
