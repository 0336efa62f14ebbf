"""Constants of one repeated value stay one value: some networks come with hundreds of megabytes of them."""

import numpy as np
import pytest
from xdsl.ir import SSAValue

from s2s.analysis.numbers.known_values import is_splat, map_lazily, per_channel
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.passes.context import CompilerContext
from s2s.registry import get_pass
from s2s.types.dtypes import Array, type_of_array
from support.random_networks import NetworkBuilder

CHANNELS, INPUTS = 1 << 15, 1 << 15
"""A layer of 4 GB of weights: a pass that spells them out does not go unnoticed."""


def splat(value: float, *shape: int) -> Array:
    """`value`, as if repeated."""
    return np.broadcast_to(np.array(value, np.float32), shape)


def weight(net: NetworkBuilder, value: float, *shape: int) -> SSAValue:
    """A weight that holds `value` everywhere."""
    array = splat(value, *shape)
    name = net.weights.add("w", array)
    return net.append(graph.WeightOp(name, type_of_array(array), net.weights.hash(name)))


def only_value(net: NetworkBuilder, op: GraphOp, *passes: str) -> list[float]:
    """The values of all weights that the network still reads after the passes, each a splat."""
    module = net.module([net.append(op)])
    for name in [*passes, "graph-eliminate-dead-code"]:
        get_pass(name)().apply(CompilerContext(net.weights), module)
    arrays = [net.weights.get(each.weight_name.data) for each in module.walk() if isinstance(each, graph.WeightOp)]
    assert all(map(is_splat, arrays))
    return [float(array.reshape(-1)[0]) for array in arrays]


def test_elementwise_operations_on_splats_fold_to_splats() -> None:
    net = NetworkBuilder()
    huge = weight(net, 3.0, CHANNELS, INPUTS)
    squares = net.append(graph.MulOp(huge, huge))
    rows = net.append(graph.AddOp(squares, weight(net, 1.0, INPUTS)))
    assert only_value(net, graph.NegOp(rows), "graph-fold-constants") == [-10.0]


def test_moving_operations_on_splats_fold_to_splats() -> None:
    net = NetworkBuilder()
    turned = net.append(graph.TransposeOp(weight(net, 3.0, CHANNELS, INPUTS), perm=(1, 0)))
    assert only_value(net, graph.ReshapeOp(turned, (INPUTS, 2, CHANNELS // 2)), "graph-fold-constants") == [3.0]


def test_batch_norm_folds_into_splat_weights() -> None:
    net = NetworkBuilder()
    x = net.append(graph.ReshapeOp(net.values[0], (1, 144, 1, 1)))
    ones, pads = (1, 1), (0, 0, 0, 0)
    w = weight(net, 2.0, CHANNELS, 144, 1, 1)
    y = net.append(graph.ConvOp(x, w, strides=ones, pads=pads, dilations=ones, groups=1))
    scale, bias, mean, var = (weight(net, value, CHANNELS) for value in (6.0, 1.0, 0.5, 4.0))
    norm = graph.BatchNormOp(y, scale, bias, mean, var, epsilon=0.0)
    assert only_value(net, norm, "graph-fold-batch-norm") == [6.0, -0.5]


def test_a_scale_folds_into_splat_weights() -> None:
    net = NetworkBuilder()
    x = net.append(graph.ReshapeOp(net.values[0], (1, 144)))
    product = net.append(graph.MatmulOp(x, weight(net, 2.0, 144, CHANNELS)))
    assert only_value(net, graph.MulOp(product, weight(net, 0.5, CHANNELS)), "graph-canonicalize-bias") == [1.0]


def test_arithmetic_is_done_on_one_element_only_if_all_are_splats() -> None:
    assert is_splat(map_lazily(np.add, splat(1.0, CHANNELS, 1), splat(2.0, INPUTS)))
    assert not is_splat(map_lazily(np.add, splat(1.0, 4, 1), np.arange(3.0)))


@pytest.mark.parametrize(
    ("shape", "found"), [((3, 1, 1), True), ((1, 3, 1, 1), True), ((), True), ((3,), False), ((2, 1, 1, 1), False)]
)
def test_constants_per_channel(shape: tuple[int, ...], found: bool) -> None:
    assert (per_channel(np.ones(shape), rank=4, axis=1, channels=3) is not None) == found
