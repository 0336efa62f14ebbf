"""Passes take time in proportion to the network."""

import gc
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from xdsl.dialects.builtin import ModuleOp

from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.pipeline import pipeline
from s2s.tvm import relay
from s2s.types.weights import WeightStore
from support.random_networks import Network

SMALL, LARGE = 200, 1600
SLACK = 3.0
"""How much more than the growth of the network the time may grow: a quadratic pass takes 8 times as much."""


def network(nodes: int) -> tuple[ModuleOp, WeightStore]:
    """Residual blocks of eight operations, a concatenation here and there, and one skip over the whole network."""
    net = Network()
    value = first = net.x
    for block in range(nodes // 8):
        inner = relay.nn.conv2d(value, net.weight(4, 4, 3, 3), padding=1)
        gamma, beta, mean, variance = (net.weight(4) for _ in range(4))
        inner = relay.nn.batch_norm(inner, gamma, beta, mean, variance)[0]
        inner = relay.nn.relu(inner)
        inner = relay.transpose(relay.transpose(inner, axes=(0, 1, 3, 2)), axes=(0, 1, 3, 2))
        inner = relay.add(inner, first if block % 5 == 4 else value)
        value = relay.strided_slice(relay.concatenate([inner, value], axis=1), begin=(2,), end=(6,), axes=(1,))
    return net.module([value])


def seconds(nodes: int) -> dict[str, float]:
    """Processor time of each graph pass on a network of so many nodes."""
    module, weights = network(nodes)
    ctx = CompilerContext(weights)
    found: dict[str, float] = {}
    for each in pipeline(CompileOptions())["graph"]:
        started = time.process_time()
        each.apply(ctx, module)
        found[each.name] = found.get(each.name, 0.0) + time.process_time() - started
    started = time.process_time()
    module.verify()
    return found | {"verify": time.process_time() - started}


@contextmanager
def without_collections() -> Generator[None]:
    """Collect no garbage: that takes as long as other tests of the process have left objects."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def measured() -> tuple[dict[str, float], dict[str, float]]:
    """Times on a small and on a large network; the small one runs twice, as the first run imports modules."""
    with without_collections():
        seconds(SMALL)
        return seconds(SMALL), seconds(LARGE)


def test_no_graph_pass_grows_faster_than_the_network(measured: tuple[dict[str, float], dict[str, float]]) -> None:
    small, large = measured
    allowed = {name: max(SLACK * LARGE / SMALL * small[name], 0.6) for name in large}
    assert {name: taken for name, taken in large.items() if taken > allowed[name]} == {}


def test_all_graph_passes_take_a_few_seconds_on_1600_nodes(measured: tuple[dict[str, float], dict[str, float]]) -> None:
    assert sum(measured[1].values()) < 10
