"""Multiply-adds that operators state are those that interpreters carry out: with ones for all elements, the sum of the
results counts the products."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.test_value import create_ssa_value

from s2s.analysis.cost.kernels import kernel_cost
from s2s.analysis.cost.operators import multiply_adds_of_network
from s2s.analysis.network.functions import main_of
from s2s.dialects import graph
from s2s.dialects.graph.interfaces import ProductInterface, multiply_adds
from s2s.interpret.graph.evaluate import evaluate
from s2s.interpret.graph.work import is_foldable, padded_elements
from s2s.interpret.tensor import run_tensor
from s2s.types.dtypes import Array, tensor_type, type_of_array
from support.kernels import Build, kernel, lowered
from support.onnx_nodes import import_model
from support.onnx_text import onnx_model

Case = tuple[Build, list[Array]]


def ones(*shape: int) -> Array:
    return np.ones(shape, np.float32)


@st.composite
def convolutions(draw: st.DrawFn) -> Case:
    """A convolution without padding."""
    rank, groups = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    taps, strides, dilations = (draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)) for _ in range(3))
    channels, outputs = draw(st.integers(1, 3)), groups * draw(st.integers(1, 3))
    extents = [1 + (tap - 1) * dilation for tap, dilation in zip(taps, dilations, strict=True)]
    x = ones(draw(st.integers(1, 2)), groups * channels, *(extent + draw(st.integers(0, 3)) for extent in extents))

    def build(x: SSAValue, w: SSAValue) -> Operation:
        return graph.ConvOp(x, w, strides=strides, pads=[0] * 2 * rank, dilations=dilations, groups=groups)

    return build, [x, ones(outputs, channels, *taps)]


@st.composite
def transposed_convolutions(draw: st.DrawFn) -> Case:
    """A transposed convolution without padding, but for the far side of its output."""
    rank, groups = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    taps, strides, dilations = (draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank)) for _ in range(3))
    channels, outputs = groups * draw(st.integers(1, 3)), draw(st.integers(1, 3))
    padding = [draw(st.integers(0, stride - 1)) for stride in strides]
    x = ones(draw(st.integers(1, 2)), channels, *(draw(st.integers(1, 4)) for _ in range(rank)))

    def build(x: SSAValue, w: SSAValue) -> Operation:
        return graph.ConvTransposeOp(
            x,
            w,
            strides=strides,
            pads=[0] * 2 * rank,
            dilations=dilations,
            groups=groups,
            output_padding=padding,
        )

    return build, [x, ones(channels, outputs, *taps)]


@st.composite
def products(draw: st.DrawFn) -> Case:
    """A product of matrices, transposed or not, of batches that broadcast."""
    i, j, k, batch = (draw(st.integers(1, 4)) for _ in range(4))
    first, second = draw(st.booleans()), draw(st.booleans())
    a, b = ((k, i) if first else (i, k)), ((j, k) if second else (k, j))
    a, b = draw(st.sampled_from([(a, b), ((batch, *a), b), ((batch, *a), (1, *b)), ((1, *a), (batch, *b))]))

    def build(x: SSAValue, y: SSAValue) -> Operation:
        return graph.MatmulOp(x, y, transpose_a=first, transpose_b=second)

    return build, [ones(*a), ones(*b)]


@given(st.one_of(convolutions(), transposed_convolutions(), products()))
def test_interpreters_multiply_as_often_as_the_operator_says(case: Case):
    build, inputs = case
    function = kernel(build, inputs)
    op = next(op for op in function.walk() if isinstance(op, ProductInterface))
    [meaning] = evaluate(op, inputs)
    [computed] = run_tensor(lowered(function), inputs)
    assert meaning.sum() == computed.sum() == op.multiply_adds
    assert meaning.max() <= op.terms
    assert meaning.max() == op.terms or isinstance(op, graph.ConvTransposeOp)


BLOCKS: list[tuple[Callable[[list[SSAValue]], Operation], list[Array]]] = [
    (
        lambda values: graph.BlockwiseMatmulOp(*values, bits=8),
        [ones(3, 8), np.ones((5, 2, 4), np.int8), ones(5, 2)],
    ),
    (
        lambda values: graph.CodebookMatmulOp(*values),
        [ones(3, 8), np.zeros((5, 2, 2), np.int8), ones(16), ones(5, 2)],
    ),
    (
        lambda values: graph.BlockwiseDotOp(*values, bits=8),
        [np.ones((3, 2, 1, 4), np.int8), ones(3, 2), np.ones((5, 2, 4), np.int8), ones(5, 2)],
    ),
]


@pytest.mark.parametrize(("build", "inputs"), BLOCKS, ids=["blockwise", "codebook", "dot"])
def test_products_with_packed_weights_count_each_weight(
    build: Callable[[list[SSAValue]], Operation], inputs: list[Array]
):
    op = build([create_ssa_value(type_of_array(x)) for x in inputs])
    [result] = evaluate(op, inputs)
    assert result.sum() == multiply_adds(op) == 3 * 5 * 8


@pytest.mark.parametrize(("size", "taps", "stride", "pad"), [(5, 2, 2, 0), (5, 4, 2, 1), (3, 3, 3, 0), (4, 3, 1, 1)])
def test_a_kernel_counts_no_products_that_a_stride_skips(size: int, taps: int, stride: int, pad: int):
    inputs = [ones(1, 2, size), ones(2, 3, taps)]
    function = kernel(
        lambda x, w: graph.ConvTransposeOp(
            x, w, strides=[stride], pads=[pad, pad], dilations=[1], groups=1, output_padding=[0]
        ),
        inputs,
    )
    op = next(op for op in function.walk() if isinstance(op, ProductInterface))
    assert kernel_cost(lowered(function), ()).operations.floats == 2 * op.multiply_adds


def value(*shape: int) -> SSAValue:
    return create_ssa_value(tensor_type(f32, shape))


def transposed(
    x: tuple[int, ...], w: tuple[int, ...], stride: int, pads: list[int], groups: int = 1
) -> graph.ConvTransposeOp:
    return graph.ConvTransposeOp(
        value(*x), value(*w), strides=[stride], pads=pads, dilations=[1], groups=1, output_padding=[0]
    )


def test_a_transposed_convolution_of_many_channels_is_not_folded():
    assert not is_foldable(transposed((1, 2**20, 64), (2**20, 1, 3), 1, [0, 0]))


def test_a_result_that_padding_cuts_off_counts_before_it_is_cut():
    op = transposed((1, 1, 3), (1, 1, 3), 2**27, [2**27, 2**27])
    assert op.y.type.get_shape() == (1, 1, 3)
    assert padded_elements(op) == 2**28 + 3
    assert not is_foldable(op)


LOOP = """(float[7, 4] x, float[4, 4] w) => (float[7, 4] y) {
    init = Constant <value = float[4] {0, 0, 0, 0}> ()
    last, y = Scan <num_scan_inputs = 1, body = b (float[4] a, float[4] s) => (float[4] c, float[4] z) {
        p = MatMul(s, w)
        z = Add(a, p)
        c = Identity(z)
    }> (init, x)
}"""


def test_the_body_of_a_scan_counts_in_each_step():
    module = import_model(onnx_model(LOOP)).module
    assert multiply_adds_of_network(main_of(module)) == 7 * 16
