"""Sections in line buffers compute what they compute whole, whatever their windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.analysis.network.functions import main_of
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, type_of
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.buffer_sections import BufferSectionsPass
from s2s.types.dtypes import Array, tensor_type
from s2s.types.shapes import ShapeError
from s2s.types.weights import WeightStore


@dataclass(frozen=True)
class Layer:
    """A convolution, depthwise or not, or a pool, and what follows it."""

    kind: str
    kernel: int
    stride: int
    dilation: int
    pads: tuple[int, int]
    channels: int


LAYERS = st.builds(
    Layer,
    st.sampled_from(["conv", "depthwise", "max_pool", "avg_pool"]),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.integers(1, 4),
)


def chain_of(layers: Sequence[Layer], rows: int, element: str, rng: np.random.Generator) -> tuple[ModuleOp, int]:
    """A network of one chain, and how many operations it has."""
    x = tensor_type(i8 if element == "int8" else f32, (1, rows, 5, 2))
    block = Block(arg_types=[x])
    value: SSAValue = block.args[0]
    count = 0
    for layer in layers:
        for op in _operations(value, layer, rng):
            block.add_op(op)
            count += not isinstance(op, graph.ConstantOp)
            value = op.results[0]
    block.add_op(ReturnOp(value))
    return ModuleOp([FuncOp("main", ([x], [value.type]), Region(block))]), count


def _operations(x: SSAValue, layer: Layer, rng: np.random.Generator) -> list[graph.ConstantOp | GraphOp]:
    lo, hi = layer.pads
    strides, pads, dilations = [layer.stride, 1], [lo, 1, hi, 1], [layer.dilation, 1]
    kernel = [layer.kernel, 3]
    if layer.kind == "max_pool":
        return [graph.MaxPoolOp(x, kernel=kernel, strides=strides, pads=pads, dilations=dilations, layout="NHWC")]
    if layer.kind == "avg_pool":
        pool = partial(graph.AvgPoolOp, counted_pads=[lo // 2, 0, hi // 2, 1], layout="NHWC")
        return [pool(x, kernel=kernel, strides=strides, pads=pads, dilations=dilations)]
    inputs = type_of(x).get_shape()[-1]
    depthwise = layer.kind == "depthwise"
    outputs, groups = (inputs, inputs) if depthwise else (layer.channels, 1)
    shape = (outputs, inputs // groups, *kernel)
    convolution = partial(graph.ConvOp, strides=strides, pads=pads, dilations=dilations, groups=groups, layout="NHWC")
    if type_of(x).element_type == f32:
        weights = graph.ConstantOp(rng.standard_normal(shape).astype(np.float32))
        conv = convolution(x, weights.y)
        return [weights, conv, graph.ClampOp(conv.y, min=0.0)]
    weights = graph.ConstantOp(rng.integers(-128, 128, shape).astype(np.int8))
    bias = graph.ConstantOp(rng.integers(-999, 999, outputs).astype(np.int32))
    conv = convolution(x, weights.y, bias.y, input_zp=-3)
    multiplier = graph.ConstantOp(rng.integers(2**30, 2**31 - 1, outputs).astype(np.int32))
    shift = graph.ConstantOp(np.full(outputs, -7, np.int8))
    scaled = graph.RescaleOp(conv.y, multiplier.y, shift.y, i8, rounding="double", output_zp=5, axis=3)
    return [weights, bias, conv, multiplier, shift, scaled]


def buffered(module: ModuleOp, first: int, last: int) -> ModuleOp:
    """`module` after the pass, verified."""
    changed = module.clone()
    BufferSectionsPass(first=(first,), last=(last,)).apply(CompilerContext(WeightStore()), changed)
    changed.verify()
    return changed


@given(
    layers=st.lists(LAYERS, min_size=1, max_size=4),
    rows=st.integers(4, 20),
    skipped=st.integers(0, 3),
    element=st.sampled_from(["int8", "float32"]),
    seed=st.integers(0, 99),
)
@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much])
def test_line_buffers_keep_the_numbers(layers: list[Layer], rows: int, skipped: int, element: str, seed: int):
    rng = np.random.default_rng(seed)
    try:
        module, count = chain_of(layers, rows, element, rng)
    except ShapeError:
        return
    shape = type_of(main_of(module).args[0]).get_shape()
    x: Array = rng.integers(-128, 128, shape).astype(element)
    changed = buffered(module, min(skipped, count - 1), count - 1)
    [expected], [found] = (run_graph(each, [x], WeightStore()) for each in (module, changed))
    if element == "int8":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
