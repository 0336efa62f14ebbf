"""For every option of a compilation a network for which it matters, and two of its values."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from s2s.compilation import Compilation
from s2s.decisions.file import read_decisions
from s2s.decisions.given import Measured
from s2s.decisions.records import read_records
from s2s.frontends.model import Source
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.options import CompileOptions, DebugOptions, PassOptions
from s2s.stages.memory import Planned
from s2s.support.frozen import frozen
from s2s.types.devices import devices_of
from s2s.types.pools import pools_of
from s2s.types.sizes import SizeRange
from s2s.types.sliding import Pushed, Sliding
from support.decided_networks import WINOGRAD, bottleneck
from support.onnx_text import onnx_model

TARGET = "x86-64-v3"
PLAIN = "#tensor.schedule<[]>"


@frozen
class Change:
    """An option with two of its values, and what both compilations have in common."""

    network: Callable[[], Source]
    after: Any
    before: Any = None
    """None: the default."""
    others: Mapping[str, Any] = field(default_factory=dict[str, Any])
    changes_tree: bool = True
    """Whether the trees of the two values differ."""

    def options(self, name: str) -> tuple[CompileOptions, CompileOptions]:
        """The options before and after option `name` changes."""
        common = replace(CompileOptions(target="c", name="net"), **self.others)
        before = common if self.before is None else self._changed(name, self.before, common)
        return before, self._changed(name, self.after, common)

    def _changed(self, name: str, value: Any, common: CompileOptions) -> CompileOptions:
        value = value(Compilation(self.network(), common)) if callable(value) else value
        return replace(common, **{name: value})


def image() -> onnx.ModelProto:
    """An inverted bottleneck of floats."""
    return bottleneck()


def winograd() -> onnx.ModelProto:
    """A convolution that another algorithm computes faster, and rounds otherwise."""
    return WINOGRAD


def product() -> onnx.ModelProto:
    """A product with a constant matrix."""
    values = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64]) for name in "ay"]
    node = helper.make_node("MatMul", ["a", "b"], ["y"], "product")
    graph = helper.make_graph([node], "net", ports[:1], ports[1:], [numpy_helper.from_array(values, "b")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def blockwise() -> onnx.ModelProto:
    """A product with weights in blocks of four bits."""
    random = np.random.default_rng(0)
    constants = {
        "w": random.integers(0, 256, (16, 2, 16)).astype(np.uint8),
        "scales": random.uniform(0.01, 0.02, 32).astype(np.float32),
    }
    sizes: Any = {"K": 64, "N": 16, "bits": 4, "block_size": 32}
    node = helper.make_node("MatMulNBits", ["x", *constants], ["y"], name="fc", domain="com.microsoft", **sizes)
    ports = [helper.make_tensor_value_info(*port) for port in (("x", 1, [1, 64]), ("y", 1, [1, 16]))]
    stored = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph([node], "blockwise", ports[:1], ports[1:], stored)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def quantised() -> onnx.ModelProto:
    """A convolution of integers between floats, as QDQ writes it."""
    body = """(float[1, 4, 8, 8] x) => (float[1, 6, 6, 6] y)
    <float s = {0.05}, float r = {0.0293}, int8 z = {3}, int8 wz = {0}> {
    xi = QuantizeLinear (x, s, z) xr = DequantizeLinear (xi, s, z) w0r = DequantizeLinear (w0i, s, wz)
    a = Conv <kernel_shape = [3, 3]> (xr, w0r) yi = QuantizeLinear (a, r, z) y = DequantizeLinear (yi, r, z) }"""
    model = onnx_model(body)
    weights = np.random.default_rng(0).integers(-127, 128, (6, 4, 3, 3)).astype(np.int8)
    model.graph.initializer.append(numpy_helper.from_array(weights, "w0i"))
    return model


def dense() -> bytes:
    """A fully connected layer of integers of TFLite."""
    random = np.random.default_rng(0)
    x = TensorSpec("x", (3, 16), "INT8", scale=0.05, zero_point=3)
    w = TensorSpec("w", (6, 16), "INT8", data=random.integers(-127, 128, (6, 16)).astype(np.int8), scale=0.013)
    y = TensorSpec("y", (3, 6), "INT8", scale=0.02, zero_point=-4)
    return single("FULLY_CONNECTED", [x, w], [y], "FullyConnectedOptions")


def open_rows() -> onnx.ModelProto:
    """A network whose number of rows is open."""
    return onnx_model("(float[N, 4] x) => (float[N, 4] y) { y = Tanh (x) }")


def unnamed_rows() -> onnx.ModelProto:
    """A network whose number of rows is open, without a name."""
    return onnx_model("(float[?, 4] x) => (float[?, 4] y) { y = Tanh (x) }")


def scaled() -> onnx.ModelProto:
    """A network with a factor as an input."""
    return onnx_model("(float[2, 4] x, float k) => (float[2, 4] y) { y = Mul (x, k) }")


def recurrent() -> onnx.ModelProto:
    """A network that returns its new state."""
    return onnx_model(
        "(float[2, 4] x, float[2, 4] h) => (float[2, 4] y, float[2, 4] g) { a = Add (x, h) g = Tanh (a) y = Neg (g) }"
    )


def causal() -> onnx.ModelProto:
    """A convolution over time of which the last element is wanted."""
    body = """(float[1, 4, 16] x) => (float[1, 4, 1] y) <int64[1] last = {-1}, int64[1] end = {1000},
    int64[1] time = {2}> { a = Conv <kernel_shape = [3], pads = [2, 0]> (x, w0) y = Slice (a, last, end, time) }"""
    model = onnx_model(body)
    weights = np.random.default_rng(0).normal(size=(4, 4, 3)).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weights, "w0"))
    return model


def lines() -> onnx.ModelProto:
    """A convolution over a grey image."""
    numbers = ", ".join(map(str, range(18)))
    return onnx_model(f"""(float[1, 1, 8, 6] x) => (float[1, 2, 8, 6] y) <float[2, 1, 3, 3] w = {{{numbers}}}> {{
        y = Conv <pads = [1, 1, 1, 1]> (x, w) }}""")


def decoder() -> onnx.ModelProto:
    """Attention to rows that are kept from run to run."""
    return onnx_model("""(float[2, 1, 8] row, int64[1] position, float[2, 3, 8] q, float[2, 6, 8] past)
    => (float[2, 3, 8] y, float[2, 6, 8] present) <int64[3] shape = {2, 1, 8}, int64[3] column = {1, 1, 1}> {
    at0 = Reshape (position, column) at = Expand (at0, shape)
    present = ScatterElements <axis = 1> (past, at, row)
    keys = Transpose <perm = [0, 2, 1]> (present) s = MatMul (q, keys) p = Softmax <axis = -1> (s)
    y = MatMul (p, present) }""")


def _plain_schedules(compilation: Compilation) -> dict[str, dict[str, str]]:
    subjects = [each.subject for each in compilation.facts(Planned).decisions if each.kind == "schedule"]
    entries = [{"kind": "schedule", "subject": each, "chosen": PLAIN} for each in dict.fromkeys(subjects)]
    return {kind: dict(chosen) for kind, chosen in read_decisions({"format": 1, "decisions": entries}).items()}


def _measured_schedules(compilation: Compilation) -> dict[str, dict[str, str]]:
    chosen = _plain_schedules(compilation)
    return {kind: {each: Measured(text) for each, text in entries.items()} for kind, entries in chosen.items()}


def _plain_records(compilation: Compilation) -> Any:
    [entries] = _plain_schedules(compilation).values()
    lines = [
        {
            "format": 1,
            "task": subject,
            "target": TARGET,
            "unit": "seconds",
            "cost": 1.0,
            "decisions": [{"kind": "schedule", "subject": subject, "chosen": chosen}],
        }
        for subject, chosen in entries.items()
    ]
    return read_records(lines)


CHANGES: dict[str, list[Change]] = {
    "target": [Change(image, TARGET), Change(quantised, "cortex-m4")],
    "executor": [Change(image, "graph")],
    "name": [Change(image, "other")],
    "weights": [Change(image, "incbin"), Change(image, "pack"), Change(quantised, "pack")],
    "shapes": [Change(unnamed_rows, {"x": (3, 4)}, {"x": (2, 4)})],
    "bind": [Change(scaled, {"k": 2}, {"k": 3}), Change(scaled, {"k": 2})],
    "dims": [
        Change(open_rows, {"N": 2}, {"N": 3}),
        Change(open_rows, {"N": SizeRange(1, 8)}, {"N": 3}),
        Change(open_rows, {"N": SizeRange(1, 8, (4,))}, {"N": SizeRange(1, 8)}),
    ],
    "ports": [Change(quantised, "int8")],
    "states": [Change(recurrent, {"h": "g"})],
    "streams": [Change(causal, {"x": Sliding(2)}), Change(causal, {"x": Sliding(2, 2)}, {"x": Sliding(2)})],
    "pre": [Change(image, ("normalise:std=2",)), Change(image, ("normalise:std=2",), ("normalise:std=3",))],
    "post": [Change(image, ("argmax",)), Change(image, ("argmax",), ("top-k:count=1",))],
    "push": [Change(lines, Pushed("x", 2))],
    "untrusted": [Change(image, True, changes_tree=False)],
    "trust_model": [Change(image, True, changes_tree=False)],
    "cache": [Change(decoder, kind, others={"states": {"past": "present"}}) for kind in ("float16", "int8")],
    "schedule": [Change(image, "reference"), Change(quantised, "reference")],
    "tflite_rounding": [Change(dense, "reference")],
    "requantise": [Change(quantised, "fixed")],
    "activations": [Change(blockwise, "int8-blocks")],
    "io": [Change(image, "arena")],
    "interface": [Change(image, "tvm"), Change(image, "tvm", others={"executor": "graph"})],
    "profile": [Change(image, "misra"), Change(quantised, "misra")],
    "flash_budget": [Change(image, 1 << 20)],
    "stack_budget": [Change(image, 1 << 20)],
    "ram_budget": [Change(winograd, "min", others={"target": TARGET})],
    "scratch": [Change(winograd, 0, others={"target": TARGET})],
    "line_buffers": [Change(image, ((0, 5),))],
    "by_rows": [Change(image, True)],
    "prefer": [
        Change(winograd, "size", "time", others={"target": "cortex-m4"}),
        Change(winograd, "ram", others={"target": TARGET}),
    ],
    "transformed": [Change(winograd, 0, others={"target": TARGET})],
    "transformed_ram": [Change(winograd, 0, others={"target": TARGET})],
    "exact": [Change(winograd, True, others={"target": TARGET})],
    "threads": [Change(winograd, 2, others={"target": TARGET})],
    "threading": [Change(winograd, "openmp", others={"target": TARGET, "threads": 2})],
    "steps": [Change(image, (2000, "macs")), Change(image, (1500, "macs"), (2000, "macs"))],
    "decisions": [Change(image, _plain_schedules), Change(image, _measured_schedules, _plain_schedules)],
    "records": [
        Change(image, _plain_records, others={"target": TARGET}),
        Change(image, None, (), others={"target": TARGET}, changes_tree=False),
    ],
    "external": [Change(product, (("blas", "always"),))],
    "explain": [Change(image, True)],
    "pools": [
        Change(image, pools_of(["tcm=16KiB", "sram=512KiB"])),
        Change(image, pools_of(["sram=512KiB:at=0x20000000"]), pools_of(["sram=512KiB"])),
        Change(image, pools_of(["itcm=16KiB:code"])),
    ],
    "place": [Change(image, {"max_pool_2x2": "default"}, others={"pools": pools_of(["itcm=16KiB:code"])})],
    "devices": [
        Change(image, devices_of({"dsp": {"layers": ["expand"], "memory": "shared"}})),
        Change(image, devices_of({"dsp": {"layers": ["expand"]}})),
    ],
    "poison": [Change(image, True)],
    "passes": [
        Change(image, PassOptions(disabled=("tensor-collapse-dims",))),
        Change(image, PassOptions(fusion_depth=1)),
    ],
    "debug": [Change(image, DebugOptions(verify_each=True), changes_tree=False)],
}
"""By name of the option."""
