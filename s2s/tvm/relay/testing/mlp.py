"""A perceptron of three layers."""

from collections.abc import Sequence

import s2s.tvm.relay.nn as nn
from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.analysis import free_vars
from s2s.tvm.relay.expr import var
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.testing.layers import dense
from s2s.tvm.relay.testing.workload import DATA, create_workload


def get_net(
    batch_size: int, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28), dtype: str = "float32"
) -> Function:
    """The network: 128 and 64 hidden units, softmax of `num_classes`."""
    data = nn.batch_flatten(var(DATA, shape=(batch_size, *image_shape), dtype=dtype))
    hidden = nn.relu(dense(data, "fc1", 128))
    hidden = nn.relu(dense(hidden, "fc2", 64))
    scores = nn.softmax(dense(hidden, "fc3", num_classes))
    return Function(free_vars(scores), scores)


def get_workload(
    batch_size: int, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28), dtype: str = "float32"
) -> tuple[IRModule, dict[str, NDArray]]:
    """The module of the network and made-up parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
