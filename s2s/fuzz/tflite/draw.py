"""Draw a whole TFLite graph from a seed."""

from collections import Counter
from random import Random
from typing import NamedTuple

from s2s.frontends.tflite.writer import GraphSpec
from s2s.fuzz.model import MAX_NODES
from s2s.fuzz.network import Rejected
from s2s.fuzz.spread import Spread
from s2s.fuzz.tflite.network import Network
from s2s.fuzz.tflite.operators import OPERATORS, WEIGHTS
from s2s.types.dtypes import Array

PATIENCE = 6
"""Operators that may be rejected for each that is accepted."""


class DrawnGraph(NamedTuple):
    """A graph, its inputs, and what its values should be."""

    graph: GraphSpec
    inputs: dict[str, Array]
    expected: dict[str, Spread]
    operators: Counter[str]
    """How many operators there are of each entry of the table."""


def draw_graph(seed: str, prefix: str = "", nodes: int = MAX_NODES) -> DrawnGraph:
    """The graph of a seed, of about `nodes` operators at most; names of its tensors begin with `prefix`."""
    random = Random(seed)
    net = Network(random, prefix)
    names = sorted(OPERATORS)
    weights = [WEIGHTS.get(name, 1) for name in names]
    drawn = Counter[str]()
    wanted = random.randint(1, nodes)
    for _ in range(PATIENCE * nodes):
        if net.length >= wanted:
            break
        [name] = random.choices(names, weights)
        try:
            net.attempt(OPERATORS[name])
        except Rejected:
            continue
        drawn[name] += 1
    graph = net.graph()
    expected = {name: net.spreads()[name] for name in graph.outputs}
    return DrawnGraph(graph, {name: net.inputs()[name] for name in graph.inputs}, expected, drawn)
