"""Random small networks on random devices: operators, states, unused inputs; targets, memories, copies, placements."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from s2s.types.dtypes import Array

SHAPE = [4, 8]
TARGETS = ["c", "x86-64-v2", "x86-64-v3"]
NAMES = ["dsp", "npu"]
UNARY = ["Relu", "Sigmoid", "Tanh", "Abs", "Exp", "Neg", "Softmax"]
BINARY = ["Add", "Mul", "Sub", "Max"]
DIGITS = "0123456789"
STEPS = 7
"""The most operators of a network."""


@dataclass
class Program:
    """A network with its options, and the inputs of two runs."""

    model: onnx.ModelProto
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    runs: list[dict[str, Array]] = field(default_factory=list[dict[str, Array]])


class _Network:
    """Draws the nodes of a network of tensors of one shape."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.inputs = ["x", *(["z"] if random.random() < 0.4 else [])]
        self.state = "h" if random.random() < 0.4 else None
        self.values = [*self.inputs, *([] if self.state is None else [self.state])]
        if len(self.values) > 1 and random.random() < 0.3:
            self.values.remove(random.choice(self.values))
        self.nodes = list[onnx.NodeProto]()
        self.constants = dict[str, Array]()

    def node(self, operator: str, *operands: str, **attributes: Any) -> str:
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, operands, [output], f"layer{len(self.nodes)}", **attributes))
        return output

    def constant(self, array: Array) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def part(self, x: str, start: int, axis: int, size: int) -> str:
        """Slice `x` along an axis."""
        return self.node("Slice", x, *(self.constant(np.array([each])) for each in (start, start + size, axis)))

    def step(self) -> None:
        """Add one operator, or a few that belong together."""
        x, y = (self.random.choice(self.values[-3:]) for _ in range(2))
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        match self.random.randrange(8):
            case 0:
                weights = numbers.standard_normal((SHAPE[1], SHAPE[1])).astype(np.float32) / 4
                made = self.node("MatMul", x, self.constant(weights))
            case 1:
                made = self.node(self.random.choice(BINARY), x, y)
            case 2:
                made = self.node("Mul", x, self.constant(numbers.standard_normal(SHAPE[1]).astype(np.float32)))
            case 3:
                scale, zero = self.constant(np.array(0.05, np.float32)), self.constant(np.array(3, np.int8))
                inner = self.node("DequantizeLinear", self.node("QuantizeLinear", x, scale, zero), scale, zero)
                inner = self.node(self.random.choice(UNARY[:3]), inner)
                made = self.node("DequantizeLinear", self.node("QuantizeLinear", inner, scale, zero), scale, zero)
            case 4:
                flat = self.node("Reshape", x, self.constant(np.array([SHAPE[1], SHAPE[0]])))
                made = self.node("Transpose", flat, perm=[1, 0])
            case 5:
                axis = self.random.randrange(2)
                both = self.node("Concat", x, y, self.random.choice(self.values[-3:]), axis=axis)
                if self.random.random() < 0.5:
                    both = self.node(self.random.choice(UNARY), both)
                made = self.part(both, 2, axis, SHAPE[axis])
            case 6:
                parts = [
                    self.node("Slice", x, *(self.constant(np.array([each])) for each in (at, at + 4, 1)))
                    for at in (4, 0)
                ]
                made = self.node("Concat", *parts, axis=1)
            case _:
                made = self.node(self.random.choice(UNARY), x)
        self.values.append(made)

    def model(self) -> onnx.ModelProto:
        """The network: one or two outputs, and the next value of the state."""
        for _ in range(self.random.randint(1, STEPS)):
            self.step()
        computed = [name for name in self.values if name.startswith("v")]
        outputs = list(dict.fromkeys([computed[-1], self.random.choice(computed)]))
        if self.state is not None:
            source = self.random.choice([*computed, self.state, "x"])
            self.nodes.append(helper.make_node("Identity", [source], ["h2"], "next"))
            outputs.append("h2")
        inputs = [*self.inputs, *([] if self.state is None else [self.state])]
        graph = helper.make_graph(
            self.nodes,
            "net",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in outputs],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _device(random: Random) -> Mapping[str, object]:
    """Draw the table of a device, whose layers are named by a pattern: the compiler folds some of the nodes."""
    table: dict[str, object] = {
        "target": random.choice(TARGETS),
        "memory": random.choice(["own", "own", "shared", "16KiB"]),
        "copy": random.choice(["copy", "start-wait"]),
        "calls": random.choice(["plain", "hooks", "start-wait"]),
    }
    if random.random() < 0.4:
        table |= {
            "placement": "cost",
            "latency": random.choice([1, 1000]),
            "rate": 4.0,
            "clock": random.choice([1.0, 8.0]),
        }
    if "placement" not in table or random.random() < 0.5:
        table["layers"] = [f"layer*[{''.join(sorted(random.sample(DIGITS, 5)))}]"]
    return table


def program(seed: int) -> Program:
    """Draw a network, its devices and its inputs."""
    random = Random(seed)
    network = _Network(random)
    model = network.model()
    devices = {name: _device(random) for name in random.sample(NAMES, random.randint(1, 2))}
    options: dict[str, Any] = {"target": random.choice(TARGETS), "devices": devices}
    options["executor"] = random.choice(["aot", "aot", "graph"])
    if network.state is not None:
        options["states"] = {"h": "h2"}
    if random.random() < 0.3:
        options["schedule"] = "reference"
    numbers = np.random.default_rng(seed)
    runs = [{name: numbers.standard_normal(SHAPE).astype(np.float32) for name in network.inputs} for _ in range(2)]
    return Program(model, options, runs)
