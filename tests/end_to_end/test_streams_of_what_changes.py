"""Networks over sliding windows with operands that do not move and are no constants, in C on new frames."""

from typing import Literal

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from s2s.artifact import compile_artifact
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.errors import InputError
from s2s.frontends.model import Model, read
from s2s.fuzz.streams.check import difference, runs_of
from s2s.options import CompileOptions
from s2s.types.sliding import Sliding
from support.onnx_text import onnx_model
from support.project import SHARED
from support.streams import check_on_graph, shapes_of_inputs

FOUND = SHARED / "models" / "found"

SMOOTHED = """(float[1, 2, 8] x{inputs}) => (float[1, 2, 6] y) <float half = {{0.5}}, float zero = {{0}}> {{
    n = Neg (x) {body}
    y = Conv (m, w) }}"""


def text(body: str, inputs: str = "") -> str:
    """A convolution behind `body`, which makes `m` of `n`."""
    return SMOOTHED.format(body=body, inputs=inputs and f", {inputs}")


NETWORKS = {
    "squeeze and excite": text("g = GlobalAveragePool (n) s = Sigmoid (g) m = Mul (n, s)"),
    "centred": text("g = GlobalAveragePool (n) m = Sub (n, g)"),
    "a norm over the time": text(
        """mu = ReduceMean <axes = [2]> (n) d = Sub (n, mu) dd = Mul (d, d) v = ReduceMean <axes = [2]> (dd)
        s = Sqrt (v) e = Add (s, half) m = Div (d, e)"""
    ),
    "an instance norm": text("m = InstanceNormalization <epsilon = 0.1> (n, b, b)", "float[2] b"),
    "a softmax over the time": text("m = Softmax <axis = 2> (n)"),
    "a cumulative sum": text("t = Constant <value = int64 {2}> () m = CumSum (n, t)"),
    "a gain": text("m = Mul (n, b)", "float[1, 2, 1] b"),
    "a gain of each frame": text("m = Mul (n, b)", "float[1, 1, 8] b"),
    "a mask": text("m = Where (b, x, zero)", "bool[1] b"),
    "a slope": text("m = PRelu (n, b)", "float[2, 1] b"),
    "a bound": text("c = Abs (b) m = Clip (n, zero, c)", "float b"),
    "a weight": text("m = Conv (n, b)", "float[2, 2, 1] b"),
    "a bias": text("m = Conv (n, c, b)", "float[2] b, float[2, 2, 1] c"),
    "a matrix": text(
        "t = Transpose <perm = [0, 2, 1]> (n) p = MatMul (t, b) m = Transpose <perm = [0, 2, 1]> (p)", "float[2, 2] b"
    ),
    "a batch norm": text("c = Abs (b) d = Add (c, half) m = BatchNormalization (n, b, b, b, d)", "float[2] b"),
    "a scale": text(
        """z = Constant <value = int8 {3}> () a = Abs (b) c = Max (a, half) q = QuantizeLinear (n, c, z)
        m = DequantizeLinear (q, c, z)""",
        "float b",
    ),
    "a scale found in the run": text(
        "q, s, z = DynamicQuantizeLinear (n) m = DequantizeLinear (q, s, z)",
    ),
    "channels of another input": text(
        "c = Concat <axis = 1> (n, b) d = ReduceMax <axes = [1]> (c) m = Add (n, d)", "float[1, 1, 8] b"
    ),
    "scattered updates": text(
        "i = Constant <value = int64[2, 3] {0, 0, 1, 0, 1, 5}> () m = ScatterND (n, i, b)", "float[2] b"
    ),
    "a branch": text(
        """t = Greater (b, zero)
        m = If (t) <
            then_branch = yes () => (float[1, 2, 8] p) { p = Relu (n) },
            else_branch = no () => (float[1, 2, 8] q) { q = Neg (n) }
        >""",
        "float b",
    ),
}
INSERTED = """(float[1, 4, 16] x) => (float[1, 3, 14] y) { c = Conv (x, w) y = Relu (c) }"""
"""The windows that it keeps are inserts, whose results may lie over what they copy."""
STATEFUL = """(float[1, 2, 8] x, float[1, 2, 1] h) => (float[1, 2, 6] y, float[1, 2, 1] n) <float half = {0.5}> {
    m = Add (x, h) y = Conv (m, w)
    g = GlobalAveragePool (x) a = Add (g, h) n = Mul (a, half) }"""
TARGETS: dict[str, tuple[str, Literal["min"] | None]] = {
    "c": ("c", None),
    "cortex-m4": ("cortex-m4", None),
    "rv32imc, least RAM": ("rv32imc", "min"),
}


def network(body: str, *shape: int) -> onnx.ModelProto:
    """A network with a convolution whose weights have a shape."""
    model = onnx_model(body, opset=17)
    weights = np.random.default_rng(0).integers(-8, 9, shape) / 8
    model.graph.initializer.append(numpy_helper.from_array(weights.astype(np.float32), "w"))
    return model


def check(model: onnx.ModelProto, states: dict[str, str], target: str, ram: Literal["min"] | None, frames: int) -> None:
    """All runs of the C give what the whole network gives for the windows."""
    streams = {"x": Sliding(2, frames)}
    options = CompileOptions(target=target, streams=streams, states=states, ram_budget=ram)
    with compile_artifact(model, options) as artifact:
        for number, run in enumerate(runs_of(model, streams, states, {"x": frames})):
            found = artifact.run(run.inputs)
            for name, expected in run.outputs.items():
                assert difference(expected, found[name]) == "", f"run {number}"


@pytest.mark.sample(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NETWORKS)
def test_what_changes_is_computed_in_each_run(name: str, target: str) -> None:
    check(network(NETWORKS[name], 2, 2, 3), {}, *TARGETS[target], 1)


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("target", TARGETS)
def test_new_frames_lie_over_the_window(target: str, frames: int) -> None:
    check(network(INSERTED, 3, 4, 3), {}, *TARGETS[target], frames)


@pytest.mark.parametrize("target", TARGETS)
def test_states_of_the_model_go_on_beside_windows(target: str) -> None:
    check(network(STATEFUL, 2, 2, 3), {"h": "n"}, *TARGETS[target], 2)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_graph_gives_what_the_whole_window_gives(name: str) -> None:
    """Of all networks, where the C is tested of a sample."""
    check_on_graph(network(NETWORKS[name], 2, 2, 3), {"x": Sliding(2, 1)}, {})


def convolved(model: Model) -> list[int]:
    """The elements that each convolution computes along the frames."""
    return [type_of(op.y).get_shape()[2] for op in model.module.walk() if isinstance(op, graph.ConvOp)]


def test_windows_that_move_together_are_computed_together() -> None:
    body = """(float[1, 2, 8] x, float[1, 2, 16] z) => (float[1, 2, 1] y)
    <int64[1] begin = {5}, int64[1] end = {6}, int64[1] time = {2}> {
        d = MaxPool <kernel_shape = [2], strides = [2]> (z) m = Add (x, d)
        a = Conv (m, w) y = Slice (a, begin, end, time) }"""
    model = network(body, 2, 2, 3)
    assert convolved(check_on_graph(model, {"x": Sliding(2), "z": Sliding(2, 2)}, {})) == [1]
    apart = check_on_graph(model, {"x": Sliding(2, 2), "z": Sliding(2, 2)}, {})
    assert shapes_of_inputs(apart) == {"x": (1, 2, 2), "z": (1, 2, 2)}
    assert convolved(apart) == [1]


def test_fewest_frames_of_several_windows_are_those_of_what_is_computed_of_both() -> None:
    body = """(float[1, 2, 9] x, float[1, 2, 9] z) => (float[1, 2, 4] y) {
        m = Add (x, z) y = Conv <strides = [2]> (m, w) }"""
    model = network(body, 2, 2, 3)
    both = check_on_graph(model, {"x": Sliding(2), "z": Sliding(2)}, {})
    assert shapes_of_inputs(both) == {"x": (1, 2, 2), "z": (1, 2, 2)}
    with pytest.raises(InputError, match=r"--stream x:2=1 --stream z:2=1: .* 1/2 of an element; give 2 times"):
        read(model, CompileOptions(streams={"x": Sliding(2, 1), "z": Sliding(2, 1)}))


def test_of_what_changes_only_what_is_read_is_computed() -> None:
    """Squeeze-and-excite keeps its convolution in front, and behind it computes what the last element reads."""
    body = """(float[1, 2, 20] x) => (float[1, 2, 1] y)
    <int64[1] last = {-1}, int64[1] end = {100}, int64[1] time = {2}> {
        a = Conv (x, w) g = GlobalAveragePool (a) s = Sigmoid (g) m = Mul (a, s)
        b = Conv (m, w) y = Slice (b, last, end, time) }"""
    streamed = check_on_graph(network(body, 2, 2, 3), {"x": Sliding(2)}, {})
    assert convolved(streamed) == [1, 1]
    assert [type_of(op.results[0]).get_shape()[2] for op in streamed.module.walk() if isinstance(op, graph.MulOp)] == [
        3
    ]


@pytest.mark.skipif(not FOUND.exists(), reason="the models that were found are not there")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "name", ["se", "sub", "gain_input", "where_input", "norm_over_time", "backwards_conv"], ids=str
)
def test_networks_that_were_found_are_right(name: str, target: str) -> None:
    check(onnx.load_model_from_string((FOUND / f"stream_{name}.onnx").read_bytes()), {}, *TARGETS[target], 1)
