"""Convolutions of bytes by tiles give the integers of the convolution, every bit: any image, border, zero point."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.analysis.numbers.integer_ranges import transform_interval
from s2s.analysis.structure.convolutions import convolution_of
from s2s.decisions.algorithm import AlgorithmKind, FilteredConvolution
from s2s.dialects import tensor
from s2s.interpret.tensor import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.passes.tensor.pick_schedule import PickSchedulePass
from s2s.passes.tensor.transform_convolutions import TransformConvolutionsPass
from s2s.schedules.convolutions import tiles_of
from s2s.targets import get_target
from s2s.types.dtypes import Array
from support.c_kernels import CompiledKernels
from support.numbers import functions, results
from support.parse import parse

TARGETS = ("x86-64-v3", "cortex-m4")
LANES = 8


@dataclass(frozen=True)
class Case:
    """A convolution of bytes, whose results are sums of 32 bits with a bias, or bytes with a residual."""

    rows: int
    columns: int
    in_channels: int = LANES
    out_channels: int = LANES
    pad: int = 1
    zero_point: int = -128
    to_bytes: bool = False
    extreme: bool = False
    """Whether images and filters hold the largest and the smallest byte alone."""
    target: str = TARGETS[0]
    outputs: int = 2
    """The results along the side of a tile."""

    @property
    def y(self) -> tuple[int, int, int]:
        """The shape of the result."""
        return self.rows + 2 * self.pad - 2, self.columns + 2 * self.pad - 2, self.out_channels

    @property
    def w(self) -> tuple[int, int, int, int]:
        """The shape of the filter."""
        return self.out_channels, self.in_channels, 3, 3

    def text(self) -> str:
        """The kernel, and a network that calls it."""
        element = "i8" if self.to_bytes else "i32"
        x = f"tensor<{self.rows}x{self.columns}x{self.in_channels}xi8>"
        w, b = f"tensor<{'x'.join(map(str, self.w))}xi8>", f"tensor<{self.out_channels}xi32>"
        y, z = (f"tensor<{'x'.join(map(str, self.y))}x{each}>" for each in (element, "i8"))
        at = f"h + r - {self.pad}, w + s - {self.pad}, i"
        end = _BYTES if self.to_bytes else "%e = arith.addi %c, %q : i32\n            tensor.yield %e : i32"
        return f"""
        func.func private @k(%x: {x}, %w: {w}, %b: {b}, %z: {z}) -> {y} {{
          %y = tensor.compute [{", ".join(map(str, self.y))} | {self.in_channels}, 3, 3]
            reads(%x at #tensor.access<affine_map<(h, w, o, i, r, s) -> ({at})>, guarded>,
                  %w at #tensor.access<affine_map<(h, w, o, i, r, s) -> (o, i, r, s)>>)
            epilogue(%b at #tensor.access<affine_map<(h, w, o) -> (o)>>,
                     %z at #tensor.access<affine_map<(h, w, o) -> (h, w, o)>>)
            inits [0 : i32] reduce {{
          ^bb0(%xv: i8, %wv: i8, %acc: i32):
            %x0 = arith.extsi %xv : i8 to i32
            %zero = arith.constant {self.zero_point} : i32
            %x1 = arith.subi %x0, %zero : i32
            %w1 = arith.extsi %wv : i8 to i32
            %p = arith.muli %x1, %w1 : i32
            %s = arith.addi %acc, %p : i32
            tensor.yield %s : i32
          }} apply {{
          ^bb0(%acc: i32, %bv: i32, %zv: i8):
            %c = arith.addi %acc, %bv : i32
            %q = arith.extsi %zv : i8 to i32
            {end}
          }} : ({x}, {w}, {b}, {z}) -> {y}
          func.return %y : {y}
        }}
        func.func @main(%x: {x}, %b: {b}, %z: {z}) -> {y} {{
          %w = graph.weight "w" {{hash = "0"}} : {w}
          %y = graph.call @k(%x, %w, %b, %z) : ({x}, {w}, {b}, {z}) -> {y}
          func.return %y : {y}
        }}"""

    def arrays(self) -> list[Array]:
        """Image, filter, bias and residual."""
        rng = np.random.default_rng(5)
        shapes = (self.rows, self.columns, self.in_channels), self.w, self.y
        if self.extreme:
            x, w, z = (rng.choice(np.array([-128, 127], np.int8), shape) for shape in shapes)
        else:
            x, w, z = (rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes)
        return [x, w, rng.integers(-1000, 1000, self.out_channels).astype(np.int32), z]


_BYTES = """%places = arith.constant 9 : i32
            %f = arith.shrsi %c, %places : i32
            %g = arith.addi %f, %q : i32
            %low = arith.constant -128 : i32
            %high = arith.constant 127 : i32
            %h = arith.maxsi %g, %low : i32
            %i = arith.minsi %h, %high : i32
            %j = arith.trunci %i : i32 to i8
            tensor.yield %j : i8"""


def kernel_of(module: ModuleOp) -> FuncOp:
    """The kernel of a case."""
    return next(each for each in functions(module) if each.sym_name.data == "k")


def transformed(case: Case) -> tuple[CompilerContext, ModuleOp]:
    """The case by tiles."""
    module, ctx = parse(case.text()), CompilerContext()
    ctx.weights.add("w", case.arrays()[1])
    TransformConvolutionsPass(case.target, case.outputs).apply(ctx, module)
    module.verify()
    assert sum(isinstance(op, tensor.TransformOp) for op in module.walk()) == 2
    return ctx, module


def lowered(case: Case, cache: int, threads: int = 1) -> tuple[CompilerContext, ModuleOp]:
    """The kernel in loops over buffers."""
    ctx, module = transformed(case)
    target = get_target(case.target)
    ctx.targets[case.target] = replace(target, l2_bytes=cache if target.l2_bytes else 0)
    PickSchedulePass(case.target, threads=threads).apply(ctx, module)
    PackConstantsPass().apply(ctx, module)
    module.verify()
    LowerToLoopPass().apply(ctx, module)
    module.verify()
    return ctx, module


def expected_of(case: Case) -> Array:
    """What the convolution gives."""
    return run_tensor(kernel_of(parse(case.text())), case.arrays(), fast=True)[0]


CASES = st.builds(
    Case,
    rows=st.integers(3, 9),
    columns=st.integers(3, 9),
    in_channels=st.sampled_from([8, 16]),
    out_channels=st.sampled_from([8, 16, 24]),
    pad=st.integers(0, 2),
    zero_point=st.sampled_from([-128, -9, 0, 127]),
    to_bytes=st.booleans(),
    extreme=st.booleans(),
    target=st.sampled_from(TARGETS),
    outputs=st.sampled_from([2, 4]),
).filter(lambda case: min(case.y[:2]) >= 2)
LARGEST = Case(5, 4, 16, 16, zero_point=127, extreme=True)
LARGEST_IN_WORDS = replace(LARGEST, target="cortex-m4", outputs=4)


@settings(max_examples=20)
@example(LARGEST)
@example(LARGEST_IN_WORDS)
@given(CASES)
def test_tiles_of_any_image_are_the_convolution(case: Case) -> None:
    ctx, module = transformed(case)
    x, _, b, z = case.arrays()
    main = next(each for each in functions(module) if each.sym_name.data == "main")
    assert np.array_equal(run_tensor(main, [x, b, z], ctx.weights)[0], expected_of(case))


@settings(max_examples=8)
@example(LARGEST, 4_000, 1)
@example(LARGEST_IN_WORDS, 0, 1)
@given(CASES, st.sampled_from([0, 4_000, 2_000_000]), st.integers(1, 3))
def test_loops_in_any_blocks_give_the_same_integers(case: Case, cache: int, threads: int) -> None:
    ctx, module = lowered(case, cache, threads)
    x, _, b, z = case.arrays()
    (found,) = results(kernel_of(module), [x, packed(ctx), b, z], ctx.weights)
    assert np.array_equal(found.ravel(), expected_of(case).ravel())


def packed(ctx: CompilerContext) -> Array:
    """The weights as the kernel reads them."""
    return ctx.weights.get(list(ctx.weights.names())[-1])


@pytest.mark.parametrize("outputs", [2, 4])
@pytest.mark.parametrize(
    ("target", "flags"),
    [
        ("x86-64-v3", ("-O1", "-DS2S_SIMD_PORTABLE")),
        ("x86-64-v3", ("-O2", "-march=native")),
        ("x86-64-v3", ("-O2", "-mavx2")),
        ("cortex-m4", ("-O2", "-fsanitize=undefined", "-fno-sanitize-recover=all")),
    ],
)
def test_compiled_tiles_give_the_integers_of_the_convolution(
    tmp_path: Path, target: str, flags: tuple[str, ...], outputs: int
) -> None:
    case = Case(7, 6, 16, 24, to_bytes=True, target=target, outputs=outputs)
    ctx, module = lowered(case, 2_000_000)
    for each in functions(module):
        if each.sym_name.data == "main":
            each.detach()
    x, _, b, z = case.arrays()
    y = np.zeros(case.y, np.int8)
    CompiledKernels(module, tmp_path, flags).run("k", [y, x, packed(ctx), b, z, *scratch_of(module)])
    assert np.array_equal(y, expected_of(case))


def scratch_of(module: ModuleOp) -> list[Array]:
    """Room for what the kernel keeps between its computations."""
    types = [str(type) for type in kernel_of(module).function_type.inputs.data[5:]]
    sizes = [type.removeprefix("memref<").removesuffix(">").split("x") for type in types]
    return [np.zeros(int(size), {"i16": np.int16, "i32": np.int32}[element]) for size, element in sizes]


def test_sums_that_could_leave_their_bits_are_refused() -> None:
    kernel = kernel_of(parse(Case(3, 3, in_channels=120).text()))
    (conv,) = [found for op in kernel.walk() if isinstance(op, tensor.ComputeOp) and (found := convolution_of(op))]
    subject = FilteredConvolution(conv, kernel, "k", "", 0, 0, tiles_of(conv, get_target("cortex-m4")))
    assert AlgorithmKind().legal(subject, "winograd 2x2") is None
    assert AlgorithmKind().legal(subject, "winograd 4x4") == (
        "sums of 120 channels could leave 26 bits; give direct, or smaller tiles"
    )


@pytest.mark.parametrize(("channels", "outputs"), [(1832, 2), (120, 4)])
def test_sums_that_could_leave_their_bits_are_not_transformed(channels: int, outputs: int) -> None:
    case = Case(3, 3, in_channels=channels, zero_point=-128)
    module, ctx = parse(case.text()), CompilerContext()
    ctx.weights.add("w", case.arrays()[1])
    TransformConvolutionsPass(case.target, outputs).apply(ctx, module)
    assert sum(isinstance(op, tensor.TransformOp) for op in module.walk()) == 0


@settings(max_examples=10)
@given(CASES)
def test_intervals_hold_the_largest_result_and_no_more(case: Case) -> None:
    """An image of the extreme bytes that the filter asks for reaches the bound, up to its rounding."""
    ctx, module = transformed(replace(case, extreme=True))
    kernel = kernel_of(module)
    last = [op for op in kernel.body.block.ops if isinstance(op, tensor.TransformOp)][-1]
    filters = ctx.weights.get(list(ctx.weights.names())[-1])
    interval = transform_interval(last, {kernel.body.block.args[1]: [filters]})
    assert interval is not None
    largest = max(abs(-128 - case.zero_point), abs(127 - case.zero_point))
    w = replace(case, extreme=True).arrays()[1].astype(np.int64)
    assert interval[1] == -interval[0] == largest * np.abs(w).sum(axis=(1, 2, 3)).max()
