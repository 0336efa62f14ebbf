"""Operators that sample images at computed positions, and operators of signals."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from s2s.fuzz.arrays import FLOAT32, draw_array
from s2s.fuzz.network import Attributes, Network, Rejected, Value


def _images(net: Network, rank: int = 4) -> Value:
    spatial = [net.random.randint(2, 8) for _ in range(rank - 2)]
    return net.operand(FLOAT32, [net.random.randint(1, 2), net.random.randint(1, 3), *spatial])


def _grid_sample(net: Network) -> None:
    mode = net.random.choice(("linear", "nearest", "cubic"))
    padding = net.random.choice(("zeros", "border", "reflection"))
    if mode == "cubic" and padding == "border":
        raise Rejected("the reference evaluator clamps the place, not the elements around it")
    rank = 4 if mode == "cubic" else net.random.choice((4, 4, 5))
    x = _images(net, rank)
    points = [x.shape[0], *(net.random.randint(1, 5) for _ in range(rank - 2)), rank - 2]
    net.node(
        "GridSample",
        [x, net.fresh(FLOAT32, points, -1.25, 1.25)],
        mode=mode if net.opset >= 20 else {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode),
        padding_mode=padding,
        align_corners=net.random.randint(0, 1),
    )


def _affine_grid(net: Network) -> None:
    batch, rank = net.random.randint(1, 2), net.random.choice((2, 2, 3))
    sizes = [batch, 1, *(net.random.randint(2, 5) for _ in range(rank))]
    theta = net.fresh(FLOAT32, [batch, rank, rank + 1])
    net.node("AffineGrid", [theta, net.known(sizes)], align_corners=net.random.randint(0, 1))


def _regions(net: Network, x: Value, *, first: bool) -> Value:
    """Rectangles in an image, each behind the number of its image if `first`."""
    rng = np.random.default_rng(net.random.getrandbits(32))
    count = net.random.randint(1, 4)
    low, extent = rng.uniform(0, 3, [count, 2]), rng.uniform(1, 4, [count, 2])
    corners = np.concatenate([low, low + extent], axis=1)
    if first:
        corners = np.concatenate([rng.integers(0, x.shape[0], [count, 1]), np.round(corners)], axis=1)
    return net.either(corners.astype(np.float32))


def _roi_align(net: Network) -> None:
    x = _images(net)
    rois = _regions(net, x, first=False)
    batch = np.random.default_rng(net.random.getrandbits(32)).integers(0, x.shape[0], rois.shape[0])
    net.node(
        "RoiAlign",
        [x, rois, net.either(batch)],
        mode="avg",
        coordinate_transformation_mode=net.random.choice(("half_pixel", "output_half_pixel")),
        output_height=net.random.randint(1, 3),
        output_width=net.random.randint(1, 3),
        sampling_ratio=net.random.randint(0, 2),
        spatial_scale=net.random.choice((0.5, 1.0)),
    )


def _max_roi_pool(net: Network) -> None:
    x = _images(net)
    net.node("MaxRoiPool", [x, _regions(net, x, first=True)], pooled_shape=[2, net.random.randint(1, 2)])


def _deformed(net: Network) -> None:
    x = _images(net)
    kernel = [net.random.randint(1, min(2, size)) for size in x.shape[2:]]
    out = [size - k + 1 for size, k in zip(x.shape[2:], kernel, strict=True)]
    weights = net.operand(FLOAT32, [net.random.randint(1, 4), x.shape[1], *kernel])
    moved = net.fresh(FLOAT32, [x.shape[0], 2 * kernel[0] * kernel[1], *out], -0.9, 0.9)
    bias = net.operand(FLOAT32, [weights.shape[0]]) if net.chance(0.5) else None
    mask = net.operand(FLOAT32, [x.shape[0], kernel[0] * kernel[1], *out]) if net.chance(0.4) else None
    net.node("DeformConv", [x, weights, moved, bias, mask], kernel_shape=kernel)


def _col2im(net: Network) -> None:
    image, block = ([net.random.randint(least, most) for _ in range(2)] for least, most in ((3, 6), (1, 3)))
    strides = [net.random.randint(1, 2) for _ in range(2)]
    blocks = [(size - k) // s + 1 for size, k, s in zip(image, block, strides, strict=True)]
    channels = net.random.randint(1, 2) * block[0] * block[1]
    x = net.operand(FLOAT32, [net.random.randint(1, 2), channels, blocks[0] * blocks[1]])
    net.node("Col2Im", [x, net.known(image), net.known(block)], strides=strides)


def _dft(net: Network) -> None:
    inverse, onesided = net.random.choice(((0, 0), (1, 0), (0, 1)))
    parts = 1 if onesided or (not inverse and net.chance(0.5)) else 2
    shape = [net.random.randint(1, 3), net.random.choice((1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 30)), parts]
    x = net.operand(net.dtype("DFT", among=(FLOAT32, np.dtype(np.float64))), shape)
    how: Attributes = {"inverse": inverse, "onesided": onesided}
    length = net.known(net.random.randint(1, 20)) if net.chance(0.3) else None
    if net.opset < 20:
        net.node("DFT", [x, length], axis=1, **how)
    else:
        net.node("DFT", [x, length, net.known(1)], **how)


def _stft(net: Network) -> None:
    frame, step = net.random.choice((4, 5, 8, 16)), net.random.randint(1, 4)
    signal = net.operand(FLOAT32, [net.random.randint(1, 2), frame + step * net.random.randint(0, 4), 1])
    window = net.operand(FLOAT32, [frame]) if net.chance(0.6) else None
    length = net.known(frame) if window is None or net.chance(0.5) else None
    net.node("STFT", [signal, net.known(step), window, length], onesided=net.random.randint(0, 1))


def _window(net: Network, op: str) -> None:
    net.node(op, [net.known(net.random.randint(2, 20))], periodic=net.random.randint(0, 1))


def _mel(net: Network) -> None:
    edges = [net.known(each, np.float32) for each in (net.random.randint(0, 100), net.random.randint(2000, 4000))]
    counts = [net.known(each) for each in (net.random.randint(1, 9), net.random.choice((16, 32, 64)), 8000)]
    net.node("MelWeightMatrix", [*counts, *edges])


def _mean_variance(net: Network) -> None:
    x = _images(net, net.random.choice((4, 4, 5)))
    axes: Attributes = {} if len(x.shape) == 4 and net.chance(0.5) else {"axes": [0, *range(2, len(x.shape))]}
    if x.array.size // x.shape[1] < 4:
        raise Rejected("hardly anything to take the mean of")
    net.node("MeanVarianceNormalization", [x], **axes)


def _qlinear_conv(net: Network) -> None:
    kinds = [net.random.choice((np.dtype(np.int8), np.dtype(np.uint8))) for _ in range(3)]
    channels, out = net.random.choice((1, 2, 3, 4)), net.random.choice((1, 3, 4, 8))
    kernel = [net.random.choice((1, 2, 3)) for _ in range(2)]
    x = net.operand(kinds[0], [1, channels, *(net.random.randint(3, 9) for _ in range(2))])
    w = net.constant(draw_array(net.random, kinds[1], [out, channels, *kernel], -100, 100))
    many = [out] if net.chance(0.5) else []
    scales = [net.known(np.full(shape, net.random.uniform(0.01, 0.1)), np.float32) for shape in ([], many, [])]
    zeros = [net.constant(draw_array(net.random, each, [], -20, 20)) for each in kinds]
    zeros[1] = net.known(np.full(many, zeros[1].array), kinds[1])
    operands = [each for pair in zip([x, w], scales, zeros, strict=False) for each in pair]
    bias = net.constant(draw_array(net.random, np.dtype(np.int32), [out], -500, 500)) if net.chance(0.5) else None
    net.node("QLinearConv", [*operands, scales[2], zeros[2], bias], kernel_shape=kernel)


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{op: partial(_window, op=op) for op in ("BlackmanWindow", "HammingWindow", "HannWindow")},
    "AffineGrid": _affine_grid,
    "Col2Im": _col2im,
    "DFT": _dft,
    "DeformConv": _deformed,
    "GridSample": _grid_sample,
    "MaxRoiPool": _max_roi_pool,
    "MeanVarianceNormalization": _mean_variance,
    "MelWeightMatrix": _mel,
    "QLinearConv": _qlinear_conv,
    "RoiAlign": _roi_align,
    "STFT": _stft,
}
