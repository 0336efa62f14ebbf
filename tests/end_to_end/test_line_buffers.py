"""Networks in line buffers: the same numbers in less RAM, at every level and in C."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from s2s import api
from s2s.compilation import Compilation
from s2s.decisions.line_buffers import BufferedNetwork, LineBuffersKind
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.traits import set_provenance
from s2s.frontends.model import GraphModel
from s2s.interpret.graph import run_graph
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor import run_tensor
from s2s.options import CompileOptions
from s2s.types.dtypes import Array, tensor_type
from s2s.types.sizes import SizeRange, sizes_attribute
from s2s.types.weights import WeightStore
from support.compiled import compiled, run_c
from support.project import SHARED

VWW = SHARED / "models" / "mlperf_tiny" / "vww_96_int8"
SHAPE = (1, 24, 24, 8)


def block(element: Attribute) -> ModuleOp:
    """An inverted bottleneck: six times as many channels, a depthwise convolution, and back."""
    rng = np.random.default_rng(4)
    x = tensor_type(element, SHAPE)
    body = Block(arg_types=[x])
    value: SSAValue = body.args[0]
    for outputs, groups, kernel, name in ((48, 1, 1, "expand"), (48, 48, 3, "depthwise"), (8, 1, 1, "project")):
        value = _layer(body, value, (outputs, groups, kernel), rng, name)
    body.add_op(ReturnOp(value))
    return ModuleOp([FuncOp("main", ([x], [value.type]), Region(body))])


def _layer(body: Block, x: SSAValue, form: tuple[int, int, int], rng: np.random.Generator, name: str) -> SSAValue:
    """A convolution and what follows it; `form` are outputs, groups and the size of the kernel."""
    outputs, groups, kernel = form
    shape = (outputs, type_of(x).get_shape()[-1] // groups, kernel, kernel)
    pads = [kernel // 2] * 4
    integer = type_of(x).element_type == i8
    weights = rng.integers(-128, 128, shape).astype(np.int8) if integer else rng.normal(size=shape).astype(np.float32)
    w = graph.ConstantOp(weights)
    zero_point = 3 if integer else 0
    conv = graph.ConvOp(
        x, w.y, strides=[1, 1], pads=pads, dilations=[1, 1], groups=groups, layout="NHWC", input_zp=zero_point
    )
    set_provenance(conv, [name])
    body.add_ops([w, conv])
    if not integer:
        relu = graph.ClampOp(conv.y, min=0.0)
        body.add_op(relu)
        return relu.y
    multiplier = graph.ConstantOp(rng.integers(2**30, 2**31 - 1, outputs).astype(np.int32))
    shift = graph.ConstantOp(np.full(outputs, -9, np.int8))
    scaled = graph.RescaleOp(conv.y, multiplier.y, shift.y, i8, rounding="double", output_zp=3, axis=3)
    body.add_ops([multiplier, shift, scaled])
    return scaled.y


def image(element: Attribute) -> Array:
    """An input."""
    rng = np.random.default_rng(5)
    return rng.integers(-128, 128, SHAPE).astype(np.int8 if element == i8 else np.float32)


@pytest.mark.parametrize("element", [i8, f32], ids=str)
def test_levels_agree(element: Attribute):
    module = block(element)
    last = 5
    options = CompileOptions(target="c", line_buffers=((0, last),))
    compilation = Compilation(GraphModel(module, {}, "net"), options)
    scheduled, planned = compilation.at("tensor"), compilation.at("memory")
    assert any(isinstance(op, graph.LineBuffersOp) for op in scheduled.module.walk())
    x = image(element)
    [expected] = run_graph(module, [x], WeightStore())
    [tensor] = run_tensor(scheduled.module, [x], scheduled.weights)
    [loop] = run_loop(planned.module, [x], planned.weights)
    for found in (tensor, loop):
        np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-4, atol=1e-2)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("element", "target", "factor"), [(i8, "cortex-m4", 4), (f32, "c", 2)], ids=str)
def test_a_budget_makes_a_bottleneck_small(element: Attribute, target: str, factor: int):
    module, x = block(element), image(element)
    [expected] = run_graph(module, [x], WeightStore())
    whole = Compilation(GraphModel(module, {}, "net"), CompileOptions(target=target, ram_budget="min", scratch=0))
    with compiled(module, target=target, ram_budget="min", poison=True) as artifact:
        [found] = run_c(artifact, [x])
        info, report = artifact.info, artifact.report()
    assert info.arena_size * factor < whole.info.arena_size
    assert "expand" in report.line_buffers
    if element == i8:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-2)


@pytest.mark.skipif(not VWW.with_suffix(".tflite").exists(), reason="the shared models are not there")
def test_vww_takes_little_more_than_its_input():
    with np.load(f"{VWW}_golden.npz") as golden:
        x, expected = golden["x"], golden["y"]
    with api.compile(VWW.with_suffix(".tflite"), target="cortex-m4", ram_budget=28_000, poison=True) as artifact:
        assert artifact.info.arena_size + artifact.info.ports_size <= 28_000
        [layers] = artifact.info.line_buffers
        assert 0 < layers.kept < 2_500
        assert (artifact.info.extra_operations or 0) < 0.02
        for each, wanted in zip(x, expected, strict=True):
            [found] = run_c(artifact, [each])
            np.testing.assert_array_equal(found, wanted)


def test_line_buffers_of_networks_with_varying_sizes_are_refused():
    module = block(f32)
    module.attributes["sizes"] = sizes_attribute({"N": SizeRange(1, 24)})
    reason = LineBuffersKind().legal(BufferedNetwork(module, ()), ((0, 5),))
    assert reason == "a line buffer has a constant number of rows, and sizes of this network vary"
