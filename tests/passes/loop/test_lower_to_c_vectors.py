"""Vector operations compute in C what their interpreter says, in every form that `s2s_simd.h` has."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, VectorType, f16, f32, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import loop
from s2s.interpret.loop import run_loop_function
from s2s.types.dtypes import Array, to_dense, to_numpy
from support.c_kernels import Build, CompiledKernels, dtype_of, elementwise, parse

COUNT = 32
FLOAT_BINARY = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.MaximumfOp, arith.MinimumfOp)
FLOAT_UNARY = (
    arith.NegfOp,
    math.AbsFOp,
    math.SqrtOp,
    math.ExpOp,
    math.TanhOp,
    math.SinOp,
    math.CosOp,
    math.TanOp,
    math.AsinOp,
    math.AcosOp,
    math.AtanOp,
    math.SinhOp,
    math.CoshOp,
    math.AsinhOp,
    math.AcoshOp,
    math.AtanhOp,
    math.RsqrtOp,
    math.FloorOp,
)
INTEGER_BINARY = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp),
    *(arith.AndIOp, arith.OrIOp, arith.XOrIOp),
)
FORMS = {"native": ("-O2", "-march=native"), "portable": ("-O1", "-DS2S_SIMD_PORTABLE"), "halves": ("-O1",)}


def applied(op: Any) -> Build:
    return lambda values: [op(*values)]


def splat(value: float, element: Attribute, lanes: int) -> arith.ConstantOp:
    array = np.full(lanes, value, to_numpy(element))
    vector = DenseIntOrFPElementsAttr(VectorType(element, [lanes]), to_dense(array).data)  # pyright: ignore[reportArgumentType]
    return arith.ConstantOp(vector)


def clamped(lanes: int) -> Build:
    """`max(0, x)` with the constant behind."""

    def build(values: Sequence[SSAValue]) -> list[Operation]:
        zero = splat(0.0, f32, lanes)
        return [zero, arith.MaximumfOp(values[0], zero.result)]

    return build


def selected(values: Sequence[SSAValue]) -> list[Operation]:
    """One of two vectors, by a condition that all lanes share."""
    one = arith.ConstantOp(IntegerAttr(1, i32))
    condition = arith.CmpiOp(one.result, one.result, "ne")
    return [one, condition, arith.SelectOp(condition.result, *values)]


def shifted(op: Any, lanes: int) -> Build:
    def build(values: Sequence[SSAValue]) -> list[Operation]:
        count = splat(3, i32, lanes)
        return [count, op(values[0], count.result)]

    return build


def halved(lanes: int) -> Build:
    """The largest lane, in every lane."""

    def build(values: Sequence[SSAValue]) -> list[Operation]:
        half = loop.HalveOp("max", values[0])
        largest = loop.ReduceOp("max", half.result)
        return [half, largest, loop.BroadcastOp(largest.result, lanes)]

    return build


def rounded(lanes: int) -> Build:
    """The sum of two vectors as halves, as floats again."""

    def build(values: Sequence[SSAValue]) -> list[Operation]:
        total = arith.AddfOp(values[0], values[1])
        half = arith.TruncFOp(total.result, VectorType(f16, [lanes]))  # pyright: ignore[reportArgumentType]
        return [total, half, arith.ExtFOp(half.result, VectorType(f32, [lanes]))]  # pyright: ignore[reportArgumentType]

    return build


def chosen(predicate: str) -> Build:
    """One operand or the other, whichever the lanes of both say."""
    return lambda values: [loop.ChooseOp(predicate, *values, *values)]


def kernels() -> list[FuncOp]:
    found: list[FuncOp] = []
    for lanes in (4, 8, 16):

        def add(name: str, build: Build, inputs: int, element: Attribute, lanes: int = lanes) -> None:
            found.append(elementwise(f"{name}_{lanes}", build, [element] * inputs, element, COUNT, lanes))

        for op in FLOAT_BINARY:
            add(op.name.partition(".")[2], applied(op), 2, f32)
        for op in FLOAT_UNARY:
            add(op.name.partition(".")[2], applied(op), 1, f32)
        for op in INTEGER_BINARY:
            add(op.name.partition(".")[2], applied(op), 2, i32)
        add("fma", applied(loop.FmaOp), 3, f32)
        add("relu", clamped(lanes), 1, f32)
        add("round", rounded(lanes), 2, f32)
        add("select", selected, 2, f32)
        for predicate in loop.COMPARISONS:
            add(f"choose_{predicate}", chosen(predicate), 2, f32)
        if lanes > loop.MIN_LANES:
            add("halve", halved(lanes), 1, f32)
        add("shli", shifted(arith.ShLIOp, lanes), 1, i32)
        add("shrsi", shifted(arith.ShRSIOp, lanes), 1, i32)
    return found


KERNELS = kernels()
ACCESSES = """
func.func private @{name}(%y: memref<64xf32>, %x: memref<64xf32>) {{
  loop.for %i = 0 to 2 {{
    %scalar = loop.load %x[affine_map<(d0) -> (d0 * 9)>(%i)] : memref<64xf32> -> f32
    %same = loop.broadcast %scalar : f32 -> vector<{lanes}xf32>
    %near = loop.load %x[affine_map<(d0) -> (d0 * 3 + 1)>(%i)] : memref<64xf32> -> vector<{lanes}xf32>
    %part = loop.load %x[affine_map<(d0) -> (d0)>(%i)] {{lanes = 3 : i64}} : memref<64xf32> -> vector<{lanes}xf32>
    %far = loop.load %x[affine_map<(d0) -> (d0)>(%i)] {{stride = 3 : i64}} : memref<64xf32> -> vector<{lanes}xf32>
    %a = arith.addf %same, %near : vector<{lanes}xf32>
    %b = arith.addf %part, %far : vector<{lanes}xf32>
    %c = arith.addf %a, %b : vector<{lanes}xf32>
    loop.store %c, %y[affine_map<(d0) -> (d0)>(%i)] {{stride = 3 : i64}} : vector<{lanes}xf32>, memref<64xf32>
    loop.store %b, %y[affine_map<(d0) -> (d0 + 50)>(%i)] {{lanes = 2 : i64}} : vector<{lanes}xf32>, memref<64xf32>
    %sum = loop.reduce "add" %c : vector<{lanes}xf32> -> f32
    %most = loop.reduce "max" %c : vector<{lanes}xf32> -> f32
    %both = arith.addf %sum, %most : f32
    loop.store %both, %y[affine_map<(d0) -> (d0 + 60)>(%i)] : f32, memref<64xf32>
  }}
  func.return
}}
"""


@pytest.fixture(scope="module", params=FORMS)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CompiledKernels:
    accesses = [parse(ACCESSES.format(name=f"access_{lanes}", lanes=lanes)) for lanes in (4, 8, 16)]
    functions = [function.clone() for function in KERNELS] + [op.clone() for module in accesses for op in module.ops]
    flags = (*FORMS[request.param], "-ffp-contract=off")
    return CompiledKernels(ModuleOp(functions), tmp_path_factory.mktemp("vectors"), flags)


def values(element: np.dtype[Any], seed: int) -> Array:
    generator = np.random.default_rng(seed)
    if element == np.float32:
        array = generator.standard_normal(COUNT).astype(np.float32)
        array[::5], array[3], array[7] = 0.0, np.nan, np.inf
        return array
    return generator.integers(-(2**31), 2**31, COUNT, dtype=np.int32) >> generator.integers(0, 28, COUNT, np.int32)


@pytest.mark.parametrize("function", KERNELS, ids=lambda function: function.sym_name.data)
def test_a_vector_operation_computes_in_c_what_it_means(function: FuncOp, compiled: CompiledKernels) -> None:
    element = dtype_of(function)
    inputs = [values(element, seed) for seed in range(len(function.args) - 1)]
    expected, found = np.zeros(COUNT, element), np.zeros(COUNT, element)
    with np.errstate(all="ignore"):
        run_loop_function(function, [expected, *inputs])
    compiled.run(function.sym_name.data, [found, *inputs])
    np.testing.assert_allclose(found, expected, rtol=5e-7, atol=1e-30)


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_vectors_reach_memory_as_the_interpreter_does(lanes: int, compiled: CompiledKernels) -> None:
    (function,) = parse(ACCESSES.format(name=f"access_{lanes}", lanes=lanes)).ops
    assert isinstance(function, FuncOp)
    x = np.random.default_rng(1).standard_normal(64).astype(np.float32)
    expected, found = np.full(64, 7.0, np.float32), np.full(64, 7.0, np.float32)
    run_loop_function(function, [expected, x])
    compiled.run(function.sym_name.data, [found, x])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_every_form_is_free_of_warnings(tmp_path: Path) -> None:
    text = ACCESSES.format(name="access", lanes=16)
    for flags in FORMS.values():
        CompiledKernels(parse(text), tmp_path, flags)
