"""Networks over a sliding window that take the new frames: the results of the whole network on each window."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from xdsl.dialects.builtin import i8

from s2s.analysis.network.functions import input_numbers, main_of, state_arguments
from s2s.artifact import compile_artifact
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.model import Model, read
from s2s.frontends.tflite.writer import VALID, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions, Executor
from s2s.options.values import streams_of
from s2s.types.sizes import SizeRange
from s2s.types.sliding import Sliding
from support.onnx_text import onnx_model

Weights = Mapping[str, tuple[int, ...]]

TCN = (
    """(float[1, 8, 24] x) => (float[1, 6, 1] y) <int64[1] second = {4}, int64[1] last = {17},
    int64[1] end = {1000}, int64[1] time = {2}> {
    a0 = Conv <kernel_shape = [3]> (x, w0, b0) a = Relu (a0)
    c0 = Conv <kernel_shape = [3], dilations = [2]> (a, w1) c1 = Slice (a, second, end, time) c = Add (c0, c1)
    n = BatchNormalization (c, s, t, m, v)
    z = Slice (n, last, end, time)
    y = Conv <kernel_shape = [1]> (z, w2) }""",
    {"w0": (6, 8, 3), "b0": (6,), "w1": (6, 6, 3), "s": (6,), "t": (6,), "m": (6,), "v": (6,), "w2": (6, 6, 1)},
)
"""Dilated convolutions without padding with a residual, of which the last element is wanted."""
CAUSAL = (
    """(float[1, 4, 16] x) => (float[1, 4, 1] y) <int64[1] last = {-1}, int64[1] end = {1000}, int64[1] time = {2},
    int64[6] pads = {0, 0, 4, 0, 0, 0}> {
    a = Conv <kernel_shape = [3], pads = [2, 0]> (x, w0)
    p = Pad (a, pads) c = Conv <kernel_shape = [3], dilations = [2]> (p, w1) r = Add (c, a)
    y = Slice (r, last, end, time) }""",
    {"w0": (4, 4, 3), "w1": (4, 4, 3)},
)
"""Causal convolutions: the padding in front is out of reach of the last element."""
KEYWORDS = (
    """(float[1, 1, 25, 10] x) => (float[1, 12] y) {
    a0 = Conv <kernel_shape = [5, 4], strides = [2, 2], pads = [0, 1, 0, 1]> (x, w0, b0) a = Relu (a0)
    d0 = Conv <kernel_shape = [3, 3], pads = [0, 1, 0, 1], group = 8> (a, w1) d = Relu (d0)
    p0 = Conv <kernel_shape = [1, 1]> (d, w2) p = Relu (p0)
    q = MaxPool <kernel_shape = [2, 1]> (p)
    g = GlobalAveragePool (q) f = Flatten (g) l = Gemm <transB = 1> (f, w3, b3) y = Softmax (l) }""",
    {"w0": (8, 1, 5, 4), "b0": (8,), "w1": (8, 1, 3, 3), "w2": (8, 8, 1, 1), "w3": (12, 8), "b3": (12,)},
)
"""A DS-CNN with no padding along the time, and a stride of two frames."""
FRAMES_FIRST = (
    """(float[1, 12, 6] x) => (float[1, 4] y) <int64[1] time = {1}> {
    h0 = MatMul (x, w0) h = Relu (h0) n = LayerNormalization (h, s, t)
    u = Transpose <perm = [0, 2, 1]> (n) c = Conv <kernel_shape = [3], pads = [1, 1]> (u, w1)
    k = Transpose <perm = [0, 2, 1]> (c) e = Softmax <axis = 2> (k)
    y = ReduceMean <keepdims = 0> (e, time) }""",
    {"w0": (6, 5), "s": (5,), "t": (5,), "w1": (4, 5, 3)},
)
"""Products of each frame; the padding of a convolution has it computed whole."""
QUANTISED = (
    """(float[1, 4, 20] x) => (float[1, 3] y)
    <float s = {0.05}, float t = {0.0371}, float r = {0.0293}, int8 z = {3}, int8 wz = {0}> {
    xi = QuantizeLinear (x, s, z) xr = DequantizeLinear (xi, s, z)
    w0i = QuantizeLinear (w0, s, wz) w0r = DequantizeLinear (w0i, s, wz) a = Conv <kernel_shape = [3]> (xr, w0r)
    ai = QuantizeLinear (a, t, z) ar = DequantizeLinear (ai, t, z)
    w1i = QuantizeLinear (w1, s, wz) w1r = DequantizeLinear (w1i, s, wz)
    b = Conv <kernel_shape = [3], dilations = [2]> (ar, w1r)
    bi = QuantizeLinear (b, r, z) br = DequantizeLinear (bi, r, z)
    g = GlobalAveragePool (br) y = Flatten (g) }""",
    {"w0": (4, 4, 3), "w1": (3, 4, 3)},
)
"""Convolutions of bytes: what is kept between them is bytes too."""
CASES = {
    "dilated": (*TCN, 2),
    "causal": (*CAUSAL, 2),
    "keywords": (*KEYWORDS, 2),
    "frames first": (*FRAMES_FIRST, 1),
    "quantised": (*QUANTISED, 2),
}


def model_of(body: str, weights: Weights) -> onnx.ModelProto:
    random = np.random.default_rng(0)
    made = onnx_model(body, opset=18)
    for name, shape in weights.items():
        value = np.abs(random.standard_normal(shape)) if name == "v" else random.standard_normal(shape) / 3
        made.graph.initializer.append(numpy_helper.from_array(value.astype(np.float32), name))
    return made


def windows(axis: int, shape: tuple[int, ...], step: int, count: int) -> list[tuple[np.ndarray[Any, Any], Any]]:
    """New frames, and the window that ends with them, of some runs."""
    random, window = np.random.default_rng(1), np.zeros(shape, np.float32)
    found: list[tuple[np.ndarray[Any, Any], Any]] = []
    for _ in range(count):
        new = random.standard_normal([step if place == axis else size for place, size in enumerate(shape)])
        window = np.concatenate([np.take(window, range(step, shape[axis]), axis), new.astype(np.float32)], axis)
        found.append((new.astype(np.float32), window))
    return found


def streamed(case: str, frames: int | None = None) -> tuple[Model, Model, int]:
    """The whole network, the one that takes new frames, and how many it takes."""
    body, weights, axis = CASES[case]
    whole = read(model_of(body, weights), CompileOptions())
    found = read(model_of(body, weights), CompileOptions(streams={"x": Sliding(axis, frames)}))
    main = main_of(found.module)
    [number] = input_numbers(main)
    return whole, found, type_of(main.body.block.args[number]).get_shape()[axis]


@pytest.mark.parametrize("frames", [None, 4])
@pytest.mark.parametrize("case", CASES)
def test_new_frames_give_what_the_whole_window_gives(case: str, frames: int | None) -> None:
    whole, found, step = streamed(case, frames)
    found.module.verify()
    state = initial_state(found.module, found.weights)
    shape = type_of(main_of(whole.module).body.block.args[0]).get_shape()
    for new, window in windows(CASES[case][2], shape, step, shape[CASES[case][2]] // step + 3):
        [expected] = run_graph(whole.module, [window], whole.weights)
        [got] = run_graph(found.module, [new], found.weights, state=state)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def convolved(model: Model) -> list[int]:
    """The elements that each convolution computes along its first spatial axis."""
    return [type_of(op.y).get_shape()[2] for op in model.module.walk() if isinstance(op, graph.ConvOp)]


@pytest.mark.parametrize(
    ("case", "elements"), [("dilated", [1, 1, 1]), ("causal", [1, 1]), ("keywords", [1, 1, 1]), ("frames first", [12])]
)
def test_convolutions_compute_new_elements_alone(case: str, elements: list[int]) -> None:
    assert convolved(streamed(case)[1]) == elements


def test_a_network_with_strides_takes_as_many_frames() -> None:
    assert streamed("keywords")[2] == 2


def test_no_more_is_kept_than_is_read() -> None:
    _, found, _ = streamed("dilated")
    assert [
        type_of(main_of(found.module).body.block.args[state.number]).get_shape()
        for state in state_arguments(main_of(found.module))
    ] == [(1, 8, 3), (1, 6, 5)]


def test_integers_are_kept_of_what_is_dequantised() -> None:
    main = main_of(streamed("quantised")[1].module)
    kept = [type_of(main.body.block.args[state.number]) for state in state_arguments(main)]
    assert [(each.element_type, each.get_shape()[2]) for each in kept] == [(i8, 3), (i8, 5), (i8, 14)]


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_each_stream_goes_on_alone_and_from_its_snapshots(executor: Executor) -> None:
    """For longer than the windows move through their memory before they are copied back."""
    body, weights, axis = CASES["dilated"]
    whole, shape = read(model_of(body, weights), CompileOptions()), (1, 8, 24)
    with compile_artifact(
        model_of(body, weights), CompileOptions(target="c", streams={"x": Sliding(axis)}, executor=executor)
    ) as artifact:
        first, second, snapshot = artifact.stream(), artifact.stream(), b""
        for number, (new, window) in enumerate(windows(axis, shape, 1, 40)):
            [expected] = run_graph(whole.module, [window], whole.weights)
            if number % 3:
                second.run({"x": -new})
            if number == 17:
                snapshot = first.snapshot()
                first.run({"x": new + 1})
                first.run({"x": new - 1})
                first.restore(snapshot)
            np.testing.assert_allclose(first.run({"x": new})["y"], expected, rtol=1e-5, atol=1e-6)
        first.reset()
        new, window = windows(axis, shape, 1, 1)[0]
        [expected] = run_graph(whole.module, [window], whole.weights)
        np.testing.assert_allclose(first.run({"x": new})["y"], expected, rtol=1e-5, atol=1e-6)


def tflite_network() -> bytes:
    """Two convolutions of bytes over 12 frames of 6 coefficients without padding, and the mean of what they give."""
    random = np.random.default_rng(0)
    valid: Mapping[str, Any] = {"padding": VALID, "stride_h": 1, "stride_w": 1}
    tensors = [
        TensorSpec("x", (1, 12, 6, 2), "INT8", scale=0.1, zero_point=-3),
        TensorSpec("a", (1, 10, 4, 4), "INT8", scale=0.1, zero_point=2),
        TensorSpec("b", (1, 8, 2, 4), "INT8", scale=0.1, zero_point=1),
        TensorSpec("y", (1, 1, 1, 4), "INT8", scale=0.1, zero_point=1),
    ]
    operators: list[OperatorSpec] = []
    for name, before, after, channels in (("1", "x", "a", 2), ("2", "a", "b", 4)):
        data = random.integers(-90, 90, (4, 3, 3, channels)).astype(np.int8)
        tensors += [
            TensorSpec(f"w{name}", data.shape, data=data, scale=0.01),
            TensorSpec(f"c{name}", (4,), data=np.arange(4, dtype=np.int32), scale=0.001),
        ]
        operators.append(OperatorSpec("CONV_2D", [before, f"w{name}", f"c{name}"], [after], "Conv2DOptions", valid))
    window = {**valid, "filter_height": 8, "filter_width": 2}
    operators.append(OperatorSpec("AVERAGE_POOL_2D", ["b"], ["y"], "Pool2DOptions", window))
    return model([GraphSpec(tensors, operators, ["x"], ["y"])])


@pytest.mark.parametrize("frames", [1, 3])
def test_tflite_networks_stream(frames: int) -> None:
    options = CompileOptions(target="c", streams={"x": Sliding(1, frames)})
    convolutions = [op for op in read(tflite_network(), options).module.walk() if isinstance(op, graph.ConvOp)]
    assert [type_of(op.y).get_shape()[1] for op in convolutions] == [frames, frames]
    with compile_artifact(tflite_network(), options) as artifact:
        assert artifact.verify(levels=True).passed


@pytest.mark.sample(3)
@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("case", ["dilated", "keywords", "quantised"])
def test_c_computes_streams(case: str, executor: Executor) -> None:
    body, weights, axis = CASES[case]
    with compile_artifact(
        model_of(body, weights), CompileOptions(target="c", streams={"x": Sliding(axis)}, executor=executor)
    ) as artifact:
        assert artifact.verify().passed
        assert artifact.verify(levels=True).passed


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_windows_of_bytes_have_channels_last_on_cores_that_multiply_pairs(executor: Executor) -> None:
    body, weights, axis = CASES["quantised"]
    with compile_artifact(
        model_of(body, weights), CompileOptions(target="cortex-m4", streams={"x": Sliding(axis)}, executor=executor)
    ) as artifact:
        kept = [each.nodes for each in artifact.decisions if each.kind == "layout" and each.chosen == "NCHW4c"]
        assert kept == ["QuantizeLinear_xi", "QuantizeLinear_ai"]
        assert artifact.verify().passed
        assert artifact.verify(levels=True).passed


@pytest.mark.parametrize(
    ("streams", "words"),
    [
        ({"z": Sliding(2)}, "--stream z:2: the model has no input 'z'; its inputs are 'x'"),
        ({"x": Sliding(3)}, "--stream x:3: the input has 3 axes; give one from 0 to 2"),
        ({"x": Sliding(1)}, "--stream x:1: no operator reads less than the whole window in a run"),
        ({"x": Sliding(2, 0)}, "--stream x:2=0: the strides of the network are 1 frames; give a multiple of them"),
        ({"x": Sliding(2, 24)}, "--stream x:2=24: a run takes 24 frames, and the window has no more"),
    ],
)
def test_what_is_no_stream_is_refused(streams: dict[str, Sliding], words: str) -> None:
    with pytest.raises(InputError) as error:
        read(model_of(*TCN), CompileOptions(streams=streams))
    assert words in str(error.value)


def test_sizes_that_vary_are_refused() -> None:
    body = "(float[1, 2, N, 16] x) => (float[1, 2, N, 14] y) { y = Conv (x, w) }"
    options = CompileOptions(streams={"x": Sliding(3)}, dims={"N": SizeRange(1, 6)})
    with pytest.raises(
        UnsupportedError, match=r"^--stream x:3: windows keep constant sizes, and N varies; give --dim N=6$"
    ):
        read(model_of(body, {"w": (2, 2, 1, 3)}), options)


@pytest.mark.parametrize("option", ["x", "x:", ":1", "x:a", "x:2="])
def test_options_of_another_form_are_refused(option: str) -> None:
    with pytest.raises(InputError, match="is not of the form INPUT:AXIS"):
        streams_of([option])
    assert streams_of(["a:b:2", "x:1=8"]) == {"a:b": Sliding(2), "x": Sliding(1, 8)}
