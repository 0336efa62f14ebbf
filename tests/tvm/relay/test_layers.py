"""Layers of relay's networks and images, in one module: torch and numpy state what TVM documents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s.tvm import relay
from s2s.tvm.relay import image, nn
from s2s.types.dtypes import Array
from support.together import Case, check, interpreted

torch = pytest.importorskip("torch")
F = torch.nn.functional
RNG = np.random.default_rng(13)


def rand(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def leaky(x: Array, slope: Array | float) -> Array:
    return np.where(x > 0, x, x * np.asarray(slope, x.dtype))


def torched(name: str, *arrays: Array, **keywords: Any) -> Array:
    """A function of torch on arrays."""
    return getattr(F, name)(*(torch.tensor(x) for x in arrays), **keywords).numpy()


def last(x: Array) -> Array:
    """Channels behind the other dimensions."""
    return np.moveaxis(x, 1, -1)


LINE, IMAGE, VOLUME = rand(2, 3, 8), rand(2, 3, 5, 6), rand(1, 2, 4, 5, 6)
LINE_KERNEL, LINE_GROUPED, VOLUME_KERNEL = rand(4, 3, 3), rand(6, 1, 2), rand(3, 2, 2, 3, 2)
LINE_BACK, VOLUME_BACK, GROUPED_BACK = rand(3, 4, 3), rand(2, 3, 2, 3, 2), rand(4, 2, 3)
BATCH, OTHER = rand(3, 2, 4), rand(3, 5, 4)
ROWS, CLASSES, WEIGHTS = rand(4, 5), RNG.integers(0, 5, 4).astype(np.int32), np.abs(rand(5)) + 1
MAPS = rand(2, 2, 3)
BYTES = RNG.integers(-128, 128, (1, 2, 7)).astype(np.int8)


def log_probabilities(x: Array) -> Array:
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def lower(size: int, count: int) -> Array:
    """The elements that the centres of outputs lie on or behind, which is how TVM takes the nearest of `half_pixel`."""
    return np.maximum(np.floor((np.arange(count) + 0.5) * size / count - 0.5 + 1e-5), 0).astype(np.int64)


def resized(x: Array, size: Sequence[int], mode: str, **keywords: Any) -> Array:
    return torched("interpolate", x, size=tuple(size), mode=mode, **keywords)


CASES: list[Case] = [
    (lambda x: nn.adaptive_avg_pool1d(x, 3), [LINE], lambda x: torched("adaptive_avg_pool1d", x, output_size=3)),
    (lambda x: nn.adaptive_max_pool1d(x, (5,)), [LINE], lambda x: torched("adaptive_max_pool1d", x, output_size=5)),
    (
        lambda x: nn.adaptive_avg_pool3d(x, (3, 2, 4)),
        [VOLUME],
        lambda x: torched("adaptive_avg_pool3d", x, output_size=(3, 2, 4)),
    ),
    (
        lambda x: nn.adaptive_max_pool3d(x, (3, 2, 4)),
        [VOLUME],
        lambda x: torched("adaptive_max_pool3d", x, output_size=(3, 2, 4)),
    ),
    (nn.adaptive_avg_pool2d, [IMAGE], lambda x: x),
    (
        lambda x: nn.avg_pool1d(x, 3, 2, 1, (1, 0), count_include_pad=True),
        [LINE],
        lambda x: torched("avg_pool1d", np.pad(x, ((0, 0), (0, 0), (1, 0))), kernel_size=3, stride=2),
    ),
    (
        lambda x: nn.avg_pool1d(x, (3,), (2,), (1,), (1,), "NCW", "", True),
        [LINE],
        lambda x: torched("avg_pool1d", x, kernel_size=3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
    ),
    (
        lambda x: nn.avg_pool1d(x, 2, 2),
        [BYTES],
        lambda x: np.trunc(x[..., :6].reshape(1, 2, 3, 2).astype(int).sum(-1) / 2).astype(np.int8),
    ),
    (
        lambda x: nn.avg_pool3d(x, 2, (1, 2, 2), 1, (1, 0, 1)),
        [VOLUME],
        lambda x: torched("avg_pool3d", x, kernel_size=2, stride=(1, 2, 2), padding=(1, 0, 1), count_include_pad=False),
    ),
    (
        lambda x: nn.max_pool3d(x, (2, 3, 2), (2, 1, 2), 1, (0, 1, 1), ceil_mode=True),
        [VOLUME],
        lambda x: torched("max_pool3d", x, kernel_size=(2, 3, 2), stride=(2, 1, 2), padding=(0, 1, 1), ceil_mode=True),
    ),
    (
        lambda x: nn.max_pool3d(relay.transpose(x, [0, 2, 3, 4, 1]), 2, 2, layout="NDHWC"),
        [VOLUME],
        lambda x: last(torched("max_pool3d", x, kernel_size=2, stride=2)),
    ),
    (nn.batch_matmul, [BATCH, OTHER], lambda a, b: a @ b.transpose(0, 2, 1)),
    (
        lambda a, b: nn.batch_matmul(a, b, "", True, False),
        [np.asarray(BATCH.transpose(0, 2, 1), order="C"), np.asarray(OTHER.transpose(0, 2, 1), order="C")],
        lambda a, b: a.transpose(0, 2, 1) @ b,
    ),
    (nn.conv1d, [LINE, LINE_KERNEL], lambda x, w: torched("conv1d", x, w)),
    (
        lambda x, w: nn.conv1d(x, w, (2,), (1, 2), (2,), 3),
        [LINE, LINE_GROUPED],
        lambda x, w: torched("conv1d", np.pad(x, ((0, 0), (0, 0), (1, 2))), w, stride=2, dilation=2, groups=3),
    ),
    (
        lambda x, w: nn.conv1d(x, w, data_layout="NWC", kernel_layout="WIO"),
        [np.asarray(last(LINE), order="C"), np.asarray(LINE_KERNEL.transpose(2, 1, 0), order="C")],
        lambda x, w: last(torched("conv1d", LINE, LINE_KERNEL)),
    ),
    (
        lambda x, w: nn.conv1d_transpose(x, w, 2, 1, 1, 1, 4, 3, output_padding=1),
        [LINE, LINE_BACK],
        lambda x, w: torched("conv_transpose1d", x, w, stride=2, padding=1, output_padding=1),
    ),
    (
        lambda x, w: nn.conv1d_transpose(relay.concatenate([x, relay.negative(x)], 0), w, groups=2),
        [rand(1, 4, 5), GROUPED_BACK],
        lambda x, w: torched("conv_transpose1d", np.concatenate([x, -x]), w, groups=2),
    ),
    (
        lambda x, w: nn.conv3d(x, w, (1, 2, 1), (1, 0, 1), (1, 1, 2)),
        [VOLUME, VOLUME_KERNEL],
        lambda x, w: torched("conv3d", x, w, stride=(1, 2, 1), padding=(1, 0, 1), dilation=(1, 1, 2)),
    ),
    (
        lambda x, w: nn.conv3d(
            relay.transpose(x, [0, 2, 3, 4, 1]),
            relay.transpose(w, [2, 3, 4, 1, 0]),
            padding=(1, 0, 0, 0, 2, 1),
            data_layout="NDHWC",
            kernel_layout="DHWIO",
        ),
        [VOLUME, VOLUME_KERNEL],
        lambda x, w: last(torched("conv3d", np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 2), (0, 1))), w)),
    ),
    (
        lambda x, w: nn.conv3d_transpose(x, w, (1, 2, 2), (0, 1, 0), channels=3, kernel_size=(2, 3, 2)),
        [VOLUME, VOLUME_BACK],
        lambda x, w: torched("conv_transpose3d", x, w, stride=(1, 2, 2), padding=(0, 1, 0)),
    ),
    (
        lambda x, y: nn.cross_entropy(nn.softmax(x), y),
        [ROWS, WEIGHTS[None] * ROWS],
        lambda x, y: -(log_probabilities(x) * y).sum() / 4,
    ),
    (nn.cross_entropy_with_logits, [ROWS, WEIGHTS[None] * ROWS], lambda x, y: -(x * y).sum() / 4),
    (lambda x: nn.dropout(x, 0.9), [ROWS], lambda x: x),
    (lambda x: nn.fast_softmax(x, 1), [IMAGE], lambda x: torched("softmax", x, dim=1)),
    (nn.log_softmax, [IMAGE], lambda x: torched("log_softmax", x, dim=-1)),
    (lambda x: nn.log_softmax(x, 1), [IMAGE], lambda x: torched("log_softmax", x, dim=1)),
    (nn.leaky_relu, [IMAGE], lambda x: leaky(x, 0.01)),
    (lambda x: nn.leaky_relu(x, alpha=0.25), [IMAGE], lambda x: leaky(x, 0.25)),
    (nn.global_avg_pool1d, [LINE], lambda x: x.mean(2, keepdims=True)),
    (nn.global_avg_pool2d, [IMAGE], lambda x: x.mean((2, 3), keepdims=True)),
    (lambda x: nn.global_avg_pool3d(x, "NDHWC"), [VOLUME], lambda x: x.mean((1, 2, 3), keepdims=True)),
    (lambda x: nn.global_max_pool1d(x, "NWC"), [LINE], lambda x: x.max(1, keepdims=True)),
    (nn.global_max_pool2d, [IMAGE], lambda x: x.max((2, 3), keepdims=True)),
    (nn.global_max_pool3d, [VOLUME], lambda x: x.max((2, 3, 4), keepdims=True)),
    (
        lambda x: nn.lrn(x, 3, 1, 1.5, 0.5, 0.6),
        [IMAGE],
        lambda x: torched("local_response_norm", x, size=3, alpha=0.5, beta=0.6, k=1.5),
    ),
    (
        lambda x: nn.lrn(relay.transpose(x, [0, 2, 3, 1]), axis=3, alpha=1.0),
        [IMAGE],
        lambda x: last(torched("local_response_norm", x, size=5, alpha=1.0, beta=0.75, k=2)),
    ),
    (
        lambda x, y, w: nn.nll_loss(nn.log_softmax(x), y, w),
        [ROWS, CLASSES, WEIGHTS],
        lambda x, y, w: torch.nn.functional.nll_loss(
            torch.tensor(log_probabilities(x)), torch.tensor(y).long(), torch.tensor(w)
        ).numpy(),
    ),
    (
        lambda x, y, w: nn.nll_loss(x, y, w, "none", 2),
        [ROWS, np.array([2, 0, 4, 2], np.int32), WEIGHTS],
        lambda x, y, w: np.where(y == 2, 0, -w[y] * x[np.arange(4), y]).astype(np.float32),
    ),
    (
        lambda x: nn.upsampling3d(x, 2, 1, 3),
        [VOLUME],
        lambda x: x[:, :, lower(4, 8)][..., lower(6, 18)],
    ),
    (
        lambda x: nn.upsampling3d(x, 2, 2, 1.5, method="trilinear"),
        [VOLUME],
        lambda x: resized(x, (8, 10, 9), "trilinear", align_corners=False),
    ),
    (
        lambda x: nn.upsampling3d(x, 2, 2, 2, "NCDHW", "trilinear", "align_corners"),
        [VOLUME],
        lambda x: resized(x, (8, 10, 12), "trilinear", align_corners=True),
    ),
    (lambda x: image.resize1d(x, 13), [LINE], lambda x: resized(x, [13], "linear", align_corners=False)),
    (
        lambda x: image.resize1d(x, (5,), method="nearest_neighbor", coordinate_transformation_mode="asymmetric"),
        [LINE],
        lambda x: resized(x, [5], "nearest"),
    ),
    (
        lambda x: image.resize1d(x, 6, None, "NWC", "linear", "align_corners"),
        [np.asarray(last(LINE), order="C")],
        lambda x: last(resized(LINE, [6], "linear", align_corners=True)),
    ),
    (
        lambda x: image.resize3d(x, (3, 7, 5)),
        [VOLUME],
        lambda x: resized(x, (3, 7, 5), "trilinear", align_corners=False),
    ),
    (
        lambda x: image.affine_grid(x, (4, 5)),
        [MAPS],
        lambda x: torched("affine_grid", x, size=(2, 1, 4, 5), align_corners=True).transpose(0, 3, 1, 2),
    ),
]


@pytest.fixture(scope="module")
def results() -> list[Array]:
    """The result of each case."""
    return interpreted(CASES)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_layer_gives_what_tvm_documents(number: int, results: list[Array]):
    check(CASES[number], results[number], 2e-5)
