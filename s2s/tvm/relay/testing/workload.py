"""A network with parameters made up for it."""

from math import sqrt

import numpy as np

from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.runtime import nd
from s2s.types.dtypes import Array

DATA = "data"
"""The name of the input, which is no parameter."""


def create_workload(net: Function, seed: int = 0) -> tuple[IRModule, dict[str, NDArray]]:
    """The module of `net`, and values for its variables other than `data`.

    Weights are uniform within Xavier's bounds, factors and variances are one, biases and means are zero.
    """
    rng = np.random.default_rng(seed)
    named = [(each.name_hint, each.shape, np.dtype(each.dtype)) for each in net.params if each.name_hint != DATA]
    params = {name: nd.array(_made_up(name, shape, rng).astype(dtype)) for name, shape, dtype in named}
    return IRModule.from_expr(net), params


def _made_up(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if name.endswith(("_gamma", "_moving_var")):
        return np.ones(shape)
    if len(shape) < 2:
        return np.zeros(shape)
    window = int(np.prod(shape[2:]))
    bound = sqrt(6.0 / ((shape[0] + shape[1]) * window))
    return rng.uniform(-bound, bound, shape)
