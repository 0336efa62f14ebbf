"""Every operation of the loop level computes in C what its interpreter says, on numbers at the edges too."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, f32, f64, i1, i8, i16, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import loop
from s2s.dialects.tensor import RemFOp
from s2s.interpret.loop import run_loop_function
from s2s.types.dtypes import Array, to_numpy, ui8, ui16, ui32, ui64
from support.c_kernels import Build, CompiledKernels, elementwise

SIGNED, UNSIGNED = (i8, i16, i32, i64), (ui8, ui16, ui32, ui64)
EDGES = (0, 1, -1, 2, -2, 3, 7, -7, 8, 31, 63, 64)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.5, 3.7, 1e-42, 1e10, -3e38, float("inf"), -float("inf"), float("nan"), 0.3)

WRAPPING = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
INTEGER = (
    *WRAPPING,
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
    *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp),
    *(arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp),
    math.IPowIOp,
)
BY_CONSTANT = (
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp),
    *(arith.CeilDivUIOp, arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp, arith.XOrIOp, arith.MinSIOp),
)
FLOAT_BINARY = (
    *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.MaximumfOp, arith.MinimumfOp),
    *(arith.MaxnumfOp, arith.MinnumfOp, RemFOp, math.CopySignOp),
)
EXACT_UNARY = (
    *(arith.NegfOp, math.AbsFOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundEvenOp, math.RoundOp),
    *(math.SqrtOp,),
)
LIBRARY = (
    *(math.ExpOp, math.LogOp, math.SinOp, math.CosOp, math.TanhOp, math.ErfOp, math.AtanOp, math.RsqrtOp),
    *(math.Log1pOp, math.ExpM1Op, math.Exp2Op, math.SinhOp, math.AcosOp, math.CbrtOp),
)


@dataclass(frozen=True)
class Case:
    """One kernel and the values it runs on."""

    name: str
    function: FuncOp
    inputs: Sequence[Array]
    output: np.dtype[Any]
    tolerance: float = 0.0


ANY_ZERO = 1e-30
"""A tolerance that forgives the sign of a zero, which C leaves open."""


def applied(op: Any, *rest: Any) -> Build:
    """Makes `op` of its operands and `rest`."""
    return lambda values: [op(*values, *rest)]


def with_constant(op: Any, constant: Attribute) -> Build:
    """Makes `op` of its operand and a constant."""

    def build(values: Sequence[SSAValue]) -> list[Operation]:
        number = arith.ConstantOp(constant)  # pyright: ignore[reportArgumentType]
        return [number, op(values[0], number.result)]

    return build


def integers(element: Attribute) -> Array:
    """All edges of an integer type, as its buffer holds them."""
    dtype = to_numpy(element)
    limits = np.iinfo(dtype)
    values = [*EDGES, limits.min, limits.max, limits.max - 1]
    return (
        np.array([value % (1 << 8 * dtype.itemsize) for value in values], np.uint64)
        .astype(f"u{dtype.itemsize}")
        .view(dtype)
    )


def pairs(values: Array) -> tuple[Array, Array]:
    left, right = np.array(list(product(values.tolist(), values.tolist())), values.dtype).T
    return np.asarray(left, order="C"), np.asarray(right, order="C")


def case(
    name: str,
    build: Any,
    elements: Sequence[Attribute],
    output: Attribute,
    inputs: Sequence[Array],
    tolerance: float = 0.0,
) -> Case:
    kernel = elementwise(name, build, elements, output, len(inputs[0]))
    return Case(name, kernel, inputs, to_numpy(output), tolerance)


def spelt(op: type[Operation], *types: Attribute) -> str:
    return "_".join([op.name.replace(".", "_"), *map(str, types)])


def integer_cases() -> list[Case]:
    found: list[Case] = []
    for op, element in product(INTEGER, (*SIGNED, *UNSIGNED)):
        name = spelt(op, element)
        found.append(case(name, applied(op), (element, element), element, pairs(integers(element))))
    for op, element in product((math.AbsIOp,), SIGNED):
        found.append(case(spelt(op, element), applied(op), (element,), element, [integers(element)]))
    for op, element, constant in product(BY_CONSTANT, SIGNED, (3, 1, -1)):
        if constant < 0 and op not in (arith.XOrIOp, arith.DivSIOp, arith.RemSIOp, arith.MinSIOp):
            continue

        build = with_constant(op, IntegerAttr(constant, element))
        name = f"{spelt(op, element)}_by_{'minus' if constant < 0 else ''}{abs(constant)}"
        found.append(case(name, build, (element,), element, [integers(element)]))
    for predicate, element in product(range(10), (i8, ui8, i32, ui64)):
        name = f"cmpi_{predicate}_{element}"
        found.append(case(name, applied(arith.CmpiOp, predicate), (element, element), i1, pairs(integers(element))))
    return found


def bool_cases() -> list[Case]:
    values = np.array([False, False, True, True]), np.array([False, True, False, True])
    found = [
        case(spelt(op, i1), applied(op), (i1, i1), i1, values)
        for op in (*WRAPPING, arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp)
    ]
    for predicate in range(10):
        found.append(case(f"cmpi_{predicate}_i1", applied(arith.CmpiOp, predicate), (i1, i1), i1, values))
    for op, result in product((arith.ExtSIOp, arith.ExtUIOp), (i8, i32)):
        found.append(case(spelt(op, i1, result), applied(op, result), (i1,), result, values[1:]))
    for op in (arith.SIToFPOp, arith.UIToFPOp):
        found.append(case(spelt(op, i1, f32), applied(op, f32), (i1,), f32, values[1:]))
    return found


def float_cases() -> list[Case]:
    found: list[Case] = []
    for op, element in product(FLOAT_BINARY, (f32, f64)):
        values = pairs(np.array(FLOATS, to_numpy(element)))
        tolerance = ANY_ZERO if op in (arith.MaxnumfOp, arith.MinnumfOp) else 0.0
        found.append(case(spelt(op, element), applied(op), (element, element), element, values, tolerance))
    for op, element in product((*EXACT_UNARY, *LIBRARY), (f32, f64)):
        tolerance = 0.0 if op in EXACT_UNARY else 4 * float(np.finfo(to_numpy(element)).eps)
        values = np.array(FLOATS, to_numpy(element))
        found.append(case(spelt(op, element), applied(op), (element,), element, [values], tolerance))
    for op, constant in product((arith.MaximumfOp, arith.MinimumfOp), (0.0, -1.5)):
        build = with_constant(op, FloatAttr(constant, f32))
        name = f"{op.name.partition('.')[2]}_with_{'minus' if constant < 0 else 'zero'}"
        values = [np.array(FLOATS, np.float32)]
        found.append(case(name, build, (f32,), f32, values, ANY_ZERO))
    for predicate in range(16):
        values = pairs(np.array(FLOATS, np.float32))
        found.append(case(f"cmpf_{predicate}", applied(arith.CmpfOp, predicate), (f32, f32), i1, values))
    values = tuple(np.array(FLOATS, np.float32) for _ in range(3))
    found.append(case("fma", applied(loop.FmaOp), (f32, f32, f32), f32, values, 2e-7))
    return found


def cast_cases() -> list[Case]:
    found: list[Case] = []
    for op, source, target in product((arith.FPToSIOp, arith.FPToUIOp), (f32, f64), SIGNED):
        values = np.array([*FLOATS, 127.9, 128.0, -128.9, 2147483647.0, 4.3e9, 1.9e19, -9.3e18], to_numpy(source))
        found.append(case(spelt(op, source, target), applied(op, target), (source,), target, [values]))
    for op, source, target in product((arith.SIToFPOp, arith.UIToFPOp), (*SIGNED, ui8, ui32), (f32, f64)):
        name = spelt(op, source, target)
        found.append(case(name, applied(op, target), (source,), target, [integers(source)]))
    for op, source, target in (
        (arith.ExtSIOp, i8, i32),
        (arith.ExtSIOp, ui8, i32),
        (arith.ExtUIOp, i8, i32),
        (arith.ExtUIOp, ui16, i64),
        (arith.TruncIOp, i32, i8),
        (arith.TruncIOp, i64, i32),
        (arith.TruncIOp, i32, i1),
    ):
        name = spelt(op, source, target)
        found.append(case(name, applied(op, target), (source,), target, [integers(source)]))
    found.append(case("extf", applied(arith.ExtFOp, f64), (f32,), f64, [np.array(FLOATS, np.float32)]))
    found.append(case("truncf", applied(arith.TruncFOp, f32), (f64,), f32, [np.array(FLOATS, np.float64)]))
    select = [np.array([True, False, True]), np.array([1, 2, 3], np.int8), np.array([4, 5, 6], np.int8)]
    found.append(case("select", applied(arith.SelectOp), (i1, i8, i8), i8, select))
    mixed = [select[0], select[1], select[2].view(np.uint8)]
    found.append(case("select_mixed", applied(arith.SelectOp), (i1, i8, ui8), i8, mixed))
    return found


CASES = [*integer_cases(), *bool_cases(), *float_cases(), *cast_cases()]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CompiledKernels:
    """All kernels in one library; the file compiles without a warning."""
    module = ModuleOp([each.function.clone() for each in CASES])
    module.verify()
    return CompiledKernels(module, tmp_path_factory.mktemp("kernels"))


@pytest.mark.parametrize("each", CASES, ids=lambda each: each.name)
def test_an_operation_computes_in_c_what_it_means(each: Case, compiled: CompiledKernels) -> None:
    expected = np.zeros(len(each.inputs[0]), each.output)
    with np.errstate(all="ignore"):
        run_loop_function(each.function, [expected, *each.inputs])
    found = np.zeros_like(expected)
    compiled.run(each.name, [found, *each.inputs])
    if each.tolerance:
        np.testing.assert_allclose(found, expected, rtol=each.tolerance, atol=1e-45)
    else:
        np.testing.assert_array_equal(found, expected)
        if each.output.kind == "f":
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))
