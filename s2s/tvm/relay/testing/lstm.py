"""A long short-term memory, unrolled over a number of steps."""

import s2s.tvm.relay.nn as nn
import s2s.tvm.relay.op as op
from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.analysis import free_vars
from s2s.tvm.relay.expr import Expr, Var, var
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.testing.workload import DATA, create_workload


def lstm_cell(
    num_hidden: int, data: Expr, state: tuple[Expr, Expr], weights: tuple[Var, Var, Var, Var]
) -> tuple[Expr, tuple[Expr, Expr]]:
    """One step: the output and the next state, from the data and the state before."""
    i2h_weight, i2h_bias, h2h_weight, h2h_bias = weights
    hidden, cell = state
    i2h = nn.bias_add(nn.dense(data, i2h_weight, units=4 * num_hidden), i2h_bias, axis=-1)
    h2h = nn.bias_add(nn.dense(hidden, h2h_weight, units=4 * num_hidden), h2h_bias, axis=-1)
    enter, forget, change, leave = op.split(i2h + h2h, 4, axis=1)
    next_cell = op.sigmoid(forget) * cell + op.sigmoid(enter) * op.tanh(change)
    next_hidden = op.sigmoid(leave) * op.tanh(next_cell)
    return next_hidden, (next_hidden, next_cell)


def get_net(iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32") -> Function:
    """The network: `iterations` steps on the same data, all with the same weights."""
    data = var(DATA, shape=(batch_size, num_hidden), dtype=dtype)
    zeros = op.zeros((batch_size, num_hidden), dtype)
    weights = (var("i2h_weight"), var("i2h_bias"), var("h2h_weight"), var("h2h_bias"))
    output, state = lstm_cell(num_hidden, data, (zeros, zeros), weights)
    for _ in range(iterations - 1):
        output, state = lstm_cell(num_hidden, data, state, weights)
    return Function(free_vars(output), output)


def get_workload(
    iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32"
) -> tuple[IRModule, dict[str, NDArray]]:
    """The module of the network and made-up parameters."""
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype))
