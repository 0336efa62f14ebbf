"""Convolutions by tiles give the numbers of the convolution: any image, any border, in any blocks."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.dialects import tensor
from s2s.interpret.tensor import run_tensor
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.passes.tensor.pick_schedule import PickSchedulePass
from s2s.passes.tensor.transform_convolutions import TransformConvolutionsPass
from s2s.pipeline import pipeline
from s2s.targets import Target, get_target
from s2s.types.dtypes import Array
from support.c_kernels import CompiledKernels
from support.numbers import functions, results
from support.parse import parse

TARGET = "x86-64-v3"
LANES = 8
BOUND = 7e-6
"""Error of the largest result; `docs/how-to/exact.md` states it."""


@dataclass(frozen=True)
class Case:
    """A convolution in blocks of channels, with bias, residual and relu."""

    rows: int
    columns: int
    in_blocks: int = 1
    out_blocks: int = 1
    images: int = 1
    top: int = 1
    left: int = 1
    bottom: int = 1
    right: int = 1

    @property
    def x(self) -> tuple[int, ...]:
        """The shape of the image."""
        return (self.images, self.in_blocks, self.rows, self.columns, LANES)

    @property
    def y(self) -> tuple[int, ...]:
        """The shape of the result."""
        rows, columns = self.rows + self.top + self.bottom - 2, self.columns + self.left + self.right - 2
        return (self.images, self.out_blocks, rows, columns, LANES)

    @property
    def w(self) -> tuple[int, ...]:
        """The shape of the filter."""
        return (self.out_blocks * LANES, self.in_blocks * LANES, 3, 3)

    def text(self) -> str:
        """The kernel, and a network that calls it."""
        x, y, w = (f"tensor<{'x'.join(map(str, shape))}xf32>" for shape in (self.x, self.y, self.w))
        bias = f"tensor<{self.w[0]}xf32>"
        n, o, h, v, p = self.y
        at = f"(n, i, h + r - {self.top}, w + s - {self.left}, q)"
        return f"""
        func.func private @k(%x: {x}, %w: {w}, %b: {bias}, %z: {y}) -> {y} {{
          %y = tensor.compute [{n}, {o}, {h}, {v}, {p} | {self.in_blocks}, {LANES}, 3, 3]
            reads(%x at #tensor.access<affine_map<(n, o, h, w, p, i, q, r, s) -> {at}>, guarded>,
                  %w at #tensor.access<affine_map<(n, o, h, w, p, i, q, r, s) -> (o * 8 + p, i * 8 + q, r, s)>>)
            epilogue(%b at #tensor.access<affine_map<(n, o, h, w, p) -> (o * 8 + p)>>,
                   %z at #tensor.access<affine_map<(n, o, h, w, p) -> (n, o, h, w, p)>>)
            inits [0.0 : f32] reduce {{
          ^bb0(%xv: f32, %wv: f32, %acc: f32):
            %p = arith.mulf %xv, %wv : f32
            %s = arith.addf %acc, %p : f32
            tensor.yield %s : f32
          }} apply {{
          ^bb0(%acc: f32, %bv: f32, %zv: f32):
            %c = arith.addf %acc, %bv : f32
            %d = arith.addf %c, %zv : f32
            %zero = arith.constant 0.0 : f32
            %e = arith.maximumf %d, %zero : f32
            tensor.yield %e : f32
          }} : ({x}, {w}, {bias}, {y}) -> {y}
          func.return %y : {y}
        }}
        func.func @main(%x: {x}, %b: {bias}, %z: {y}) -> {y} {{
          %w = graph.weight "w" {{hash = "0"}} : {w}
          %y = graph.call @k(%x, %w, %b, %z) : ({x}, {w}, {bias}, {y}) -> {y}
          func.return %y : {y}
        }}"""

    def arrays(self) -> list[Array]:
        """Image, filter, bias and residual."""
        rng = np.random.default_rng(5)
        shapes = (self.x, self.w, (self.w[0],), self.y)
        return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def kernel_of(module: ModuleOp) -> FuncOp:
    """The kernel of a case."""
    return next(each for each in functions(module) if each.sym_name.data == "k")


def transformed(case: Case, outputs: int) -> tuple[CompilerContext, ModuleOp]:
    """The case by tiles of `outputs` results along a side."""
    module, ctx = parse(case.text()), CompilerContext()
    ctx.weights.add("w", case.arrays()[1])
    TransformConvolutionsPass(TARGET, outputs).apply(ctx, module)
    module.verify()
    assert sum(isinstance(op, tensor.TransformOp) for op in module.walk()) == 2
    return ctx, module


def expected_of(case: Case) -> Array:
    """What the convolution gives."""
    x, w, b, z = case.arrays()
    return run_tensor(kernel_of(parse(case.text())), [x, w, b, z], fast=True)[0]


def assert_close(found: Array, expected: Array) -> None:
    """Hold the stated bound."""
    assert np.abs(found.ravel() - expected.ravel()).max() <= BOUND * max(1.0, np.abs(expected).max())


CASES = st.builds(
    Case,
    rows=st.integers(2, 14),
    columns=st.integers(2, 14),
    in_blocks=st.integers(1, 2),
    out_blocks=st.integers(1, 2),
    images=st.integers(1, 2),
    top=st.integers(0, 2),
    left=st.integers(0, 2),
    bottom=st.integers(0, 2),
    right=st.integers(0, 2),
).filter(lambda case: min(case.y[2:4]) >= 2)


@settings(max_examples=25)
@given(CASES, st.sampled_from([2, 4]))
def test_tiles_of_any_image_mean_the_convolution(case: Case, outputs: int):
    ctx, module = transformed(case, outputs)
    x, _, b, z = case.arrays()
    main = next(each for each in functions(module) if each.sym_name.data == "main")
    assert_close(run_tensor(main, [x, b, z], ctx.weights)[0], expected_of(case))


def lowered(case: Case, outputs: int, target: Target, threads: int = 1) -> tuple[CompilerContext, ModuleOp]:
    """The kernel alone, in loops over buffers."""
    ctx, module = transformed(case, outputs)
    ctx.targets[TARGET] = target
    PickSchedulePass(TARGET, threads=threads).apply(ctx, module)
    PackConstantsPass().apply(ctx, module)
    module.verify()
    LowerToLoopPass().apply(ctx, module)
    module.verify()
    return ctx, module


def packed(ctx: CompilerContext) -> Array:
    """The weights as the kernel reads them."""
    return ctx.weights.get(list(ctx.weights.names())[-1])


ONE_ROW_OF_TILES = Case(rows=2, columns=11, in_blocks=1, out_blocks=2, images=2, top=0, left=0, bottom=2, right=0)


@settings(max_examples=12)
@example(case=ONE_ROW_OF_TILES, outputs=2, cache=8_000, threads=1)
@given(
    case=CASES,
    outputs=st.sampled_from([2, 4]),
    cache=st.sampled_from([0, 8_000, 20_000, 60_000, 2_000_000]),
    threads=st.integers(1, 3),
)
def test_loops_in_any_blocks_give_the_same_numbers(case: Case, outputs: int, cache: int, threads: int):
    ctx, module = lowered(case, outputs, replace(get_target(TARGET), l2_bytes=cache), threads)
    x, _, b, z = case.arrays()
    (found,) = results(kernel_of(module), [x, packed(ctx), b, z], ctx.weights)
    assert_close(found, expected_of(case))


def scratch(case: Case, cache: int, threads: int = 1) -> list[str]:
    """The types of factors and products between the transforms of F(4x4)."""
    _, module = lowered(case, 4, replace(get_target(TARGET), l2_bytes=cache), threads)
    return [str(type) for type in kernel_of(module).function_type.inputs.data[5:7]]


def test_without_a_cache_all_tiles_are_in_memory():
    assert scratch(Case(32, 32), 0) == [f"memref<{36 * 64 * 8}xf32>"] * 2


def test_rows_of_tiles_stay_in_the_cache():
    assert scratch(Case(32, 32), 60_000) == [f"memref<{36 * 8 * 8}xf32>"] * 2


def test_blocks_of_rows_are_as_many_as_threads_can_share():
    assert scratch(Case(32, 32), 120_000) == [f"memref<{36 * 16 * 8}xf32>"] * 2
    assert scratch(Case(32, 32), 120_000, threads=3) == [f"memref<{36 * 8 * 8}xf32>"] * 2


def test_many_constants_are_streamed_once_past_a_few_channels():
    factors, products = scratch(Case(8, 8, 2, 8), 20_000)
    assert (factors, products) == (f"memref<{36 * 4 * 16}xf32>", f"memref<{36 * 4 * 16}xf32>")


@pytest.mark.parametrize("flags", [("-O1", "-DS2S_SIMD_PORTABLE"), ("-O2", "-march=native", "-ffp-contract=fast")])
@pytest.mark.parametrize("outputs", [2, 4])
def test_compiled_tiles_give_the_numbers_of_the_convolution(tmp_path: Path, flags: tuple[str, ...], outputs: int):
    case = Case(13, 11, 2, 2, images=2, bottom=0)
    ctx, module = lowered(case, outputs, get_target(TARGET))
    for each in functions(module):
        if each.sym_name.data == "main":
            each.detach()
    x, _, b, z = case.arrays()
    y = np.zeros(case.y, np.float32)
    CompiledKernels(module, tmp_path, flags).run("k", [y, x, packed(ctx), b, z, *scratch_of(module)])
    assert_close(y, expected_of(case))


def scratch_of(module: ModuleOp) -> list[Array]:
    """Room for what the kernel keeps between its computations."""
    types = kernel_of(module).function_type.inputs.data[5:]
    return [np.zeros(int(str(type).partition("<")[2].partition("x")[0]), np.float32) for type in types]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (CompileOptions(), True),
        (CompileOptions(exact=True), True),
        (CompileOptions(ram_budget=100_000), False),
        (CompileOptions(ram_budget=100_000, prefer="time"), True),
        (CompileOptions(prefer="ram"), False),
        (CompileOptions(schedule="reference"), False),
    ],
    ids=["default", "exact bytes", "ram budget", "time within it", "least ram", "reference"],
)
def test_tiles_are_left_out_where_memory_counts(options: CompileOptions, expected: bool):
    names = [each.name for each in pipeline(options)["tensor"]]
    assert (TransformConvolutionsPass.name in names) is expected
