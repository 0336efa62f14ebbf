"""Twice the network is about twice the work for the compiler, counted in calls of functions and not in seconds."""

from collections.abc import Callable, Mapping
from functools import partial

import onnx
import pytest
from onnx import numpy_helper

from s2s import api
from support.onnx_nodes import floats
from support.onnx_text import onnx_model
from support.work import calls_in

STEPS = 24
GROWTH = 2.37
"""Twice, and what is quadratic: conflicts of buffers that live at once, guards of the parts of a concatenation."""


def _names(letter: str, count: int) -> str:
    return ", ".join(f"{letter}{i}" for i in range(count))


def _scan(steps: int) -> onnx.ModelProto:
    """A recurrence, unrolled: each step reads a part of the input and gives a part of the output."""
    body = [f"{_names('x', steps)} = Split <axis = 1, num_outputs = {steps}> (x)"]
    for i in range(steps):
        state = f"s{i - 1}" if i else "first"
        body.append(f"m{i} = MatMul({state}, w) a{i} = Add(m{i}, x{i}) s{i} = Tanh(a{i})")
    body.append(f"y = Concat <axis = 1> ({_names('s', steps)})")
    return _with_weights(body, f"float[2,{steps},4]", {"w": (4, 4), "first": (2, 1, 4)})


def _cuts(steps: int) -> onnx.ModelProto:
    """Steps that each read a row of a tensor of the network and write one, stored without copies."""
    body = [f"r = Relu(x) {_names('r', steps)} = Split <axis = 0, num_outputs = {steps}> (r)"]
    for i in range(steps):
        state = f"s{i - 1}" if i else "first"
        body.append(f"m{i} = Mul({state}, r{i}) s{i} = MatMul(m{i}, w)")
    body.append(f"c = Concat <axis = 0> ({_names('s', steps)}) y = Tanh(c)")
    return _with_weights(body, f"float[{steps},4]", {"w": (4, 4), "first": (1, 4)})


def _layers(steps: int) -> onnx.ModelProto:
    """Layers that are all called the same, each with weights of its own and the results of the two before it."""
    body, weights = ["s0 = Relu(x) s1 = MatMul(s0, w1)"], {"w1": (4, 4)}
    for i in range(2, steps):
        body.append(f"c{i} = Concat <axis = 1> (s{i - 1}, s{i - 2}) m{i} = MatMul(c{i}, w{i}) s{i} = Relu(m{i})")
        weights[f"w{i}"] = (8, 4)
    model = _with_weights([*body, f"y = Identity(s{steps - 1})"], "float[3,4]", weights)
    for node in model.graph.node:
        node.name = "layer"
    return model


def _with_weights(body: list[str], port: str, weights: Mapping[str, tuple[int, ...]]) -> onnx.ModelProto:
    model = onnx_model(f"({port} x) => ({port} y) {{ {' '.join(body)} }}", 18)
    for seed, (name, shape) in enumerate(weights.items()):
        model.graph.initializer.append(numpy_helper.from_array(floats(*shape, seed=seed), name))
    return model


NETWORKS: Mapping[str, Callable[[int], onnx.ModelProto]] = {"scan": _scan, "cuts": _cuts, "layers": _layers}


@pytest.mark.sample(1)
@pytest.mark.parametrize("network", NETWORKS)
def test_twice_the_steps_are_about_twice_the_work(network: str):
    api.compile(NETWORKS[network](3), target="c")  # imports, and tables that are computed once
    single, double = (
        calls_in(partial(api.compile, NETWORKS[network](steps), target="c")) for steps in (STEPS, 2 * STEPS)
    )
    cubic = {name: count for name, count in double.items() if count > 2000 and count > 5 * single[name]}
    assert cubic == {}
    assert double.total() <= GROWTH * single.total()
