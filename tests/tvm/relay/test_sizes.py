"""Types whose sizes are variables of tensor expressions: what is inferred holds for all sizes, or is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from s2s.errors import UnsupportedError
from s2s.tvm import relay, te
from s2s.tvm.relay import Expr, IRModule, nn

N, M = te.size_var("n"), te.var("m")
X = relay.TensorType((N, 4, M))  # pyright: ignore[reportArgumentType]
IMAGE = relay.TensorType((N, 3, M + 2, M * 2))  # pyright: ignore[reportArgumentType, reportOperatorIssue]

CASES: dict[str, tuple[relay.TensorType, Callable[[Any], Any], str]] = {
    "sum": (X, lambda x: relay.sum(x, 1, True), "Tensor[(n, 1, m), float32]"),
    "all but one": (X, lambda x: relay.max(x, 1, exclude=True), "Tensor[(4), float32]"),
    "argmax of all": (X, relay.argmax, "int32"),
    "reshape": (X, lambda x: relay.reshape(x, [-1, 2]), "Tensor[(n * m * 2, 2), float32]"),
    "reversed": (X, relay.transpose, "Tensor[(m, 4, n), float32]"),
    "concatenate": (X, lambda x: relay.concatenate([x, x], 0), "Tensor[(n * 2, 4, m), float32]"),
    "dense": (X, lambda x: nn.dense(x, relay.var("w"), units=2), "Tensor[(n, 4, 2), float32]"),
    "flat": (IMAGE, nn.batch_flatten, "Tensor[(n, m * 12 + m * m * 6), float32]"),
    "std": (X, lambda x: relay.std(x, 1), "Tensor[(n, m), float32]"),
    "pool": (IMAGE, lambda x: nn.max_pool2d(x, 2, 2), "Tensor[(n, 3, m floordiv 2 + 1, m), float32]"),
    "conv2d": (
        IMAGE,
        lambda x: nn.conv2d(x, relay.var("w"), channels=2, kernel_size=3),
        "Tensor[(n, 2, m, m * 2 - 2), float32]",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_types_follow_from_variables(name: str):
    type, formula, expected = CASES[name]
    result = formula(relay.var("x", type))
    assert sorted(str(result.checked_type)) == sorted(expected)  # the order of terms is not said
    assert "free_var %x: Tensor[(n, " in result.astext()


def test_types_of_equal_sizes_are_equal():
    first, second = (relay.sum(relay.var("x", X), axis).checked_type for axis in (1, 1))
    assert first == second
    assert first != relay.TensorType((M, N))  # pyright: ignore[reportArgumentType]


REFUSED: dict[str, Callable[[Expr], Any]] = {
    "add": lambda x: x + relay.var("y", relay.TensorType((M, 1, 1))),  # pyright: ignore[reportArgumentType]
    "strided_slice": lambda x: relay.strided_slice(x, [1], [7]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_a_size_is_refused(name: str):
    for _ in range(2):  # nothing is taken for granted later on
        with pytest.raises(UnsupportedError, match=f"relay.{name}: its type depends on whether"):
            REFUSED[name](relay.var("x", X))


def test_a_network_is_compiled_when_its_sizes_are_numbers():
    with pytest.raises(UnsupportedError, match=r"x is a Tensor\[\(n, 4, m\), float32\]; give relay.build bounds"):
        IRModule.from_expr(relay.exp(relay.var("x", X))).module.verify()
