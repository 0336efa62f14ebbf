"""Operators of relay have TVM's defaults, rounding and order of arguments: numpy states what TVM documents."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Expr, IRModule, Tuple, nn
from s2s.types.dtypes import Array

RNG = np.random.default_rng(5)
X = RNG.standard_normal((2, 3, 4, 4)).astype(np.float32)
M = RNG.standard_normal((3, 5)).astype(np.float32)
INTEGERS = np.array([[-5, 4, -4, 7], [5, -3, 0, -7]], np.int32)
HALVES = np.array([-2.5, -1.5, -0.5, -0.49999997, 0.49999997, 0.5, 1.5, 2.5, 3.2], np.float32)


def run(formula: Callable[..., Expr], *arrays: Array) -> list[Array]:
    """What the graph interpreter computes of an expression."""
    variables = [relay.var(f"x{at}", shape=each.shape, dtype=str(each.dtype)) for at, each in enumerate(arrays)]
    mod = IRModule.from_expr(relay.Function(variables, formula(*variables)))
    mod.module.verify()
    return run_graph(mod.module, list(arrays), mod.weights)


def away(x: Array) -> Array:
    """Rounded, halves away from zero."""
    return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0).astype(x.dtype)


def adaptive(x: Array, size: int, reduce: Callable[..., Any]) -> Array:
    n = x.shape[2]
    bounds = [(at * n // size, -(-(at + 1) * n // size)) for at in range(size)]
    rows = [[reduce(x[:, :, a:b, c:d], axis=(2, 3)) for c, d in bounds] for a, b in bounds]
    return np.stack([np.stack(row, -1) for row in rows], -2)


Case = tuple[Callable[[Any], Any], tuple[Array], Callable[[Any], Any]]
Pair = tuple[Callable[[Any, Any], Expr], tuple[Array, Array], Callable[[Any, Any], Any]]
CASES: dict[str, Case] = {
    "mod of integers": (lambda x: relay.mod(x, 4), (INTEGERS,), lambda x: np.fmod(x, 4)),
    "mod of floats": (lambda x: relay.mod(x, 1.5), (M,), lambda x: np.fmod(x, np.float32(1.5))),
    "floor_mod": (lambda x: relay.floor_mod(x, 4), (INTEGERS,), lambda x: np.mod(x, 4)),
    "floor_divide": (lambda x: relay.floor_divide(x, 4), (INTEGERS,), lambda x: x // 4),
    "floor_divide by negative": (lambda x: relay.floor_divide(x, -3), (INTEGERS,), lambda x: x // -3),
    "trunc_divide": (lambda x: relay.trunc_divide(x, 4), (INTEGERS,), lambda x: np.trunc(x / 4).astype(np.int32)),
    "divide of integers": (
        lambda x: relay.divide(x, relay.const(4)),
        (INTEGERS,),
        lambda x: np.trunc(x / 4).astype(np.int32),
    ),
    "round": (relay.round, (HALVES,), away),
    "trunc": (relay.trunc, (HALVES,), np.trunc),
    "argmax of all": (relay.argmax, (X,), lambda x: np.int32(x.argmax())),
    "argmin of all, kept": (
        lambda x: relay.argmin(x, keepdims=True),
        (X,),
        lambda x: np.full((1, 1, 1, 1), x.argmin(), np.int32),
    ),
    "argmax of several": (
        lambda x: relay.argmax(x, [1, 3]),
        (X,),
        lambda x: x.transpose(0, 2, 1, 3).reshape(2, 4, 12).argmax(-1).astype(np.int32),
    ),
    "argmax without": (
        lambda x: relay.argmax(x, 1, exclude=True),
        (X,),
        lambda x: x.transpose(1, 0, 2, 3).reshape(3, -1).argmax(-1).astype(np.int32),
    ),
    "argmax, the last": (
        lambda x: relay.argmax(relay.sign(x), 0, False, False, True),
        (M,),
        lambda x: (2 - np.sign(x)[::-1].argmax(0)).astype(np.int32),
    ),
    "cumsum of all": (relay.cumsum, (M,), lambda x: x.cumsum(dtype=np.float32)),
    "cumsum, exclusive": (lambda x: relay.cumsum(x, 1, "float32", True), (M,), lambda x: x.cumsum(1) - x),
    "cumprod": (lambda x: relay.cumprod(x, 1), (M,), lambda x: x.cumprod(1)),
    "all": (lambda x: relay.all(relay.greater(x, -1.0), 1), (M,), lambda x: (x > -1).all(1)),
    "any": (lambda x: relay.any(relay.greater(x, 1.0)), (M,), lambda x: (x > 1).any()),
    "logsumexp": (lambda x: relay.logsumexp(x, 1), (M,), lambda x: np.log(np.exp(x).sum(1))),
    "mean_variance": (lambda x: relay.mean_variance(x, 1).fields[1], (M,), lambda x: x.var(1)),
    "gather_nd": (
        lambda x: relay.gather_nd(x, relay.const(np.array([[0, 2], [1, 4]]))),
        (M,),
        lambda x: x[[0, 2], [1, 4]],
    ),
    "reshape -3": (lambda x: relay.reshape(x, [0, -3, 4]), (X,), lambda x: x.reshape(2, 12, 4)),
    "reshape -4": (lambda x: relay.reshape(x, [-4, 1, -1, -2]), (X,), lambda x: x.reshape(1, 2, 3, 4, 4)),
    "reverse_reshape": (lambda x: relay.reverse_reshape(x, [-1, 0, 4]), (X,), lambda x: x.reshape(6, 4, 4)),
    "strided_slice by size": (
        lambda x: relay.strided_slice(x, [0, 1], [2, 3], [2, 2], slice_mode="size"),
        (M,),
        lambda x: x[0:2, 1:4],
    ),
    "strided_set": (
        lambda x: relay.strided_set(x, relay.const(np.zeros((3, 2), np.float32)), [0, 0], [3, 4], [1, 2]),
        (M,),
        lambda x: np.where(np.isin(np.arange(5), [0, 2]), 0, x).astype(np.float32),
    ),
    "scatter_elements": (
        lambda x: relay.scatter_elements(
            x, relay.const(np.array([[1], [0], [4]])), relay.const(np.ones((3, 1), np.float32)), 1, "add"
        ),
        (M,),
        lambda x: x + (np.arange(5) == np.array([[1], [0], [4]])),
    ),
    "meshgrid": (
        lambda x: relay.meshgrid([x, relay.const(np.arange(2.0, dtype=np.float32))], "xy")[0],
        (HALVES,),
        lambda x: np.broadcast_to(x, (2, len(x))),
    ),
    "sequence_mask": (
        lambda x: relay.sequence_mask(x, relay.const(np.array([1, 4, 2])), 9, 1),
        (M,),
        lambda x: np.where(np.arange(5) < np.array([[1], [4], [2]]), x, 9).astype(np.float32),
    ),
    "sliding_window": (
        lambda x: relay.sliding_window(x, 2, (2, 3), (2, 1)),
        (X,),
        lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3), (2, 3))[:, :, ::2],
    ),
    "layout_transform": (
        lambda x: relay.layout_transform(relay.layout_transform(x, "NCHW", "NHWC"), "NHWC", "NCHW2c"),
        (RNG.standard_normal((1, 4, 2, 3)).astype(np.float32),),
        lambda x: x.reshape(1, 2, 2, 2, 3).transpose(0, 1, 3, 4, 2),
    ),
    "unravel_index": (
        lambda x: relay.unravel_index(x, [4, 5]),
        (np.array([3, 19, 7], np.int32),),
        lambda x: np.stack([x // 5, x % 5]),
    ),
    "matrix_set_diag": (
        lambda x: relay.matrix_set_diag(x, relay.const(np.zeros(3, np.float32)), 1),
        (M,),
        lambda x: np.where(np.eye(3, 5, 1, dtype=bool), 0, x).astype(np.float32),
    ),
    "trilu": (lambda x: relay.trilu(x, 1, False), (M,), lambda x: np.tril(x, 1)),
    "searchsorted": (
        lambda x: relay.searchsorted(relay.const(np.array([-1.0, 0, 1], np.float32)), x, right=True),
        (M,),
        lambda x: (x >= -1).astype(np.int32) + (x >= 0) + (x >= 1),
    ),
    "topk along an axis": (lambda x: relay.topk(x, 2, 0, "values"), (M,), lambda x: -np.sort(-x, 0)[:2]),
    "topk of all": (lambda x: relay.topk(x, 0, 1, "indices"), (M,), lambda x: np.argsort(-x, 1).astype(np.int32)),
    "sort": (lambda x: relay.sort(x, 0, False), (M,), lambda x: -np.sort(-x, 0)),
    "argsort": (relay.argsort, (M,), lambda x: np.argsort(x, -1).astype(np.int32)),
    "einsum": (lambda x: relay.einsum([x, x], "ij,kj->ik"), (M,), lambda x: x @ x.T),
    "full takes the type": (lambda x: relay.full(relay.const(3), (2,)) + x, (np.zeros(2, np.int32),), lambda x: x + 3),
    "matmul by position": (
        lambda x: nn.matmul(x, relay.const(M), None, "", False, True),
        (M,),
        lambda x: x @ M.T,
    ),
    "layer_norm of axis 1": (
        lambda x: nn.layer_norm(x, relay.const(np.ones(3, np.float32)), relay.const(np.zeros(3, np.float32)), 1),
        (X,),
        lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5),
    ),
    "instance_norm": (
        lambda x: nn.instance_norm(x, relay.const(np.full(3, 2, np.float32)), relay.const(np.ones(3, np.float32))),
        (X,),
        lambda x: (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5) * 2 + 1,
    ),
    "group_norm": (
        lambda x: nn.group_norm(x, relay.const(np.ones(3, np.float32)), relay.const(np.zeros(3, np.float32)), 1),
        (X,),
        lambda x: (x - x.mean((1, 2, 3), keepdims=True)) / np.sqrt(x.var((1, 2, 3), keepdims=True) + 1e-5),
    ),
    "l2_normalize": (
        lambda x: nn.l2_normalize(x, 1e-3, [1]),
        (X,),
        lambda x: x / np.sqrt(np.maximum((x * x).sum(1, keepdims=True), 1e-3)),
    ),
    "mirror_pad": (
        lambda x: nn.mirror_pad(x, ((0, 0), (1, 2))),
        (M,),
        lambda x: np.pad(x, ((0, 0), (1, 2)), mode="symmetric"),
    ),
    "dilate": (
        lambda x: nn.dilate(x, [2, 1], 7.0),
        (M,),
        lambda x: np.stack([x[0], np.full(5, 7), x[1], np.full(5, 7), x[2]]).astype(np.float32),
    ),
    "space_to_depth": (
        lambda x: nn.depth_to_space(nn.space_to_depth(x, 2), 2),
        (X,),
        lambda x: x,
    ),
    "space_to_batch_nd": (
        lambda x: nn.batch_to_space_nd(
            nn.space_to_batch_nd(relay.transpose(x, [0, 2, 3, 1]), [2, 2], [[1, 1], [0, 0]]), [2, 2], [[1, 1], [0, 0]]
        ),
        (X,),
        lambda x: x.transpose(0, 2, 3, 1),
    ),
    "adaptive_avg_pool2d": (lambda x: nn.adaptive_avg_pool2d(x, 3), (X,), lambda x: adaptive(x, 3, np.mean)),
    "adaptive_max_pool2d": (lambda x: nn.adaptive_max_pool2d(x, (3, 3)), (X,), lambda x: adaptive(x, 3, np.max)),
    "upsampling": (lambda x: nn.upsampling(x, 2, 2), (X,), lambda x: x.repeat(2, 2).repeat(2, 3)),
    "resize2d nearest": (
        lambda x: relay.image.resize2d(
            x, (2, 2), method="nearest_neighbor", coordinate_transformation_mode="asymmetric"
        ),
        (X,),
        lambda x: x[:, :, ::2, ::2],
    ),
    "max_pool1d": (lambda x: nn.max_pool1d(x, 2, 2), (X[0],), lambda x: x.reshape(3, 4, 2, 2).max(-1)),
    "conv2d_transpose by position": (
        lambda x: nn.conv2d_transpose(
            x, relay.const(np.ones((3, 1, 1, 1), np.float32)), (1, 1), (0, 0), (1, 1), 3, 3, (1, 1)
        ),
        (X,),
        lambda x: x,
    ),
    "depthwise weights as TVM has them": (
        lambda x: nn.conv2d(x, relay.const(np.ones((3, 2, 1, 1), np.float32)), groups=3, channels=6, kernel_size=1),
        (X,),
        lambda x: x.repeat(2, 1),
    ),
}


PAIRS: dict[str, Pair] = {
    "take clips": (lambda x, i: relay.take(x, i, 1), (M, np.array([-1, 2, 9], np.int32)), lambda x, i: x[:, [0, 2, 4]]),
    "take wraps": (
        lambda x, i: relay.take(x, i, 1, mode="wrap"),
        (M, np.array([-1, 2, 9], np.int32)),
        lambda x, i: x[:, [4, 2, 4]],
    ),
    "take in batches": (
        lambda x, i: relay.take(x, i, 2, 1),
        (X, np.array([[3, 0], [1, 2]], np.int32)),
        lambda x, i: np.stack([x[0][:, [3, 0]], x[1][:, [1, 2]]]),
    ),
}


@pytest.mark.parametrize("name", [*CASES, *PAIRS])
def test_an_operator_means_what_tvm_documents(name: str):
    formula, arrays, reference = {**CASES, **PAIRS}[name]
    expected = np.asarray(reference(*arrays))
    found = run(formula, *arrays)[0]
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=2e-5, atol=2e-6)


def test_all_results_of_a_tuple_are_outputs():
    x = relay.var("x", shape=M.shape)
    assert len(IRModule.from_expr(Tuple(list(relay.mean_std(x, 1))))["main"].outputs) == 2


REFUSED: list[tuple[Callable[[Any], Expr], str]] = [
    (lambda x: relay.reshape(x, [-5, 3]), r"-5 is not known; give sizes, or 0 to -4"),
    (lambda x: relay.take(x, relay.const([1]), mode="raise"), "mode 'raise' is not known"),
    (lambda x: nn.mirror_pad(x, ((0, 0), (1, 1)), "EDGE"), "mode 'EDGE' is not known"),
    (lambda x: relay.matrix_set_diag(x, x, (0, 1)), "bands of diagonals are not supported"),
]


@pytest.mark.parametrize(("formula", "message"), REFUSED)
def test_what_is_not_known_is_refused(formula: Callable[[Expr], Expr], message: str):
    with pytest.raises(InputError, match=message):
        run(formula, M)
