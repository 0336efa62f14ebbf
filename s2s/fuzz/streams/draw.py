"""Draw a network over sliding windows from a seed."""

from collections import Counter
from random import Random

import numpy as np
import onnx

from s2s.frontends.onnx import import_model
from s2s.fuzz.model import Drawn
from s2s.fuzz.onnx_model import OnnxModel
from s2s.fuzz.spread import Spread
from s2s.fuzz.streams.check import drawn_inputs
from s2s.fuzz.streams.network import StreamNetwork
from s2s.fuzz.streams.operators import OFTEN, OPERATORS
from s2s.interpret.graph import run_graph

MAX_FRAMES = 20
PATIENCE = 4
"""Operators that may be given up for each that is added."""


def draw_stream(seed: str, prefix: str, operators: int) -> Drawn:
    """The network of a seed, as `draw_network` draws it, with inputs of a single run of the whole network. What runs on
    new frames should give is computed run by run, by `check`."""
    network, drawn = draw_network(seed, prefix, operators)
    inputs, imported = drawn_inputs(network, np.random.default_rng(0)), import_model(network)
    results = run_graph(imported.module, list(inputs.values()), imported.weights)
    model = OnnxModel(network)
    expected = {name: Spread(each) for name, each in zip(model.outputs, results, strict=True)}
    return Drawn(seed, model, inputs, expected, drawn)


def draw_network(seed: str, prefix: str, operators: int) -> tuple[onnx.ModelProto, Counter[str]]:
    """The network of a seed, of about `operators` entries of the table at most, and how many it has of each.

    Names begin with `prefix`. The metadata say which inputs slide and which are states.
    """
    random = Random(seed)
    net = StreamNetwork(random, prefix)
    frames, step = random.randint(8, MAX_FRAMES), random.choice((None, None, 1, 2, 4))
    net.window(random.randint(1, 4), frames, step)
    if random.random() < 0.25:
        net.window(random.randint(1, 4), random.choice((frames, random.randint(8, MAX_FRAMES))), step)
    drawn, wanted = Counter[str](), random.randint(1, operators)
    names = (*sorted(OPERATORS), *OFTEN)
    for _ in range(PATIENCE * wanted):
        if drawn.total() >= wanted:
            break
        name, before = random.choice(names), len(net.values)
        value = net.existing()
        assert value is not None
        OPERATORS[name](net, value)
        drawn[name] += len(net.values) > before
    last = net.values[-1]
    net.output(last.name, last.shape)
    if random.random() < 0.3:
        other = random.choice(net.values)
        net.output(other.name, other.shape)
    return net.model(), +drawn
