"""`te.scan` computes rows one after the other, as a loop of numpy does."""

from collections.abc import Callable

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import te
from s2s.types.dtypes import Array

ROWS, COLUMNS = 6, 8
X = np.random.default_rng(0).standard_normal((ROWS, COLUMNS)).astype(np.float32)


def parts() -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    x, state = te.placeholder((ROWS, COLUMNS), name="X"), te.placeholder((ROWS, COLUMNS), name="state")
    return x, state, te.compute((1, COLUMNS), lambda _, i: x[0, i], name="init")


def run(s: te.Schedule, arguments: list[te.Tensor], *arrays: Array) -> None:
    tvm.build(s, arguments, "llvm", name="f")(*arrays)


def test_a_running_sum_of_open_sizes():
    m, n = te.var("m"), te.var("n")
    x, state = te.placeholder((m, n), name="X"), te.placeholder((m, n), name="state")
    init = te.compute((1, n), lambda _, i: x[0, i])
    total = te.scan(init, te.compute((m, n), lambda t, i: state[t - 1, i] + x[t, i]), state, inputs=[x])
    y = np.zeros_like(X)
    run(te.create_schedule(total.op), [x, total], X, y)
    np.testing.assert_allclose(y, np.cumsum(X, 0), rtol=1e-5, atol=1e-6)


def test_a_step_of_two_stages_with_directives():
    x, state, init = parts()
    twice = te.compute((ROWS, COLUMNS), lambda t, i: state[t - 1, i] * 2, name="twice")
    update = te.compute((ROWS, COLUMNS), lambda t, i: twice[t, i] + x[t, i], name="update")
    result = te.scan(init, update, state, inputs=[x])
    s = te.create_schedule(result.op)
    outer, _ = s[update].split(update.op.axis[1], factor=4)
    s[twice].compute_at(s[update], outer)
    y = np.zeros_like(X)
    run(s, [x, result], X, y)
    expected = X.copy()
    for t in range(1, ROWS):
        expected[t] = expected[t - 1] * 2 + X[t]
    np.testing.assert_allclose(y, expected, rtol=1e-5)


def test_two_states_that_read_each_other():
    x, first, init = parts()
    second = te.placeholder((ROWS, 3), name="second")
    zeros = te.compute((1, 3), lambda _, i: 0.0, name="zeros")
    one = te.compute((ROWS, COLUMNS), lambda t, i: first[t - 1, i] + x[t, i], name="one")
    two = te.compute((ROWS, 3), lambda t, i: second[t - 1, i] + first[t - 1, 0], name="two")
    p, q = te.scan([init, zeros], [one, two], [first, second], inputs=[x])
    y, z = np.zeros_like(X), np.ones((ROWS, 3), np.float32)
    run(te.create_schedule(p.op), [x, p, q], X, y, z)
    sums = np.cumsum(X, 0)
    np.testing.assert_allclose(y, sums, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(z[1:], np.cumsum(sums[:-1, :1] * np.ones((1, 3)), 0), rtol=1e-4, atol=1e-5)
    assert not z[0].any()


def test_a_recurrent_layer_over_two_rows():
    w, state = te.placeholder((4, 4), name="W"), te.placeholder((ROWS, 4), name="state")
    k = te.reduce_axis((0, 4), "k")
    init = te.compute((2, 4), lambda r, j: te.const(1.0, "float32"), name="init")
    product = te.compute((ROWS, 4), lambda t, j: te.sum(state[t - 1, k] * w[k, j], axis=k), name="product")
    update = te.compute((ROWS, 4), lambda t, j: te.tanh(product[t, j]) + state[t - 2, j], name="update")
    result = te.scan(init, update, state)
    weights = X[:4, :4].copy()
    y = np.zeros((ROWS, 4), np.float32)
    run(te.create_schedule(result.op), [w, result], weights, y)
    expected = np.ones((ROWS, 4), np.float32)
    for t in range(2, ROWS):
        expected[t] = np.tanh(expected[t - 1] @ weights) + expected[t - 2]
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


Step = Callable[[te.Tensor, te.Tensor], Callable[[te.IterVar, te.IterVar], te.Expr]]
REFUSED: dict[str, Step] = {
    "the rows before are t - 1 to t - 1": lambda x, state: lambda t, i: state[t - 2, i] + x[t, i],
    "a step reads other tensors at t": lambda x, state: lambda t, i: state[t - 1, i] + x[t - 1, i],
    "t is used as a number": lambda x, state: lambda t, i: state[t - 1, i] + t.astype("float32"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_step_that_is_no_row_after_rows_is_refused(message: str):
    x, state, init = parts()
    update = te.compute((ROWS, COLUMNS), REFUSED[message](x, state), name="update")
    result = te.scan(init, update, state)
    with pytest.raises(InputError, match=message):
        tvm.lower(te.create_schedule(result.op), [x, result])
