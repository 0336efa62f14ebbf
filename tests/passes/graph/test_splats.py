"""Constants of one repeated value stay one value: some networks come with hundreds of megabytes of them."""

import numpy as np
import pytest

from s2s.analysis.numbers.known_values import is_splat, map_lazily, per_channel
from s2s.dialects import graph
from s2s.passes.context import CompilerContext
from s2s.registry import get_pass
from s2s.tvm import relay
from s2s.tvm.relay.expr import Constant, Expr
from s2s.tvm.relay.graph_calls import call
from s2s.types.dtypes import Array

CHANNELS, INPUTS = 1 << 15, 1 << 15
"""A layer of 4 GB of weights: a pass that spells them out does not go unnoticed."""


def splat(value: float, *shape: int) -> Array:
    """`value`, as if repeated."""
    return np.broadcast_to(np.array(value, np.float32), shape)


def weight(value: float, *shape: int) -> Expr:
    """A weight that holds `value` everywhere."""
    return Constant(splat(value, *shape))


def only_value(output: Expr, *passes: str) -> list[float]:
    """The values of all weights that the network still reads after the passes, each a splat."""
    mod = relay.IRModule.from_expr(output)
    for name in [*passes, "graph-eliminate-dead-code"]:
        get_pass(name)().apply(CompilerContext(mod.weights), mod.module)
    read = [each.weight_name.data for each in mod.module.walk() if isinstance(each, graph.WeightOp)]
    arrays = [mod.weights.get(name) for name in read]
    assert all(map(is_splat, arrays))
    return [float(array.reshape(-1)[0]) for array in arrays]


def test_elementwise_operations_on_splats_fold_to_splats() -> None:
    huge = weight(3.0, CHANNELS, INPUTS)
    rows = relay.add(relay.multiply(huge, huge), weight(1.0, INPUTS))
    assert only_value(relay.negative(rows), "graph-fold-constants") == [-10.0]


def test_moving_operations_on_splats_fold_to_splats() -> None:
    turned = relay.transpose(weight(3.0, CHANNELS, INPUTS))
    assert only_value(relay.reshape(turned, (INPUTS, 2, CHANNELS // 2)), "graph-fold-constants") == [3.0]


def test_batch_norm_folds_into_splat_weights() -> None:
    x = relay.var("x", shape=(1, 144, 1, 1))
    y = relay.nn.conv2d(x, weight(2.0, CHANNELS, 144, 1, 1))
    gamma, beta, mean, variance = (weight(value, CHANNELS) for value in (6.0, 1.0, 0.5, 4.0))
    norm = relay.nn.batch_norm(y, gamma, beta, mean, variance, epsilon=0.0)[0]
    assert only_value(norm, "graph-fold-batch-norm") == [6.0, -0.5]


def test_a_scale_folds_into_splat_weights() -> None:
    product = call(graph.MatmulOp, relay.var("x", shape=(1, 144)), weight(2.0, 144, CHANNELS))
    assert only_value(relay.multiply(product, weight(0.5, CHANNELS)), "graph-canonicalize-bias") == [1.0]


def test_arithmetic_is_done_on_one_element_only_if_all_are_splats() -> None:
    assert is_splat(map_lazily(np.add, splat(1.0, CHANNELS, 1), splat(2.0, INPUTS)))
    assert not is_splat(map_lazily(np.add, splat(1.0, 4, 1), np.arange(3.0)))


@pytest.mark.parametrize(
    ("shape", "found"), [((3, 1, 1), True), ((1, 3, 1, 1), True), ((), True), ((3,), False), ((2, 1, 1, 1), False)]
)
def test_constants_per_channel(shape: tuple[int, ...], found: bool) -> None:
    assert (per_channel(np.ones(shape), rank=4, axis=1, channels=3) is not None) == found


def test_a_scatter_updates_a_splat_that_its_kernel_holds() -> None:
    places, updates = relay.var("places", shape=(4,), dtype="int64"), relay.var("updates", shape=(4,))
    scattered = call(graph.ScatterElementsOp, weight(0.0, CHANNELS), places, updates, axis=0)
    assert only_value(scattered, "graph-fuse-ops") == []
