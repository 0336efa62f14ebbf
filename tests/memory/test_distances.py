"""Distances at which outputs may overlap inputs: the derived ones equal those observed by running the loops."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.interpret.loop import run_loop_function
from s2s.interpret.loop.scope import memref
from s2s.memory.distances import distances
from s2s.passes.context import CompilerContext
from s2s.passes.loop.run_backwards import backwards
from s2s.registry import get_pass
from s2s.types.dtypes import Array, to_numpy
from s2s.types.shapes.window import Layout
from support.kernels import kernel, lowered
from support.overlaps import watch
from support.parse import parse

TARGETS = ("c", "cortex-m4", "x86-64-v3")


def loops_of(build: Callable[..., Operation], shapes: list[tuple[int, ...]], target: str) -> FuncOp:
    """The kernel of one operation as loops, tuned for `target`."""
    function = lowered(kernel(build, [np.zeros(shape, np.float32) for shape in shapes]))
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    ctx = CompilerContext()
    for name in ("tensor-collapse-dims", "tensor-pick-schedule", "tensor-lower-to-loop", "cse", "dce"):
        options = {"target": target} if name == "tensor-pick-schedule" else {}
        get_pass(name)(**options).apply(ctx, module)
    return next(op for op in module.walk() if isinstance(op, FuncOp))


def check(function: FuncOp) -> None:
    """Whatever is allowed must be harmless when the kernel runs."""
    output, read = function.body.block.args[:2]
    derived, seen = distances(function, output, read), watch(function, output, read)
    for distance in range(-derived.output - 1, derived.input + 2):
        assert not derived.allows(distance) or seen.allows(distance), distance


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Callable[[SSAValue, SSAValue], Operation], list[tuple[int, ...]]]:
    """A small convolution of any kind."""
    channels, outputs = draw(st.sampled_from([(1, 3), (2, 2), (4, 4), (3, 8), (8, 3)]))
    groups = draw(st.sampled_from([1, channels])) if channels == outputs else 1
    window = (draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    size = (draw(st.integers(3, 7)), draw(st.integers(3, 7)))
    strides = [draw(st.integers(1, 2)), draw(st.integers(1, 2))]
    pads = [draw(st.integers(0, extent - 1)) for extent in (*window, *window)]
    layout: Layout = draw(st.sampled_from(["NCHW", "NHWC"]))
    image = (1, channels, *size) if layout == "NCHW" else (1, *size, channels)

    def build(x: SSAValue, w: SSAValue) -> Operation:
        return graph.ConvOp(x, w, strides=strides, pads=pads, dilations=[1, 1], groups=groups, layout=layout)

    return build, [image, (outputs, channels // groups, *window)]


@given(convolutions(), st.sampled_from(TARGETS))
@settings(max_examples=40)
def test_convolutions_overlap_only_where_running_them_shows_no_harm(
    case: tuple[Callable[..., Operation], list[tuple[int, ...]]], target: str
) -> None:
    build, shapes = case
    check(loops_of(build, shapes, target))


@given(convolutions(), st.sampled_from(TARGETS))
@settings(max_examples=30)
def test_convolutions_run_backwards_compute_the_same_and_overlap_as_far_as_running_them_shows(
    case: tuple[Callable[[SSAValue, SSAValue], Operation], list[tuple[int, ...]]], target: str
) -> None:
    build, shapes = case
    forwards = loops_of(build, shapes, target)
    turned = backwards(forwards)
    if turned is not None:
        turned.verify()
        check(turned)
        np.testing.assert_array_equal(result_of(turned), result_of(forwards))


def result_of(function: FuncOp) -> Array:
    """What a kernel writes for made-up operands."""
    rng = np.random.default_rng(0)
    types = [memref(argument) for argument in function.body.block.args]
    buffers = [rng.integers(-9, 9, type.get_shape()).astype(to_numpy(type.element_type)) for type in types]
    run_loop_function(function, buffers)
    return buffers[0]


def tanh(x: SSAValue) -> Operation:
    return graph.TanhOp(x)


def transpose(x: SSAValue) -> Operation:
    return graph.TransposeOp(x, perm=[0, 2, 1])


def mean(x: SSAValue) -> Operation:
    return graph.ReduceMeanOp(x, axes=[1])


def softmax(x: SSAValue) -> Operation:
    return graph.SoftmaxOp(x, axis=2)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("build", [tanh, transpose, mean, softmax])
def test_other_kernels_overlap_only_where_running_them_shows_no_harm(
    build: Callable[[SSAValue], Operation], target: str
) -> None:
    check(loops_of(build, [(2, 5, 6)], target))


def function_of(text: str) -> FuncOp:
    """The only function of a module."""
    return next(op for op in parse(text).body.block.ops if isinstance(op, FuncOp))


def interval(text: str) -> tuple[int, int] | None:
    """The distances that are not allowed, for the first two arguments."""
    function = function_of(text)
    check(function)
    output, read = function.body.block.args[:2]
    return distances(function, output, read).interval


COPY = """
func.func private @k(%y: memref<32xi8>, %x: memref<32xi8>) {{
  loop.for %i = 0 to 32 step {step} {{
    {loads}
    {stores}
  }}
  func.return
}}
"""


def test_an_elementwise_kernel_may_write_its_input_from_the_start_or_before() -> None:
    one = COPY.format(
        step=1,
        loads="%v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xi8> -> i8",
        stores="loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : i8, memref<32xi8>",
    )
    assert interval(one) == (0, 32)


def test_a_reversed_copy_needs_room_for_all() -> None:
    reversed_copy = COPY.format(
        step=1,
        loads="%v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xi8> -> i8",
        stores="loop.store %v, %y[affine_map<(d0) -> (31 - d0)>(%i)] : i8, memref<32xi8>",
    )
    assert interval(reversed_copy) == (-31, 31)


def test_vectors_are_read_and_written_as_wholes() -> None:
    vectors = COPY.format(
        step=8,
        loads="%v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xi8> -> vector<8xi8>",
        stores="loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : vector<8xi8>, memref<32xi8>",
    )
    assert interval(vectors) == (0, 32)


PLANES = """
func.func private @k(%y: memref<24xi8>, %x: memref<24xi8>, %scratch: memref<6xi16>) {
  loop.for %c = 0 to 4 {
    loop.for %p = 0 to 6 {
      %v = loop.load %x[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%p, %c)] : memref<24xi8> -> i8
      %w = arith.extsi %v : i8 to i16
      loop.store %w, %scratch[affine_map<(d0) -> (d0)>(%p)] : i16, memref<6xi16>
    }
    loop.for %p = 0 to 6 {
      %w = loop.load %scratch[affine_map<(d0) -> (d0)>(%p)] : memref<6xi16> -> i16
      %v = arith.trunci %w : i16 to i8
      loop.store %v, %y[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%p, %c)] : i8, memref<24xi8>
    }
  }
  func.return
}
"""


def test_channel_by_channel_through_a_copy_of_the_plane_runs_in_place() -> None:
    function = function_of(PLANES)
    check(function)
    output, read = function.body.block.args[:2]
    found = distances(function, output, read)
    assert [distance for distance in range(-8, 9) if found.allows(distance)] == [-8, -4, 0, 4, 8]
    assert found.forbidden([0, 3]) == ((-20, 0), (0, 24))


def test_a_position_that_depends_on_data_keeps_the_buffers_apart() -> None:
    gather = """
    func.func private @k(%y: memref<4xi8>, %x: memref<8xi8>, %at: memref<4xi64>) {
      loop.for %i = 0 to 4 {
        %n = loop.load %at[affine_map<(d0) -> (d0)>(%i)] : memref<4xi64> -> i64
        %p = arith.index_cast %n : i64 to index
        %v = loop.load_at %x[%p] : memref<8xi8> -> i8
        loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : i8, memref<4xi8>
      }
      func.return
    }
    """
    function = function_of(gather)
    output, read = function.body.block.args[:2]
    assert distances(function, output, read).interval == (-3, 8)
