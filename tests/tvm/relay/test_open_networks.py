"""Networks of variable sizes are compiled once for all sizes within bounds, and exported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, S2SError
from s2s.tvm import relay, te
from s2s.tvm.runtime.executor import AotModule
from s2s.types.dtypes import Array

WEIGHT = (np.arange(12, dtype=np.float32).reshape(3, 4) - 5) / 10
KERNEL = (np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3) - 4) / 10
Network = tuple[relay.Function, Callable[[Array], Array]]


def variable(name: str, *shape: Any) -> relay.Expr:
    """A parameter; the sizes of its shape may be variables."""
    return relay.var(name, relay.TensorType(shape))


def softmax(x: Array) -> Array:
    """The softmax of rows."""
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def dense() -> Network:
    """Rows of an open number, and what is summed over them."""
    x = variable("x", te.size_var("n"), 4)
    y = relay.nn.softmax(relay.nn.dense(x, relay.const(WEIGHT)))
    return relay.Function(
        [x], y + relay.sum(y, 0, keepdims=True)
    ), lambda value: softmax(value @ WEIGHT.T) + softmax(value @ WEIGHT.T).sum(0, keepdims=True)


def convolution() -> Network:
    """An image of an open height, padded, pooled and laid out anew."""
    x = variable("x", 1, 1, te.var("n"), 4)
    y = relay.nn.conv2d(x, relay.const(KERNEL), kernel_size=(3, 3), channels=1, padding=(1, 1))

    def reference(value: Array) -> Array:
        padded = np.pad(value[0, 0], 1)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
        return np.einsum("abij,ij->ab", windows, KERNEL[0, 0]).reshape(-1, 4)

    return relay.Function([x], relay.reshape(y, (-1, 4))), reference


def joined() -> Network:
    """Parts of an open axis behind a constant part."""
    x = variable("x", relay.Any(), 4)
    y = relay.concatenate([relay.const(WEIGHT), relay.nn.relu(x)], 0)
    return relay.Function([x], relay.transpose(y)), lambda value: np.concatenate([WEIGHT, np.maximum(value, 0)]).T


NETWORKS: dict[str, tuple[Callable[[], Network], dict[str, Any], Callable[[int], tuple[int, ...]]]] = {
    "dense": (dense, {"n": "1..16"}, lambda n: (n, 4)),
    "convolution": (convolution, {"n": (1, 12)}, lambda n: (1, 1, n, 4)),
    "joined": (joined, {"x_0": "1..9"}, lambda n: (n, 4)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_one_library_takes_every_size(name: str, tmp_path: Path):
    make, dims, shape = NETWORKS[name]
    function, reference = make()
    library = relay.build(tvm.IRModule.from_expr(function), "llvm", executor="aot", dims=dims)
    library.export_library(tmp_path / "net.so")
    loaded = tvm.runtime.load_module(tmp_path / "net.so")
    for module in (AotModule(library["default"](tvm.cpu())), AotModule(loaded["default"](tvm.cpu()))):
        for size in (9, 1, 4):
            value = np.random.default_rng(size).standard_normal(shape(size)).astype(np.float32)
            module.set_input("x", value)
            module.run()
            np.testing.assert_allclose(
                np.asarray(module.get_output(0), np.float32), reference(value), rtol=1e-5, atol=1e-6
            )


def test_a_size_may_be_given_as_a_number():
    function, reference = dense()
    library = relay.build(function, "llvm", dims={"n": 3})
    module: Any = tvm.contrib.graph_executor.GraphModule(library["default"](tvm.cpu()))
    value = np.ones((3, 4), np.float32)
    module.run(x=value)
    np.testing.assert_allclose(np.asarray(module.get_output(0), np.float32), reference(value), rtol=1e-5)


def test_parameters_are_bound_before_sizes():
    x, w = variable("x", relay.Any(), 4), relay.var("w", shape=(3, 4))
    network = relay.Function([x, w], relay.nn.dense(x, w))
    library = relay.build(network, "llvm", executor="aot", params={"w": WEIGHT}, dims={"x_0": "1..4"})
    module = AotModule(library["default"](tvm.cpu()))
    module.set_input("x", np.ones((2, 4), np.float32))
    module.run()
    np.testing.assert_allclose(
        np.asarray(module.get_output(0), np.float32), np.ones((2, 4), np.float32) @ WEIGHT.T, rtol=1e-6
    )


def doubled() -> relay.Function:
    """A parameter whose size is computed of another one."""
    n = te.size_var("n")
    x, y = (variable(name, size, 4) for name, size in (("x", n), ("y", n * 2)))
    return relay.Function([x, y], relay.Tuple([x, y]))


def windows() -> relay.Function:
    """A convolution whose window fits into some sizes alone."""
    x = variable("x", 1, 1, te.var("n"), 4)
    return relay.Function([x], relay.nn.conv2d(x, relay.const(KERNEL), kernel_size=(3, 3), channels=1))


@pytest.mark.parametrize(
    ("make", "dims", "message"),
    [
        (lambda: dense()[0], {"m": "1..4"}, r"relay.build: size n is open; give its bounds, dims=\{'n': '1..64'\}"),
        (lambda: joined()[0], {}, r"relay.build: size x_0 is open; give its bounds"),
        (
            doubled,
            {"n": "1..4"},
            "relay.build: y_0 is computed of other sizes; give it a variable of its own",
        ),
        (windows, {"n": "1..4"}, "n"),
    ],
    ids=["another", "unnamed", "computed", "some sizes"],
)
def test_what_no_bounds_describe_is_refused(make: Callable[[], relay.Function], dims: dict[str, Any], message: str):
    with pytest.raises(S2SError, match=message):
        relay.build(make(), "llvm", executor="aot", dims=dims)


def test_a_size_beyond_its_bounds_is_refused():
    library = relay.build(dense()[0], "llvm", executor="aot", dims={"n": "1..4"})
    module = AotModule(library["default"](tvm.cpu()))
    with pytest.raises(InputError, match="x"):
        module.run(x=np.ones((5, 4), np.float32))
