"""Random operators between DequantizeLinear and QuantizeLinear keep their numbers to a step when they are lifted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from s2s.dialects import graph
from s2s.frontends.onnx import import_model, load_model
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.registry import get_pass
from s2s.types.dtypes import Array, is_float, to_numpy
from s2s.types.dtypes import as_tensor_type as typed

CASES_OF_A_KIND = 25
Maker = Callable[["Island"], str]


@dataclass
class Island:
    """A model under construction: names of its dequantised inputs, its nodes, its parameters."""

    rng: np.random.Generator
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    parameters: dict[str, Array] = field(default_factory=dict[str, Array])
    inputs: dict[str, Array] = field(default_factory=dict[str, Array])
    names: int = 0

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def node(self, kind: str, operands: Sequence[str], **attributes: Any) -> str:
        result = self.name(kind.lower())
        self.nodes.append(helper.make_node(kind, operands, [result], name=result, **attributes))
        return result

    def parameter(self, stem: str, value: Array) -> str:
        name = self.name(stem)
        self.parameters[name] = value
        return name

    def scale(self, *shape: int) -> Array:
        return np.exp(self.rng.uniform(np.log(0.005), np.log(0.2), shape)).astype(np.float32)

    def integers(self, dtype: type[np.generic], *shape: int) -> Array:
        info = np.iinfo(np.dtype(dtype).str)
        return self.rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)

    def byte_type(self) -> type[np.generic]:
        return np.int8 if self.rng.integers(2) else np.uint8

    def dequantised(self, *shape: int) -> str:
        """An input of bytes, as floats."""
        dtype, name = self.byte_type(), self.name("x")
        self.inputs[name] = self.integers(dtype, *shape)
        scale, zero = self.parameter("scale", self.scale()), self.parameter("zero", self.integers(dtype))
        return self.node("DequantizeLinear", [name, scale, zero])

    def weight(self, channel_axis: int, *shape: int) -> tuple[str, Array]:
        """Quantised weights as floats, and their scales; for all, or for each channel."""
        symmetric = bool(self.rng.integers(2))
        dtype = np.int8 if symmetric else self.byte_type()
        count = shape[channel_axis]
        spread = (count,) if self.rng.integers(2) else ()
        zero = np.zeros(spread, dtype) if symmetric else np.full(spread, self.integers(dtype))
        scales = self.scale(*spread)
        names = [self.parameter(stem, value) for stem, value in (("s", scales), ("z", zero))]
        value = self.parameter("w", self.integers(dtype, *shape))
        return self.node("DequantizeLinear", [value, *names], axis=channel_axis), np.broadcast_to(scales, (count,))

    def bias(self, scales: Array, x: str) -> str:
        """A bias in units of the sums, as quantisers store it, or in floats."""
        [source] = [node for node in self.nodes if node.output[0] == x]
        units = (self.parameters[source.input[1]] * scales).astype(np.float32)
        values = self.rng.integers(-5000, 5000, len(scales)).astype(np.int32)
        if self.rng.integers(2):
            return self.parameter("b", (values * units).astype(np.float32))
        names = [self.parameter("b", values), self.parameter("s", units)]
        return self.node("DequantizeLinear", [*names, self.parameter("z", np.zeros(len(units), np.int32))], axis=0)


def convolution(island: Island) -> str:
    groups = int(island.rng.choice([1, 1, 2, 4]))
    x = island.dequantised(1, 4, 7, 6)
    w, scales = island.weight(0, 8, 4 // groups, 3, 2)
    operands = [x, w, island.bias(scales, x)] if island.rng.integers(2) else [x, w]
    pads = [int(each) for each in island.rng.integers(0, 2, 4)]
    strides = [int(each) for each in island.rng.integers(1, 3, 2)]
    return limited(island, island.node("Conv", operands, group=groups, pads=pads, strides=strides))


def transposed_convolution(island: Island) -> str:
    w, _ = island.weight(1, 4, 3, 2, 2)
    return island.node("ConvTranspose", [island.dequantised(1, 4, 5, 4), w], strides=[2, 2])


def gemm(island: Island) -> str:
    x, transposed = island.dequantised(3, 20), bool(island.rng.integers(2))
    w, scales = island.weight(0, 5, 20) if transposed else island.weight(1, 20, 5)
    return limited(island, island.node("Gemm", [x, w, island.bias(scales, x)], transB=int(transposed)))


def product(island: Island) -> str:
    return island.node("MatMul", [island.dequantised(2, 3, 8), island.dequantised(2, 8, 4)])


def limited(island: Island, y: str) -> str:
    match int(island.rng.integers(3)):
        case 0:
            return island.node("Relu", [y])
        case 1:
            limits = [island.parameter("limit", np.asarray(each, np.float32)) for each in (0, 6)]
            return island.node("Clip", [y, *limits])
        case _:
            return y


def sum_of_two(island: Island) -> str:
    kind = str(island.rng.choice(["Add", "Sub"]))
    second = island.dequantised(1, 6, 1, 1) if island.rng.integers(2) else island.dequantised(1, 6, 5, 4)
    return limited(island, island.node(kind, [island.dequantised(1, 6, 5, 4), second]))


def product_of_two(island: Island) -> str:
    return island.node("Mul", [island.dequantised(1, 6, 5, 4), island.dequantised(1, 6, 5, 4)])


def pool(island: Island) -> str:
    x = island.dequantised(1, 3, 8, 6)
    match int(island.rng.integers(4)):
        case 0:
            return island.node("MaxPool", [x], kernel_shape=[3, 2], pads=[1, 0, 1, 0], strides=[2, 2])
        case 1:
            include = int(island.rng.integers(2))
            pads = [1, 1, 1, 1] if include else [0, 0, 0, 0]
            return island.node("AveragePool", [x], kernel_shape=[2, 3], pads=pads, count_include_pad=include)
        case 2:
            return island.node("GlobalAveragePool", [x])
        case _:
            return island.node("ReduceMean", [x], axes=[2, 3])


def movement(island: Island) -> str:
    x = island.dequantised(2, 6, 4)
    match int(island.rng.integers(4)):
        case 0:
            return island.node("Transpose", [x], perm=[2, 0, 1])
        case 1:
            return island.node("Reshape", [x, island.parameter("shape", np.array([4, 12], np.int64))])
        case 2:
            return island.node("Concat", [x, island.dequantised(2, 3, 4)], axis=1)
        case _:
            return island.node("Pad", [x, island.parameter("pads", np.array([0, 1, 0, 1, 0, 2], np.int64))])


def function(island: Island) -> str:
    x = island.dequantised(300)
    kind = str(island.rng.choice(["Sigmoid", "Tanh", "HardSwish", "LeakyRelu", "Elu", "Identity", "Relu"]))
    return island.node(kind, [x])


KINDS: Mapping[str, tuple[Maker, bool]] = {
    "convolution": (convolution, True),
    "transposed convolution": (transposed_convolution, True),
    "gemm": (gemm, True),
    "product": (product, True),
    "sum": (sum_of_two, False),
    "product of two": (product_of_two, False),
    "pool": (pool, False),
    "movement": (movement, False),
    "function": (function, False),
}
"""Makers, and whether they hold a layer."""


def model(island: Island, result: str) -> onnx.ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in island.inputs.items()
    ]
    made = helper.make_graph(
        island.nodes,
        "island",
        inputs,
        [helper.make_tensor_value_info(result, TensorProto.UNDEFINED, None)],
        [numpy_helper.from_array(value, name) for name, value in island.parameters.items()],
    )
    made.output[0].ClearField("type")
    made.output[0].type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(np.int8))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])


def quantised(island: Island, y: str) -> str:
    """`y` with a step that fits its values."""
    island.nodes.append(helper.make_node("Identity", [y], ["shown"]))
    probe = model(island, "shown")
    probe.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    imported = import_model(load_model(probe))
    [values] = run_graph(imported.module, list(island.inputs.values()), imported.weights)
    island.nodes.pop()
    step = np.asarray(max(float(np.abs(values).max()), 0.1) / island.rng.uniform(90, 200), np.float32)
    return island.node(
        "QuantizeLinear", [y, island.parameter("step", step), island.parameter("zero", island.integers(np.int8))]
    )


@pytest.mark.sample(75)
@pytest.mark.parametrize("seed", range(CASES_OF_A_KIND))
@pytest.mark.parametrize("kind", KINDS)
def test_island(kind: str, seed: int):
    maker, is_layer = KINDS[kind]
    island = Island(np.random.default_rng([seed, len(kind)]))
    proto = model(island, quantised(island, maker(island)))
    inputs = list(island.inputs.values())
    imported = import_model(load_model(proto))
    [before] = run_graph(imported.module, inputs, imported.weights)
    for passes in (("graph-lift-quantized", "graph-fold-constants"), ("graph-requantize-in-fixed-point",)):
        for each in passes:
            get_pass(each)().apply(CompilerContext(imported.weights), imported.module)
        imported.module.verify()
        [after] = run_graph(imported.module, inputs, imported.weights)
        assert np.abs(after.astype(int) - before).max() <= 1
        assert np.count_nonzero(after != before) <= 1 + 0.02 * before.size
    layers = [
        op for op in imported.module.walk() if isinstance(op, graph.ConvOp | graph.MatmulOp | graph.ConvTransposeOp)
    ]
    assert all(to_numpy(typed(op.operands[0].type).element_type).itemsize <= 2 for op in layers)
    assert bool(layers) >= is_layer
    assert not [op for op in imported.module.walk() if op.results and is_float(typed(op.results[0].type).element_type)]
