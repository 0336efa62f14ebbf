"""Networks of one identity, before and behind which steps stand, and the values that the C of the whole gives."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import onnx
from onnx import TensorProto, helper

from s2s.artifact import Artifact, compile_artifact
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.compiled import quickly_loaded

RATE = 16000
Shapes = Mapping[str, Sequence[int]]


def identities(shapes: Shapes) -> onnx.ModelProto:
    """A network that gives each of its inputs of floats, `x` as `x_out`."""
    nodes = [helper.make_node("Identity", [name], [f"{name}_out"]) for name in shapes]
    inputs, outputs = (
        [helper.make_tensor_value_info(f"{name}{suffix}", TensorProto.FLOAT, shape) for name, shape in shapes.items()]
        for suffix in ("", "_out")
    )
    graph = helper.make_graph(nodes, "identity", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def stepped(shapes: Shapes, pre: Sequence[object] = (), post: Sequence[object] = (), target: str = "c") -> Artifact:
    """The compiled network with steps around it."""
    options = CompileOptions(target=target, pre=tuple(map(str, pre)), post=tuple(map(str, post)))
    return compile_artifact(identities(shapes), options)


def runs(artifact: Artifact, inputs: Sequence[Mapping[str, Array]]) -> list[dict[str, Array]]:
    """The outputs of consecutive runs of the C."""
    with quickly_loaded(artifact) as network:
        return [network.run(each) for each in inputs]


@cache
def clips(count: int = 20, length: int = RATE) -> tuple[Array, ...]:
    """Sounds of 16 bits: noise, tones, sweeps, silence with a click, and the loudest square wave."""
    random, times = np.random.default_rng(0), np.arange(length) / RATE
    sounds: list[Array] = []
    for number in range(count):
        kinds = (
            0.1 * random.normal(size=length),
            0.5 * np.sin(2 * np.pi * (200 + 150 * number) * times),
            0.8 * np.sin(2 * np.pi * (100 + 1500 * times) * times),
            0.02 * random.normal(size=length) + 0.3 * np.sin(2 * np.pi * 440 * times) * (times > 0.5),
            np.where(np.arange(length) == 4000, 1.0, 0.0) + 1e-3 * random.normal(size=length),
            np.sign(np.sin(2 * np.pi * 300 * times) + 1e-9),
        )
        sounds.append(np.clip(np.round(32767 * kinds[number % len(kinds)]), -32768, 32767).astype(np.int16))
    return tuple(sounds)
