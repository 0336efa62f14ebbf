"""Passes take time in proportion to the network."""

import time

import pytest
from xdsl.dialects.builtin import ModuleOp

from s2s.dialects import graph
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.pipeline import pipeline
from support.random_networks import NetworkBuilder

SMALL, LARGE = 200, 1600
SLACK = 3.0
"""How much more than the growth of the network the time may grow: a quadratic pass takes 8 times as much."""


def network(nodes: int) -> tuple[ModuleOp, NetworkBuilder]:
    """Residual blocks of eight operations, a concatenation here and there, and one skip over the whole network."""
    net = NetworkBuilder()
    value = first = net.values[0]
    ones, pads = (1, 1), (1, 1, 1, 1)
    for block in range(nodes // 8):
        inner = net.add(graph.ConvOp(value, net.weight(4, 4, 3, 3), strides=ones, pads=pads, dilations=ones, groups=1))
        inner = net.add(graph.BatchNormOp(inner, *(net.weight(4) for _ in range(4)), epsilon=1e-5))
        inner = net.add(graph.ClampOp(inner, min=0.0))
        inner = net.add(graph.TransposeOp(inner, perm=(0, 1, 3, 2)))
        inner = net.add(graph.TransposeOp(inner, perm=(0, 1, 3, 2)))
        inner = net.add(graph.AddOp(inner, first if block % 5 == 4 else value))
        inner = net.add(graph.ConcatOp([inner, value], axis=1))
        value = net.add(graph.SliceOp(inner, starts=(0, 2, 0, 0), sizes=(1, 4, 6, 6), strides=(1, 1, 1, 1)))
    return net.module([value]), net


def seconds(nodes: int) -> dict[str, float]:
    """Processor time of each graph pass on a network of so many nodes."""
    module, net = network(nodes)
    ctx = CompilerContext(net.weights)
    found: dict[str, float] = {}
    for each in pipeline(CompileOptions())["graph"]:
        started = time.process_time()
        each.apply(ctx, module)
        found[each.name] = found.get(each.name, 0.0) + time.process_time() - started
    started = time.process_time()
    module.verify()
    return found | {"verify": time.process_time() - started}


@pytest.fixture(scope="module")
def measured() -> tuple[dict[str, float], dict[str, float]]:
    """Times on a small and on a large network; the small one runs twice, as the first run imports modules."""
    seconds(SMALL)
    return seconds(SMALL), seconds(LARGE)


def test_no_graph_pass_grows_faster_than_the_network(measured: tuple[dict[str, float], dict[str, float]]) -> None:
    small, large = measured
    allowed = {name: max(SLACK * LARGE / SMALL * small[name], 0.6) for name in large}
    assert {name: taken for name, taken in large.items() if taken > allowed[name]} == {}


def test_all_graph_passes_take_a_few_seconds_on_1600_nodes(measured: tuple[dict[str, float], dict[str, float]]) -> None:
    assert sum(measured[1].values()) < 10
