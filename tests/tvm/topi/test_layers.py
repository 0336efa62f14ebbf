"""TOPI's layers, in one compiled kernel: torch and numpy state what TVM documents."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.tvm import te, topi
from s2s.tvm.topi import nn, utils
from s2s.types.dtypes import Array
from support.together import Case, check, computed

torch = pytest.importorskip("torch")
F = torch.nn.functional
RNG = np.random.default_rng(9)


def rand(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def moved(x: Array, *order: int) -> Array:
    """An array with its dimensions in another order, in memory too."""
    return np.asarray(x.transpose(order), order="C")


def leaky(x: Array, slope: Array | float) -> Array:
    return np.where(x > 0, x, x * np.asarray(slope, x.dtype))


def torched(name: str, *arrays: Array, **keywords: Any) -> Array:
    """A function of torch on arrays."""
    return getattr(F, name)(*(torch.tensor(x) for x in arrays), **keywords).numpy()


LINE, LINE_KERNEL = rand(2, 3, 9), rand(4, 3, 4)
IMAGE, KERNEL, GROUPED = rand(1, 4, 6, 7), rand(6, 4, 3, 2), rand(6, 2, 3, 3)
DEPTHWISE, CHANNEL, SQUARE, ROW = rand(4, 2, 3, 3), rand(4), rand(3, 5), rand(5)
SHIFT = rand(4)
INTS = RNG.integers(-50, 50, (1, 2, 4, 4)).astype(np.int32)
LAST = moved(IMAGE, 0, 2, 3, 1)

CASES: list[Case] = [
    (
        lambda x: nn.adaptive_pool(x, (3, 7), "avg"),
        [IMAGE],
        lambda x: torched("adaptive_avg_pool2d", x, output_size=(3, 7)),
    ),
    (
        lambda x, w: nn.conv(x, w, 2, [1, 0], 1, 2, "NCHW", "OIHW"),
        [IMAGE, GROUPED],
        lambda x, w: torched("conv2d", x, w, stride=2, padding=(1, 0), groups=2),
    ),
    (
        lambda x, w: nn.conv1d(x, w, 2, (1, 2), 1),
        [LINE, LINE_KERNEL],
        lambda x, w: torched("conv1d", np.pad(x, ((0, 0), (0, 0), (1, 2))), w, stride=2),
    ),
    (
        lambda x, w: nn.conv1d_ncw(x, w, 1, "SAME"),
        [LINE, LINE_KERNEL],
        lambda x, w: torched("conv1d", np.pad(x, ((0, 0), (0, 0), (2, 1))), w),
    ),
    (
        lambda x, w: nn.conv1d_nwc(x, w, 1, "VALID", 2),
        [moved(LINE, 0, 2, 1), moved(LINE_KERNEL, 2, 1, 0)],
        lambda x, w: torched("conv1d", LINE, LINE_KERNEL, dilation=2).transpose(0, 2, 1),
    ),
    (
        lambda x, w: nn.conv2d_hwcn(x, w, 1, "SAME", 1),
        [moved(IMAGE, 2, 3, 1, 0), moved(KERNEL, 2, 3, 1, 0)],
        lambda x, w: torched("conv2d", np.pad(IMAGE, ((0, 0), (0, 0), (1, 1), (1, 0))), KERNEL).transpose(2, 3, 1, 0),
    ),
    (
        lambda x, w: nn.depthwise_conv2d_nhwc(x, w, 2, 1, 1),
        [LAST, moved(DEPTHWISE, 2, 3, 0, 1)],
        lambda x, w: torched("conv2d", IMAGE, DEPTHWISE.reshape(8, 1, 3, 3), stride=2, padding=1, groups=4).transpose(
            0, 2, 3, 1
        ),
    ),
    (
        lambda x, w: nn.group_conv2d_nhwc(x, w, 1, 1, 1, 2),
        [LAST, moved(GROUPED, 2, 3, 1, 0)],
        lambda x, w: torched("conv2d", IMAGE, GROUPED, padding=1, groups=2).transpose(0, 2, 3, 1),
    ),
    (
        lambda x: nn.dilate(x, (2, 1), 7.0),
        [SQUARE],
        lambda x: np.stack([x[0], np.full(5, 7), x[1], np.full(5, 7), x[2]]).astype(np.float32),
    ),
    (nn.flatten, [IMAGE], lambda x: x.reshape(1, -1)),
    (lambda x: nn.leaky_relu(x, 0.3), [IMAGE], lambda x: leaky(x, 0.3)),
    (
        lambda a, b, c: nn.matmul(a, b, c, None, True, False),
        [SQUARE, rand(3, 5), ROW],
        lambda a, b, c: a.T @ b + c,
    ),
    (
        lambda x: nn.pad(x, (1, 0), (0, 2), 3.0),
        [SQUARE],
        lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=3),
    ),
    (lambda x: nn.pad(x, (0, 1)), [SQUARE], lambda x: np.pad(x, ((0, 0), (1, 1)))),
    (
        lambda x: nn.pool1d(x, [3], [2], [1], [1, 0], "max", True),
        [LINE],
        lambda x: torched(
            "max_pool1d",
            np.pad(x, ((0, 0), (0, 0), (1, 0)), constant_values=-9),
            kernel_size=3,
            stride=2,
            ceil_mode=True,
        ),
    ),
    (
        lambda x: nn.pool2d(x, [2, 2], [2, 2], [1, 1], [0, 0, 0, 0], "avg"),
        [INTS],
        lambda x: np.trunc(x.reshape(1, 2, 2, 2, 2, 2).sum((3, 5)) / 4).astype(np.int32),
    ),
    (nn.prelu, [IMAGE, CHANNEL], lambda x, a: leaky(x, a[:, None, None])),
    (
        nn.scale_shift_nchw,
        [IMAGE, CHANNEL, SHIFT],
        lambda x, a, b: x * a[:, None, None] + b[:, None, None],
    ),
    (nn.scale_shift_nhwc, [LAST, CHANNEL, SHIFT], lambda x, a, b: x * a + b),
    (lambda x: nn.layout_transform(x, "NCHW", "HWNC"), [IMAGE], lambda x: x.transpose(2, 3, 0, 1)),
    (lambda x: nn.fast_softmax(x, 1), [IMAGE], lambda x: torched("softmax", x, dim=1)),
]


@pytest.fixture(scope="module")
def results() -> list[Array]:
    """The result of each case."""
    return computed(CASES)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_layer_gives_what_tvm_documents(number: int, results: list[Array]):
    check(CASES[number], results[number], 2e-5)


def test_numbers_and_shapes_of_computes():
    n = te.var("n")
    assert (utils.get_const_int(te.const(3)), utils.get_const_float(te.const(0.5, "float32"))) == (3, 0.5)
    assert utils.get_float_tuple([te.const(0.5, "float32"), 2.0]) == (0.5, 2.0)
    assert (utils.equal_const_int(te.const(3), 3), utils.equal_const_int(n, 3)) == (True, False)
    assert (utils.prod([2, 3, 4]), utils.prod([]), utils.ceil_div(7, 3)) == (24, 1, 3)
    assert utils.ravel_index((1, 2), (3, 5)) == 7
    assert utils.unravel_index(7, (3, 5)) == [1, 2]
    assert (utils.simplify(te.const(3)), utils.simplify(n)) == (3, n)
    with pytest.raises(InputError, match="size n is a variable"):
        utils.get_const_int(n)


def test_formulas_are_inlined_from_the_last_one_on():
    a = te.placeholder((4,), name="A")
    total = topi.sum(topi.exp(topi.negative(a)))
    s = te.create_schedule(total.op)
    names: list[str] = []
    topi.utils.traverse_inline(s, total.op, lambda op: names.append(op.name))
    assert names == ["T_negative", "T_exp", "T_sum"]
