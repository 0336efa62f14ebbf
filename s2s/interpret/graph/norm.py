"""Numpy meanings of the normalisations, computed in float64 and rounded once."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array


def _double(x: Array) -> Array:
    return x.astype(np.float64)


def _batch_norm(op: graph.BatchNormOp, x: Array, *parameters: Array) -> Array:
    shape = (-1, *[1] * (x.ndim - 2))
    scale, bias, mean, var = (_double(parameter).reshape(shape) for parameter in parameters)
    deviation = np.sqrt(var + op.epsilon.value.data)
    return ((_double(x) - mean) / deviation * scale + bias).astype(x.dtype, copy=False)


def _shifted(x: Array, axis: int) -> Array:
    wide = _double(x)
    return wide - np.max(wide, axis=axis, keepdims=True, initial=-np.inf)


def _softmax(op: graph.SoftmaxOp, x: Array) -> Array:
    axis = op.axis.value.data
    powers = np.exp(_shifted(x, axis))
    return (powers / np.sum(powers, axis=axis, keepdims=True)).astype(x.dtype, copy=False)


def _log_softmax(op: graph.LogSoftmaxOp, x: Array) -> Array:
    axis = op.axis.value.data
    shifted = _shifted(x, axis)
    return (shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))).astype(x.dtype, copy=False)


def _layer_norm(op: graph.LayerNormOp, x: Array, *parameters: Array) -> Array:
    wide, axes = _double(x), tuple(range(op.axis.value.data, x.ndim))
    deviation = wide - np.mean(wide, axis=axes, keepdims=True)
    variance = np.mean(np.square(deviation), axis=axes, keepdims=True)
    y = deviation / np.sqrt(variance + op.epsilon.value.data)
    given = iter(parameters)
    if op.scale is not None:
        y = y * _double(next(given))
    if op.bias is not None:
        y = y + _double(next(given))
    return y.astype(x.dtype, copy=False)


def _lrn(op: graph.LrnOp, x: Array) -> Array:
    size, wide = op.size.value.data, _double(x)
    squares = np.square(wide)
    total = np.zeros_like(wide)
    channels = x.shape[1]
    for offset in range(-((size - 1) // 2), size // 2 + 1):
        if abs(offset) < channels:
            to = slice(max(-offset, 0), channels - max(offset, 0))
            source = slice(max(offset, 0), channels - max(-offset, 0))
            total[:, to] += squares[:, source]
    alpha, beta, bias = op.alpha.value.data / size, op.beta.value.data, op.bias.value.data
    return (wide / (bias + alpha * total) ** beta).astype(x.dtype, copy=False)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.BatchNormOp: _batch_norm,
    graph.SoftmaxOp: _softmax,
    graph.LogSoftmaxOp: _log_softmax,
    graph.LayerNormOp: _layer_norm,
    graph.LrnOp: _lrn,
}
