"""Distances at which results of quantised layers may overlap their operands, on cores of all kinds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.frontends.model import GraphModel
from s2s.memory.distances import distances
from s2s.options import CompileOptions
from s2s.passes.loop.run_backwards import backwards
from s2s.types.dtypes import Array, tensor_type, type_of_array
from s2s.types.weights import WeightStore
from support.overlaps import watch

TARGETS = ("cortex-m0", "cortex-m4", "cortex-m55")


def layer(channels: int, outputs: int, groups: int, size: tuple[int, int], stride: int, window: int) -> GraphModel:
    """A convolution of 8-bit integers, rescaled to 8 bits, channels last."""
    rng, weights = np.random.default_rng(0), WeightStore()
    block = Block(arg_types=[tensor_type(i8, (1, *size, channels))])

    def constant(array: Array) -> SSAValue:
        name = weights.add("w", array)
        op = graph.WeightOp(name, type_of_array(array), weights.hash(name))
        block.add_op(op)
        return op.y

    kernel = rng.integers(-127, 128, (outputs, channels // groups, window, window)).astype(np.int8)
    multiplier, shift = np.full(outputs, 1 << 30, np.int32), np.full(outputs, -6, np.int8)
    pad = window // 2
    conv = graph.ConvOp(
        block.args[0],
        constant(kernel),
        constant(np.arange(outputs, dtype=np.int32)),
        strides=[stride, stride],
        pads=[pad, pad, pad, pad],
        dilations=[1, 1],
        groups=groups,
        layout="NHWC",
        input_zp=-3,
    )
    factors = constant(multiplier), constant(shift)
    rescale = graph.RescaleOp(conv.y, *factors, i8, rounding="double", output_zp=5, axis=3)
    block.add_ops([conv, rescale, ReturnOp(rescale.y)])
    types = [block.args[0].type], [rescale.y.type]
    module = ModuleOp([FuncOp("main", types, Region(block))])
    return GraphModel(module, {name: weights.get(name) for name in weights.names()}, "net")


@given(
    st.sampled_from([(4, 4, 1), (8, 8, 8), (16, 16, 16), (4, 12, 1), (16, 8, 1)]),
    st.tuples(st.integers(2, 6), st.integers(2, 6)),
    st.integers(1, 2),
    st.sampled_from([1, 3]),
    st.sampled_from(TARGETS),
)
@settings(max_examples=25)
def test_quantised_layers_overlap_only_where_running_them_shows_no_harm(
    channels: tuple[int, int, int], size: tuple[int, int], stride: int, window: int, target: str
) -> None:
    model = layer(*channels, size, stride, window)
    module = Compilation(model, CompileOptions(target=target)).at("memory").module
    kernels = [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data != "main"]
    for kernel in kernels:
        check(kernel)
        turned = backwards(kernel)
        if turned is not None:
            check(turned)


def check(function: FuncOp) -> None:
    """Whatever is allowed must be harmless when the kernel runs."""
    output, read = function.body.block.args[:2]
    derived, seen = distances(function, output, read), watch(function, output, read)
    for distance in range(-derived.output - 1, derived.input + 2):
        assert not derived.allows(distance) or seen.allows(distance), distance
