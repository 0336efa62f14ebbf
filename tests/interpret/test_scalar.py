"""Scalar operations mean what MLIR says, and what our C does where MLIR says nothing."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Operation
from xdsl.utils.test_value import create_ssa_value

from s2s.errors import CompilerBug
from s2s.interpret.scalar import dtype_of, function_of, is_scalar_op, number, signless

NAN, INF = float("nan"), float("inf")


def build(kind: type[Operation], type: Attribute, count: int, result: Attribute | None = None) -> Operation:
    """An operation of class `kind` on `count` values of `type`."""
    operands = [create_ssa_value(type) for _ in range(count)]
    return kind.create(operands=operands, result_types=[result or type])


def evaluate(op: Operation, *rows: Sequence[float]) -> list[Any]:
    """Apply `op` to every column of `rows`, as arrays and one by one; both ways must agree."""
    function = function_of(op)
    dtypes = [dtype_of(operand.type) for operand in op.operands]
    arrays = [np.array(row, dtype) for row, dtype in zip(rows, dtypes, strict=True)]
    with np.errstate(all="ignore"):
        result = function(*arrays)
        single = [
            function(*(dtype.type(x) for x, dtype in zip(row, dtypes, strict=True)))
            for row in zip(*arrays, strict=True)
        ]
    assert result.dtype == dtype_of(op.results[0].type)
    np.testing.assert_array_equal(result, np.array(single, result.dtype))
    return result.tolist()


INTEGER_CASES: list[tuple[type[Operation], list[int], list[int], list[int]]] = [
    (arith.AddiOp, [127, -128, 3], [1, -1, 4], [-128, 127, 7]),
    (arith.SubiOp, [-128, 127, 3], [1, -1, 4], [127, -128, -1]),
    (arith.MuliOp, [16, -128, 3], [16, -1, 4], [0, -128, 12]),
    (arith.DivSIOp, [7, -7, -128, 5], [-2, 2, -1, 0], [-3, -3, -128, 0]),
    (arith.DivUIOp, [-1, 7, -128], [2, 2, -1], [127, 3, 0]),
    (arith.FloorDivSIOp, [7, -7, 6], [-2, 2, 3], [-4, -4, 2]),
    (arith.CeilDivSIOp, [7, -7, 7, 6], [-2, 2, 2, 3], [-3, -3, 4, 2]),
    (arith.CeilDivUIOp, [7, -1, 6], [2, 2, 3], [4, -128, 2]),
    (arith.RemSIOp, [7, -7, -128, 5], [-2, 2, -1, 0], [1, -1, 0, 0]),
    (arith.RemUIOp, [-1, 7], [10, 4], [5, 3]),
    (arith.MinSIOp, [-1, 5], [1, 4], [-1, 4]),
    (arith.MaxSIOp, [-1, 5], [1, 4], [1, 5]),
    (arith.MinUIOp, [-1, 5], [1, 4], [1, 4]),
    (arith.MaxUIOp, [-1, 5], [1, 4], [-1, 5]),
    (arith.AndIOp, [12, -1], [10, 7], [8, 7]),
    (arith.OrIOp, [12, -1], [10, 7], [14, -1]),
    (arith.XOrIOp, [12, -1], [10, 7], [6, -8]),
    (arith.ShLIOp, [1, 1, 3], [7, 8, 1], [-128, 0, 6]),
    (arith.ShRSIOp, [-128, -1, 5], [7, 9, 1], [-1, -1, 2]),
    (arith.ShRUIOp, [-128, -1, 5], [7, 9, 1], [1, 0, 2]),
    (math.IPowIOp, [2, 2, -1, 3, 0], [7, 3, -3, -1, -1], [-128, 8, -1, 0, 0]),
]


@pytest.mark.parametrize(("kind", "left", "right", "expected"), INTEGER_CASES, ids=str)
def test_binary_integer(kind: type[Operation], left: list[int], right: list[int], expected: list[int]):
    assert evaluate(build(kind, i8, 2), left, right) == expected


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (math.AbsIOp, [-5, 5, -128], [5, 5, -128]),
        (math.CountLeadingZerosOp, [0, 1, -1, 64], [8, 7, 0, 1]),
        (math.CountTrailingZerosOp, [0, 1, -128, 12], [8, 0, 7, 2]),
        (math.CtPopOp, [0, 1, -1, 12], [0, 1, 8, 2]),
    ],
)
def test_unary_integer(kind: type[Operation], given: list[int], expected: list[int]):
    assert evaluate(build(kind, i8, 1), given) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (arith.AddiOp, [False, True, True, False]),
        (arith.MuliOp, [False, False, False, True]),
        (arith.XOrIOp, [False, True, True, False]),
        (arith.MinSIOp, [False, True, True, True]),
        (arith.MinUIOp, [False, False, False, True]),
    ],
)
def test_one_bit_integers_wrap_at_two(kind: type[Operation], expected: list[bool]):
    assert evaluate(build(kind, i1, 2), [0, 0, 1, 1], [0, 1, 0, 1]) == expected


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("eq", [False, True, False]),
        ("ne", [True, False, True]),
        ("slt", [True, False, False]),
        ("sge", [False, True, True]),
        ("ult", [False, False, True]),
        ("uge", [True, True, False]),
    ],
)
def test_integer_comparison(predicate: str, expected: list[bool]):
    assert (
        evaluate(arith.CmpiOp(create_ssa_value(i8), create_ssa_value(i8), predicate), [-1, 3, 2], [1, 3, -2])
        == expected
    )


def test_one_bit_comparison_is_signed_or_not_as_the_predicate_says():
    assert evaluate(arith.CmpiOp(create_ssa_value(i1), create_ssa_value(i1), "slt"), [1, 0], [0, 1]) == [True, False]
    assert evaluate(arith.CmpiOp(create_ssa_value(i1), create_ssa_value(i1), "ult"), [1, 0], [0, 1]) == [False, True]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("false", [False] * 4),
        ("oeq", [False, True, False, False]),
        ("ogt", [False, False, True, False]),
        ("oge", [False, True, True, False]),
        ("olt", [True, False, False, False]),
        ("ole", [True, True, False, False]),
        ("one", [True, False, True, False]),
        ("ord", [True, True, True, False]),
        ("ueq", [False, True, False, True]),
        ("ugt", [False, False, True, True]),
        ("uge", [False, True, True, True]),
        ("ult", [True, False, False, True]),
        ("ule", [True, True, False, True]),
        ("une", [True, False, True, True]),
        ("uno", [False, False, False, True]),
        ("true", [True] * 4),
    ],
)
def test_float_comparison(predicate: str, expected: list[bool]):
    assert (
        evaluate(arith.CmpfOp(create_ssa_value(f32), create_ssa_value(f32), predicate), [1, 2, 3, NAN], [2, 2, 2, 2])
        == expected
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (arith.MaximumfOp, [2, NAN, NAN]),
        (arith.MinimumfOp, [1, NAN, NAN]),
        (arith.MaxnumfOp, [2, 1, 3]),
        (arith.MinnumfOp, [1, 1, 3]),
    ],
)
def test_extremes_of_floats_and_nan(kind: type[Operation], expected: list[float]):
    np.testing.assert_array_equal(evaluate(build(kind, f32, 2), [1, 1, NAN], [2, NAN, 3]), expected)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (math.RoundEvenOp, [0, 2, -2, 0, 3]),
        (math.RoundOp, [1, 2, -3, 0, 3]),
        (math.FloorOp, [0, 1, -3, 0, 2]),
        (math.CeilOp, [1, 2, -2, 1, 3]),
        (math.TruncOp, [0, 1, -2, 0, 2]),
    ],
)
def test_rounding(kind: type[Operation], expected: list[float]):
    below_half = float(np.nextafter(np.float32(0.5), np.float32(0)))
    assert evaluate(build(kind, f32, 1), [0.5, 1.5, -2.5, below_half, 2.75]) == expected


def test_functions_of_small_floats_are_rounded_once_from_f64():
    x = np.linspace(-3, 3, 1001, dtype=np.float32)
    expected = np.tanh(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(evaluate(build(math.TanhOp, f32, 1), x.tolist()), expected)


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (math.ErfOp, [0.0, INF, 0.5], [0.0, 1.0, 0.5204998778130465]),
        (math.RsqrtOp, [4.0, 0.0], [0.5, INF]),
        (math.Exp2Op, [3.0], [8.0]),
        (math.AbsFOp, [-2.0], [2.0]),
        (arith.NegfOp, [-2.0], [2.0]),
    ],
)
def test_functions_of_doubles(kind: type[Operation], given: list[float], expected: list[float]):
    assert evaluate(build(kind, f64, 1), given) == expected


def test_powers_and_signs():
    assert evaluate(build(math.PowFOp, f32, 2), [2, 9], [3, 0.5]) == [8, 3]
    assert evaluate(math.FPowIOp(create_ssa_value(f32), create_ssa_value(i32)), [2, 2], [3, -1]) == [8, 0.5]
    assert evaluate(build(math.CopySignOp, f32, 2), [2, 3], [-0.0, 1]) == [-2, 3]
    assert evaluate(build(math.Atan2Op, f64, 2), [0, 1], [1, 0]) == [0, np.pi / 2]


@pytest.mark.parametrize("type", [f16, f32, f64])
def test_fma_rounds_once(type: Attribute):
    dtype = dtype_of(type)
    small = float(np.finfo(dtype).eps)
    given = [1 + small, 1 + small, 1, INF], [1 + small, 1 - small, INF, INF], [-1 - 2 * small, -1, -INF, 1]
    expected = [small**2, -(small**2), NAN, INF]
    np.testing.assert_array_equal(evaluate(build(math.FmaOp, type, 3), *given), expected)


def test_fma_of_f32_survives_the_second_rounding_of_f64():
    a, b, c = 1 + 2.0**-15, 1 - 2.0**-15, 2.0**24 + 2  # a * b + c lies 2^-30 below a tie of f32
    assert evaluate(build(math.FmaOp, f32, 3), [a], [b], [c]) == [c]


CASTS: list[tuple[Operation, list[float], list[float]]] = [
    (build(arith.FPToSIOp, f32, 1, i8), [1.9, -1.9, 300, -300, NAN, INF], [1, -1, 127, -128, 0, 127]),
    (build(arith.FPToUIOp, f32, 1, i8), [1.9, -1.9, 300, 255, NAN, 200], [1, 0, -1, -1, 0, -56]),
    (build(arith.FPToSIOp, f64, 1, i64), [2.0**63, -(2.0**63), 5.5], [2**63 - 1, -(2**63), 5]),
    (build(arith.FPToUIOp, f64, 1, i64), [2.0**63, -1], [-(2**63), 0]),
    (build(arith.SIToFPOp, i8, 1, f32), [-1, 5], [-1, 5]),
    (build(arith.UIToFPOp, i8, 1, f32), [-1, 5], [255, 5]),
    (build(arith.SIToFPOp, i1, 1, f32), [0, 1], [0, -1]),
    (build(arith.UIToFPOp, i1, 1, f32), [0, 1], [0, 1]),
    (build(arith.ExtSIOp, i8, 1, i32), [-1, 5], [-1, 5]),
    (build(arith.ExtUIOp, i8, 1, i32), [-1, 5], [255, 5]),
    (build(arith.ExtSIOp, i1, 1, i32), [0, 1], [0, -1]),
    (build(arith.ExtUIOp, i1, 1, i32), [0, 1], [0, 1]),
    (build(arith.TruncIOp, i32, 1, i8), [300, -129], [44, 127]),
    (build(arith.TruncIOp, i32, 1, i1), [2, 3], [0, 1]),
    (build(arith.TruncFOp, f64, 1, f32), [0.1, 1e300], [float(np.float32(0.1)), INF]),
    (build(arith.ExtFOp, f16, 1, f32), [0.5], [0.5]),
    (build(arith.BitcastOp, f32, 1, i32), [1.0], [0x3F800000]),
    (build(arith.IndexCastOp, i16, 1, IndexType()), [-2], [-2]),
    (build(arith.IndexCastOp, IndexType(), 1, i8), [257], [1]),
]


@pytest.mark.parametrize(("op", "given", "expected"), CASTS)
def test_cast(op: Operation, given: list[float], expected: list[float]):
    assert evaluate(op, given) == expected


def test_select():
    op = arith.SelectOp(create_ssa_value(i1), create_ssa_value(f32), create_ssa_value(f32))
    assert evaluate(op, [1, 0], [1, 2], [3, 4]) == [1, 4]


@pytest.mark.parametrize(
    ("kind", "a", "b", "expected"),
    [
        (arith.AddUIExtendedOp, -56, 100, (44, True)),
        (arith.AddUIExtendedOp, 5, 100, (105, False)),
        (arith.MulUIExtendedOp, -1, -1, (1, -2)),
        (arith.MulSIExtendedOp, -128, -128, (0, 64)),
        (arith.MulSIExtendedOp, -1, 5, (-5, -1)),
    ],
)
def test_two_results(kind: type[Operation], a: int, b: int, expected: tuple[int, int]):
    with np.errstate(all="ignore"):
        found = function_of(build(kind, i8, 2))(np.array([a], np.int8), np.array([b], np.int8))
    assert tuple(part.item() for part in found) == expected


def test_numbers_take_the_dtype_of_their_attribute():
    assert number(FloatAttr(0.1, f32)) == np.float32(0.1)
    assert number(IntegerAttr(255, IntegerType(8), truncate_bits=True)) == np.int8(-1)
    assert number(IntegerAttr(1, i1, truncate_bits=True)) is np.True_
    assert number(IntegerAttr(7, IndexType())).dtype == np.int64


def test_unsigned_memory_is_read_as_signed():
    assert signless(np.array([255], np.uint8)).tolist() == [-1]


def test_constant_is_no_function():
    op = arith.ConstantOp(FloatAttr(1.0, f32))
    assert is_scalar_op(op)
    with pytest.raises(CompilerBug, match=r"arith\.constant has no meaning"):
        function_of(op)


def test_every_operation_has_a_meaning():
    compared = (arith.ConstantOp, arith.CmpiOp, arith.CmpfOp)
    for kind in [*arith.Arith.operations, *math.Math.operations]:
        if kind not in compared:
            assert callable(function_of(build(kind, i32, 1)))
