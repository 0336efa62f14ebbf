"""TOPI's computes give what numpy and torch do, scheduled by TOPI's own schedules."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import te, topi
from s2s.types.dtypes import Array

RNG = np.random.default_rng(0)
CUBE = RNG.standard_normal((4, 6, 6)).astype(np.float32)
SQUARE = RNG.standard_normal((6, 6)).astype(np.float32)
IMAGE = RNG.standard_normal((1, 4, 9, 8)).astype(np.float32)
INTS = RNG.integers(-9, 9, (8,)).astype(np.int32)
DIVISORS = np.array([3, -4, 5, 2, -7, 1, 6, -2], np.int32)
PLACES = np.array([[0, 3], [2, 9]], np.int32)
ROUND = 1e-4
"""Sums of up to 100 products of numbers around 1 in another order."""

Function = Callable[[], Any] | Callable[[Any], Any] | Callable[[Any, Any], Any] | Callable[[Any, Any, Any], Any]
Case = tuple[Function, Sequence[Array], Function]


def torched(function: Callable[[Any, Any, Any], Any] | Callable[[Any, *tuple[Any, ...]], Any]) -> Callable[..., Any]:
    """A function of torch on arrays of numpy."""

    def call(*arrays: Array) -> Any:
        torch = pytest.importorskip("torch")
        return cast(Callable[..., Any], function)(torch, *(torch.tensor(each) for each in arrays)).numpy()

    return call


def compute(formula: Function, arrays: Sequence[Array]) -> Array:
    """What the compute of `formula` gives for arrays."""
    inputs = [te.placeholder(each.shape, str(each.dtype), f"X{n}") for n, each in enumerate(arrays)]
    result = formula(*inputs)  # pyright: ignore[reportCallIssue]
    function = tvm.build(topi.generic.schedule_injective(result), [*inputs, result], name="f")
    output = np.zeros(topi.utils.get_const_tuple(result.shape), result.dtype)
    function(*arrays, output)
    return output


MOVES: dict[str, Case] = {
    "add": (lambda a, b: a + b, [CUBE, SQUARE], np.add),
    "from numbers": (lambda a: 1.0 - a / 2.0, [CUBE], lambda a: 1 - a / 2),
    "sum of all": (
        lambda a, b: topi.sum(topi.elemwise_sum([a + b, a * b]) / 2.0),
        [CUBE, SQUARE],
        lambda a, b: ((a + b) + a * b).sum() / 2,
    ),
    "argmax": (lambda a: topi.argmax(a, axis=1), [CUBE], lambda a: a.argmax(1)),
    "argmin of all": (topi.argmin, [CUBE], np.argmin),
    "prod": (lambda a: topi.prod(a, axis=2, keepdims=True), [CUBE], lambda a: a.prod(2, keepdims=True)),
    "all": (lambda a: topi.all(topi.greater(a, -1.0), axis=1), [CUBE], lambda a: (a > -1).all(1)),
    "transpose": (lambda a: topi.transpose(a, (2, 0, 1)), [CUBE], lambda a: a.transpose(2, 0, 1)),
    "reshape": (lambda a: topi.reshape(a, (8, 18)), [CUBE], lambda a: a.reshape(8, 18)),
    "concatenate": (lambda a, b: topi.concatenate([a, b], 1), [CUBE, CUBE + 1], lambda a, b: np.concatenate([a, b], 1)),
    "stack": (lambda a, b: topi.stack([a, b], 1), [CUBE, CUBE + 1], lambda a, b: np.stack([a, b], 1)),
    "split": (lambda a: topi.split(a, 3, 2)[1], [CUBE], lambda a: a[:, :, 2:4]),
    "strided_slice": (lambda a: topi.strided_slice(a, [0, 1], [3, 6], [2, 2]), [CUBE], lambda a: a[0:3:2, 1:6:2]),
    "flip": (lambda a: topi.flip(a, 1), [CUBE], lambda a: a[:, ::-1]),
    "repeat": (lambda a: topi.repeat(a, 2, 1), [CUBE], lambda a: a.repeat(2, 1)),
    "tile": (lambda a: topi.tile(a, (2, 1, 3)), [CUBE], lambda a: np.tile(a, (2, 1, 3))),
    "take": (lambda a, i: topi.take(a, i, 1), [CUBE, PLACES], lambda a, i: a[:, np.clip(i, 0, 5)]),
    "one_hot": (
        lambda i: topi.one_hot(i, 1, 0, 4, 2, "float32"),
        [PLACES],
        lambda i: (i[..., None] == np.arange(4)).astype(np.float32),
    ),
    "where": (lambda a, b: topi.where(topi.greater(a, b), a, b), [CUBE, SQUARE], np.maximum),
    "round": (lambda a: topi.round(a * 2.0), [np.array([0.5, -0.5, 1.5, 2.5, -2.4, 7], np.float32)], lambda a: np.sign(
        a
    ) * np.floor(np.abs(a * 2) + 0.5)),
    "trunc": (lambda a: topi.trunc(a * 2.0), [CUBE], lambda a: np.trunc(a * 2)),
    "sign": (topi.sign, [CUBE], np.sign),
    "log2": (lambda a: topi.log2(topi.abs(a)), [CUBE], lambda a: np.log2(np.abs(a))),
    "mod": (topi.mod, [INTS, DIVISORS], np.fmod),
    "floor_mod": (topi.floor_mod, [INTS, DIVISORS], np.mod),
    "bitwise_xor": (topi.bitwise_xor, [INTS, DIVISORS], np.bitwise_xor),
    "left_shift": (lambda i: topi.left_shift(i, 2), [INTS], lambda i: i << 2),
    "astype": (lambda a: a.astype("int32"), [CUBE], lambda a: a.astype(np.int32)),
    "arange": (lambda: topi.arange(3, 9, 2), [], lambda: np.arange(3, 9, 2).astype(np.float32)),
}  # fmt: skip

KERNEL = RNG.standard_normal((6, 4, 3, 3)).astype(np.float32)
GROUPED = RNG.standard_normal((6, 2, 3, 3)).astype(np.float32)
DEPTHWISE = RNG.standard_normal((4, 2, 3, 3)).astype(np.float32)
TRANSPOSED = RNG.standard_normal((4, 5, 3, 2)).astype(np.float32)


def functional(name: str, *arguments: Any, **keywords: Any) -> Callable[..., Any]:
    def call(torch: Any, *tensors: Any) -> Any:
        return getattr(torch.nn.functional, name)(*tensors, *arguments, **keywords)

    return torched(call)


def pool(kind: str, *, ceil: bool, pads: bool) -> Callable[..., Any]:
    def formula(x: Any) -> Any:
        return topi.nn.pool2d(x, [3, 3], [2, 2], [1, 1], [1, 1, 1, 1], kind, ceil, count_include_pad=pads)

    return formula


LAYERS: dict[str, Case] = {
    "softmax": (topi.nn.softmax, [CUBE], functional("softmax", -1)),
    "log_softmax": (lambda a: topi.nn.log_softmax(a, 1), [CUBE], functional("log_softmax", 1)),
    "conv2d": (
        lambda x, w: topi.nn.relu(topi.nn.conv2d_nchw(x, w, (2, 1), 1, 1)),
        [IMAGE, KERNEL],
        torched(lambda torch, x, w: torch.relu(torch.nn.functional.conv2d(x, w, stride=(2, 1), padding=1))),
    ),
    "dilated": (
        lambda x, w: topi.nn.conv2d(x, w, 1, [1, 2, 1, 2], (1, 2)),
        [IMAGE, KERNEL],
        functional("conv2d", padding=(1, 2), dilation=(1, 2)),
    ),
    "channels last": (
        lambda x, w: topi.nn.conv2d_nhwc(x, w, 1, "SAME", 1),
        [np.asarray(IMAGE.transpose(0, 2, 3, 1), order="C"), np.asarray(KERNEL.transpose(2, 3, 1, 0), order="C")],
        torched(
            lambda torch, x, w: torch.nn.functional.conv2d(
                x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding=1
            ).permute(0, 2, 3, 1)
        ),
    ),
    "groups": (
        lambda x, w: topi.nn.group_conv2d_nchw(x, w, 1, 0, 1, 2),
        [IMAGE, GROUPED],
        functional("conv2d", groups=2),
    ),
    "depthwise": (
        lambda x, w: topi.nn.depthwise_conv2d_nchw(x, w, 2, 1, 1),
        [IMAGE, DEPTHWISE],
        torched(
            lambda torch, x, w: torch.nn.functional.conv2d(x, w.reshape(8, 1, 3, 3), groups=4, stride=2, padding=1)
        ),
    ),
    "transposed": (
        lambda x, w: topi.nn.conv2d_transpose_nchw(x, w, (2, 2), (1, 0), "float32", (1, 0)),
        [IMAGE, TRANSPOSED],
        functional("conv_transpose2d", stride=2, padding=(1, 0), output_padding=(1, 0)),
    ),
    "max pool": (pool("max", ceil=False, pads=True), [IMAGE], functional("max_pool2d", 3, 2, 1)),
    "mean pool": (pool("avg", ceil=False, pads=True), [IMAGE], functional("avg_pool2d", 3, 2, 1)),
    "mean of pixels": (
        pool("avg", ceil=True, pads=False),
        [IMAGE],
        functional("avg_pool2d", 3, 2, 1, ceil_mode=True, count_include_pad=False),
    ),
    "global pool": (
        lambda x: topi.nn.global_pool(x, "avg"),
        [IMAGE],
        lambda x: x.mean((2, 3), keepdims=True),
    ),
    "dense": (lambda a, w, b: topi.nn.dense(a, w, b), [SQUARE, SQUARE, SQUARE[0]], lambda a, w, b: a @ w.T + b),
    "batch_matmul": (topi.nn.batch_matmul, [CUBE, CUBE + 1], lambda a, b: a @ b.transpose(0, 2, 1)),
    "lrn": (lambda x: topi.nn.lrn(x, 5), [IMAGE], functional("local_response_norm", 5, 1e-4, 0.75, 2)),
}


@pytest.mark.parametrize("name", [*MOVES, *LAYERS])
def test_a_compute_gives_what_numpy_or_torch_does(name: str):
    formula, arrays, reference = {**MOVES, **LAYERS}[name]
    expected = np.asarray(cast(Callable[..., Any], reference)(*arrays))
    found = compute(formula, arrays)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=ROUND, atol=ROUND)


def test_shapes_that_do_not_broadcast_are_refused():
    a, b = te.placeholder((3,), name="A"), te.placeholder((4,), name="B")
    with pytest.raises(InputError, match=r"topi.add: shapes \[3\] and \[4\] do not broadcast"):
        _ = a + b


def test_schedules_of_graphics_processors_are_refused():
    with pytest.raises(UnsupportedError, match=r"tvm.topi.cuda: its schedules are for a processor there is no"):
        _ = topi.cuda


def test_open_sizes_reach_computes():
    n = te.var("n")
    a = te.placeholder((n, 4), name="A")
    total = topi.sum(a, axis=1)
    function = tvm.build(te.create_schedule(total.op), [a, total], name="f")
    x, y = np.ones((5, 4), np.float32), np.zeros(5, np.float32)
    function(x, y)
    assert y.tolist() == [4] * 5
