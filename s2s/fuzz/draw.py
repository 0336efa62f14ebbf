"""Draw a whole model from a seed."""

from collections import Counter
from functools import partial
from random import Random
from typing import NamedTuple

import onnx

from s2s.fuzz.idioms import IDIOMS
from s2s.fuzz.model import MAX_NODES
from s2s.fuzz.network import Network, Rejected
from s2s.fuzz.operators import OPERATORS
from s2s.fuzz.spread import Spread
from s2s.types.dtypes import Array

OPSETS = (9, 11, 12, 13, 15, 17, 18, 19, 20, 21, 21, 22, 23, 24, 25, 26, 27, 28)
IDIOM_SHARES = (0.0, 0.5, 1.0, 1.0)
"""How often several nodes that exporters write for one thing are added, and not one node of any operator: one of these
shares for a model."""
PATIENCE = 6
"""Nodes that may be rejected for each that is accepted."""


class DrawnModel(NamedTuple):
    """A model, its inputs, and what its values should be."""

    model: onnx.ModelProto
    inputs: dict[str, Array]
    expected: dict[str, Spread]
    operators: Counter[str]
    """How many nodes there are of each entry of the table."""


def draw_model(seed: str, prefix: str = "", opset: int | None = None, nodes: int = MAX_NODES) -> DrawnModel:
    """The model of a seed, of about `nodes` nodes at most; names of its values begin with `prefix`."""
    random = Random(seed)
    net = Network(random, random.choice(OPSETS) if opset is None else opset, prefix)
    operators, idioms, share = sorted(OPERATORS), sorted(IDIOMS), random.choice(IDIOM_SHARES)
    drawn = Counter[str]()
    wanted = random.randint(1, nodes)
    for _ in range(PATIENCE * nodes):
        if net.size >= wanted:
            break
        name = random.choice(idioms if random.random() < share else operators)
        try:
            net.attempt(partial(Network.composed, draw=IDIOMS[name]) if name in IDIOMS else OPERATORS[name])
        except Rejected:
            continue
        drawn[name] += 1
    model = net.model()
    expected = {output.name: net.spreads()[output.name] for output in model.graph.output}
    inputs = {each.name: net.inputs()[each.name] for each in model.graph.input}
    return DrawnModel(model, inputs, expected, drawn)
