"""Sums of products of quantised ONNX operators: convolution, matrix product, means and average pools."""

from __future__ import annotations

import numpy as np

from s2s.prove.bilinear import Bilinear
from s2s.prove.faults import Unprovable
from s2s.prove.reference.model import Array, Step
from s2s.prove.reference.real import Scaled, Terms


def _constants(weights: Scaled) -> tuple[Array, Array]:
    """The integers of a constant tensor above their zero point, and the scale of each element, in its shape."""
    at = np.arange(weights.size)
    ids, numbers, _, constant = weights.terms(at)
    if np.any(ids):
        msg = "weights that are computed"
        raise Unprovable(msg)
    return (numbers[:, 0] + constant).reshape(weights.shape), weights.scale(at).reshape(weights.shape)


def _biased(bias: Scaled | None, scale: Array) -> Array:
    """The integer bias of each channel, whose scale has to be the one of the sum."""
    if bias is None:
        return np.zeros(scale.shape, np.int64)
    numbers, steps = _constants(bias)
    if numbers.size != scale.size or not np.allclose(steps.reshape(-1), scale.reshape(-1), rtol=1e-6, atol=0):
        msg = "a bias whose scale is not the one of the sum"
        raise Unprovable(msg)
    return numbers.reshape(scale.shape)


def _channel_scale(x: Scaled, steps: Array, axis: int) -> Array:
    """The scale of the sum of each output channel: float32(scale of x * scale of the weights)."""
    steps = np.moveaxis(steps, axis, 0).reshape(steps.shape[axis], -1)
    if np.any(steps != steps[:, :1]):
        msg = "weights with a scale along the axis of the sum"
        raise Unprovable(msg)
    return (one_scale(x) * steps[:, 0]).astype(np.float32)


def one_scale(x: Scaled) -> np.float32:
    """The scale of a tensor as a whole."""
    scales = x.scale(np.arange(x.size))
    if np.any(scales != scales[0]):
        msg = "an operand with a scale for each channel"
        raise Unprovable(msg)
    return np.float32(scales[0])


def _pads(
    step: Step, extent: list[int], stride: list[int], source: tuple[int, ...], result: tuple[int, ...]
) -> list[int]:
    """Elements before the first one of each axis."""
    kind = step.table.get("auto_pad", b"NOTSET")
    if kind in {b"NOTSET", b"VALID"}:
        return [int(pad) for pad in step.table.get("pads", [0] * 2 * len(extent))][: len(extent)]
    total = [max(0, (o - 1) * s + e - i) for o, s, e, i in zip(result, stride, extent, source, strict=True)]
    return [part // 2 if kind == b"SAME_UPPER" else part - part // 2 for part in total]


def _window(step: Step, kernel: list[int], source: tuple[int, ...]) -> tuple[list[Array], Array]:
    """For output places along each spatial axis and each tap: the input's place, and the taps as indices."""
    axes = len(kernel)
    stride = [int(part) for part in step.table.get("strides", [1] * axes)]
    dilation = [int(part) for part in step.table.get("dilations", [1] * axes)]
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    pads = _pads(step, extent, stride, source[2:], step.output.shape[2:])
    taps = np.indices(kernel).reshape(axes, -1)
    return [
        np.arange(step.output.shape[2 + axis])[:, None] * stride[axis] - pads[axis] + taps[axis] * dilation[axis]
        for axis in range(axes)
    ], taps


def _inside(places: list[Array], spatial: tuple[Array, ...], source: tuple[int, ...]) -> tuple[list[Array], Array]:
    """Places of the taps of outputs, and which lie inside of the input."""
    taps = [part[at] for part, at in zip(places, spatial, strict=True)]
    inside = np.logical_and.reduce([(part >= 0) & (part < size) for part, size in zip(taps, source[2:], strict=True)])
    return [np.clip(part, 0, size - 1) for part, size in zip(taps, source[2:], strict=True)], inside


def _flat(x: Scaled) -> tuple[Array, Array]:
    """Atoms, and numbers above the zero point, of a quantised tensor in its shape."""
    ids, numbers, _, constant = x.terms(np.arange(x.size))
    if ids.shape[1] != 1:
        msg = "a sum of what is not quantised"
        raise Unprovable(msg)
    return ids[:, 0].reshape(x.shape), (numbers[:, 0] + constant).reshape(x.shape)


def conv(step: Step, x: Scaled, w: Scaled, bias: Scaled | None) -> Scaled:
    """Conv: the sum over a window and the input channels of a group."""
    weights, steps = _constants(w)
    outputs, channels = int(weights.shape[0]), int(weights.shape[1])
    kernel = [int(extent) for extent in weights.shape[2:]]
    groups = int(step.table.get("group", 1))
    scale = _channel_scale(x, steps, 0)
    constants = _biased(bias, scale)
    places, _ = _window(step, kernel, x.shape)
    atoms, plain = _flat(x)
    flat = weights.reshape(outputs, -1)

    def grid_terms(at: Array) -> Terms:
        first_row: Array = at[0]
        where: tuple[Array, ...] = np.unravel_index(first_row, step.output.shape)
        oc: Array = np.unravel_index(at[:, 0], step.output.shape)[1]
        taps, inside = _inside(places, where[2:], x.shape)
        index = (where[0][:, None, None], np.arange(channels).reshape(1, -1, 1), *(part[:, None, :] for part in taps))
        ids, numbers = (
            np.where(inside[:, None], part[index], 0).reshape(1, at.shape[1], -1) for part in (atoms, plain)
        )
        return ids, numbers, flat[oc][:, None], constants[oc][:, None]

    def terms(at: Array) -> Terms:
        if at.ndim > 1:
            return grid_terms(at)
        where: tuple[Array, ...] = np.unravel_index(at, step.output.shape)
        n, oc = where[:2]
        taps, inside = _inside(places, where[2:], x.shape)
        first: Array = oc // (outputs // groups) * channels
        channel: Array = first.reshape(-1, 1, 1) + np.arange(channels).reshape(1, -1, 1)
        index = (n[:, None, None], channel, *(part[:, None, :] for part in taps))
        ids = np.where(inside[:, None], atoms[index], 0).reshape(len(at), -1)
        numbers = np.where(inside[:, None], plain[index], 0).reshape(len(at), -1)
        return ids, numbers, flat[oc], constants[oc]

    def scales(at: Array) -> Array:
        return scale[np.unravel_index(at, step.output.shape)[1]]

    return Scaled(step.output.shape, terms, scales, flat.shape[1], rows=outputs if groups == 1 else 1)


def gemm(step: Step, a: Scaled, b: Scaled, bias: Scaled | None) -> Scaled:
    """Gemm and MatMul with constant weights."""
    weights, steps = _constants(b)
    if step.table.get("transB", 0):
        weights, steps = weights.T, steps.T
    if step.table.get("transA", 0) or step.table.get("alpha", 1.0) != 1.0 or step.table.get("beta", 1.0) != 1.0:
        msg = f"{step.kind} with a transposed input or factors"
        raise Unprovable(msg)
    if weights.ndim != 2:
        msg = f"{step.kind} with weights of {weights.ndim} axes"
        raise Unprovable(msg)
    depth, outputs = weights.shape
    scale = _channel_scale(a, steps, 1)
    constants = _biased(bias, scale)
    atoms, plain = (part.reshape(-1, depth) for part in _flat(a))

    def terms(at: Array) -> Terms:
        row, oc = at // outputs, at % outputs
        return atoms[row], plain[row], weights.T[oc], constants[oc]

    return Scaled(step.output.shape, terms, lambda at: scale[at % outputs], depth)


def matmul(of: Bilinear, step: Step, a: Scaled, b: Scaled) -> Scaled:
    """MatMul of two results, in batches: sums of products of elements.

    (a + 5) * (b + 4) is ab + 4 a + 5 b + 20, where ab is an atom.
    """
    if len(a.shape) != len(b.shape) or a.shape[:-2] != b.shape[:-2] or len(a.shape) < 2:
        msg = f"{step.kind} of tensors of {list(a.shape)} and {list(b.shape)}"
        raise Unprovable(msg)
    scale = np.float32(one_scale(a) * one_scale(b))
    (rows, depth), columns = a.shape[-2:], b.shape[-1]
    left = [part.reshape(-1, rows, depth) for part in _flat(a)]
    right = [part.reshape(-1, depth, columns) for part in _flat(b)]

    def terms(at: Array) -> Terms:
        batch, row, column = np.unravel_index(at, (len(left[0]), rows, columns))
        x, above_x = (part[batch, row] for part in left)
        y, above_y = (part[batch, :, column] for part in right)
        lines = [
            (ids.reshape(-1), (ids != 0).reshape(-1).astype(np.int64), above.reshape(-1))
            for ids, above in ((x, above_x), (y, above_y))
        ]
        ids, factors, constant = of.product_terms(lines[0], lines[1])
        ids, factors = (part.reshape(len(at), -1) for part in (ids, factors))
        return ids, np.zeros_like(ids), factors, constant.reshape(len(at), -1).sum(-1)

    return Scaled(step.output.shape, terms, lambda at: np.full(len(at), scale), 3 * depth)


def mean(step: Step, x: Scaled) -> Scaled:
    """GlobalAveragePool, and ReduceMean over axes: the sum over them, with the scale over their elements."""
    rank = len(x.shape)
    axes = list(range(2, rank)) if step.kind == "GlobalAveragePool" else _axes(step, rank)
    kept = [axis for axis in range(rank) if axis not in axes]
    count = int(np.prod([x.shape[axis] for axis in axes]))
    atoms, plain = (part.transpose(*kept, *axes).reshape(-1, count) for part in _flat(x))
    scale = (one_scale(x) / np.float32(count)).astype(np.float32)

    def terms(at: Array) -> Terms:
        return atoms[at], plain[at], np.ones((len(at), count), np.int64), np.zeros(len(at), np.int64)

    return Scaled(step.output.shape, terms, lambda at: np.full(len(at), scale), count)


def _axes(step: Step, rank: int) -> list[int]:
    """The axes of a reduction, an attribute or an operand."""
    axes = step.table.get("axes")
    if axes is None and len(step.operands) > 1 and step.operands[1] is not None:
        axes = step.operands[1].constants.reshape(-1).tolist()
    return sorted(int(axis) % rank for axis in (range(rank) if axes is None else axes))


def pool(step: Step, x: Scaled) -> Scaled:
    """AveragePool whose windows all count the same number of elements."""
    kernel = [int(part) for part in step.table["kernel_shape"]]
    places, _ = _window(step, kernel, x.shape)
    every = np.indices(step.output.shape[2:]).reshape(len(kernel), -1)
    if not np.all(_inside(places, tuple(every), x.shape)[1]) and not step.table.get("count_include_pad", 0):
        msg = "an average pool whose windows count different numbers of elements"
        raise Unprovable(msg)
    atoms, plain = _flat(x)
    scale = (one_scale(x) / np.float32(np.prod(kernel))).astype(np.float32)

    def terms(at: Array) -> Terms:
        n, c, *spatial = np.unravel_index(at, step.output.shape)
        taps, inside = _inside(places, tuple(spatial), x.shape)
        index = (n[:, None], c[:, None], *taps)
        ids, numbers = (np.where(inside, part[index], 0) for part in (atoms, plain))
        return ids, numbers, np.ones_like(ids), np.zeros(len(at), np.int64)

    return Scaled(step.output.shape, terms, lambda at: np.full(len(at), scale), int(np.prod(kernel)))


def pooled(step: Step, x: Scaled) -> tuple[list[list[int]], int]:
    """The atoms in each window of MaxPool, and the constant that is added to each."""
    ids, _, _, constant = x.terms(np.arange(x.size))
    atoms, plain = _flat(x)
    if np.any(constant != constant[0]) or np.any(plain != constant[0]) or np.any(ids == 0):
        msg = "a maximum of what is not quantised, or does not depend on the input"
        raise Unprovable(msg)
    places, _ = _window(step, [int(part) for part in step.table["kernel_shape"]], x.shape)
    at = np.arange(int(np.prod(step.output.shape)))
    n, c, *spatial = np.unravel_index(at, step.output.shape)
    taps, inside = _inside(places, tuple(spatial), x.shape)
    windows = np.where(inside, atoms[(n[:, None], c[:, None], *taps)], 0)
    return [list({atom for atom in row if atom}) for row in windows.tolist()], int(constant[0])
