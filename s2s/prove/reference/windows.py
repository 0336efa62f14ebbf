"""Operators over windows: convolutions, the matrix product, which is one over a single place, and pooling."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from s2s.prove.faults import Unprovable
from s2s.prove.reference.activation import activation_range
from s2s.prove.reference.execution import Execution
from s2s.prove.reference.fixed_point import quantized_multiplier
from s2s.prove.reference.model import Array, Step, Tensor
from s2s.support.frozen import frozen

MAX_TERMS = 1 << 22
"""Terms of linear forms that are held at once."""
SAME = 0
"""`Padding` of the schema; the other one is VALID."""
Taps = Callable[[Array], tuple[Array, Array, Array]]
"""Atoms, numbers above the zero point, and weights of the outputs at flat positions."""


@frozen
class Window:
    """The places that a sliding window covers: (rows, columns) of each."""

    stride: tuple[int, int]
    dilation: tuple[int, int]
    before: tuple[int, int]
    extent: tuple[int, int]

    def at(self, source: Tensor, rows: Array, columns: Array) -> tuple[Array, Array, Array]:
        """For output places: input rows and columns of each tap, and which taps lie inside."""
        kh, kw = (axis.reshape(-1) for axis in np.meshgrid(*(np.arange(e) for e in self.extent), indexing="ij"))
        y = rows[:, None] * self.stride[0] - self.before[0] + kh * self.dilation[0]
        x = columns[:, None] * self.stride[1] - self.before[1] + kw * self.dilation[1]
        inside = (y >= 0) & (y < source.shape[1]) & (x >= 0) & (x < source.shape[2])
        return np.clip(y, 0, source.shape[1] - 1), np.clip(x, 0, source.shape[2] - 1), inside


def _window(step: Step, extent: tuple[int, int], *, dilated: bool) -> Window:
    """The window of an operator, padded as TFLite pads."""
    source = step.operand(0)
    stride = step.option("StrideH"), step.option("StrideW")
    dilation = (step.option("DilationHFactor"), step.option("DilationWFactor")) if dilated else (1, 1)
    same = step.option("Padding") == SAME
    rows, columns = (
        _padding(source.shape[1 + axis], extent[axis], stride[axis], dilation[axis]) if same else 0 for axis in (0, 1)
    )
    return Window(stride, dilation, (rows, columns), extent)


def _padding(size: int, window: int, stride: int, dilation: int) -> int:
    """Elements before the first one of an axis that is padded to ceil(size / stride) outputs."""
    reach = (window - 1) * dilation + 1
    return max(0, (-(-size // stride) - 1) * stride + reach - size) // 2


def _places(output: Tensor, at: Array) -> tuple[Array, ...]:
    """Batch, row, column and channel of flat positions."""
    return np.unravel_index(at, output.shape)


def conv(execution: Execution, step: Step) -> None:
    """CONV_2D: the sum over a window and all input channels."""
    source, kernel = step.operand(0), step.operand(1)
    outputs, height, width, channels = kernel.shape
    window = _window(step, (height, width), dilated=True)
    if channels != source.shape[3]:
        msg = "the reference has no grouped convolution"
        raise Unprovable(msg)
    weights = kernel.constants.reshape(outputs, -1)

    def taps(at: Array) -> tuple[Array, Array, Array]:
        n, oh, ow, oc = _places(step.output, at)
        y, x, inside = window.at(source, oh, ow)
        ids = np.where(inside[..., None], source.atoms[n[:, None], y, x], 0)
        numbers = np.where(inside[..., None], source.plain[n[:, None], y, x] - source.zero_point, 0)
        return ids.reshape(len(at), -1), numbers.reshape(len(at), -1), weights[oc]

    _sums(execution, step, taps, weights.shape[-1])


def depthwise(execution: Execution, step: Step) -> None:
    """DEPTHWISE_CONV_2D: the sum over a window of one channel."""
    source, kernel = step.operand(0), step.operand(1)
    _, height, width, outputs = kernel.shape
    window = _window(step, (height, width), dilated=True)
    multiplier = outputs // source.shape[3]
    weights = kernel.constants.reshape(-1, outputs).T

    def taps(at: Array) -> tuple[Array, Array, Array]:
        n, oh, ow, oc = _places(step.output, at)
        y, x, inside = window.at(source, oh, ow)
        channel = (oc // multiplier)[:, None]
        ids = np.where(inside, source.atoms[n[:, None], y, x, channel], 0)
        numbers = np.where(inside, source.plain[n[:, None], y, x, channel] - source.zero_point, 0)
        return ids, numbers, weights[oc]

    _sums(execution, step, taps, weights.shape[-1])


def fully_connected(execution: Execution, step: Step) -> None:
    """FULLY_CONNECTED: a matrix times each row."""
    source, kernel = step.operand(0), step.operand(1)
    outputs, depth = kernel.shape
    weights = kernel.constants
    atoms, plain = source.atoms.reshape(-1, depth), source.plain.reshape(-1, depth)

    def taps(at: Array) -> tuple[Array, Array, Array]:
        row, oc = at // outputs, at % outputs
        return atoms[row], plain[row] - source.zero_point, weights[oc]

    _sums(execution, step, taps, depth)


def _sums(execution: Execution, step: Step, taps: Taps, terms: int) -> None:
    """Sums of products with `terms` terms each, plus the bias, requantised by channel."""
    kernel, output = step.operand(1), step.output
    if kernel.zero_point:
        msg = "the reference has no weights with a zero point"
        raise Unprovable(msg)
    channels = output.shape[-1]
    biased = len(step.operands) > 2 and step.operands[2] is not None
    bias = step.operand(2).constants if biased else np.zeros(channels, np.int64)
    multipliers, shifts = _factors(step, channels)
    low, high = activation_range(step.option("FusedActivationFunction"), output)
    part = max(1, MAX_TERMS // terms)
    for begin in range(0, output.size, part):
        at = np.arange(begin, min(begin + part, output.size))
        channel = at % channels
        to = execution.rows(len(at))
        ids, numbers, factors = taps(at)
        acc = execution.form(ids, numbers, factors, bias[channel])
        scaled = to.rescale(acc, multipliers[channel], shifts[channel])
        result = to.clamp(to.do("+", scaled, output.zero_point), low, high)
        execution.set(output, slice(begin, begin + len(at)), result, to)


def _factors(step: Step, channels: int) -> tuple[Array, Array]:
    """Multiplier and shift of each channel."""
    source, kernel, output = step.operand(0), step.operand(1), step.output
    if step.kind == "FULLY_CONNECTED" and kernel.scales.size == 1:
        reals = [float(source.scales[0] * kernel.scales[0]) / output.scale] * channels
    else:
        scales = np.broadcast_to(kernel.scales, channels) if kernel.scales.size == 1 else kernel.scales
        reals = [source.scale * float(scale) / output.scale for scale in scales]
    pairs = np.array([quantized_multiplier(real) for real in reals], np.int64)
    return pairs[:, 0], pairs[:, 1]


def average_pool(execution: Execution, step: Step) -> None:
    """AVERAGE_POOL_2D: the mean of a window, halves away from zero."""
    source, output = step.operand(0), step.output
    extent = step.option("FilterHeight"), step.option("FilterWidth")
    window = _window(step, extent, dilated=False)
    low, high = activation_range(step.option("FusedActivationFunction"), output)
    part = max(1, MAX_TERMS // (extent[0] * extent[1]))
    for begin in range(0, output.size, part):
        at = np.arange(begin, min(begin + part, output.size))
        n, oh, ow, oc = _places(output, at)
        y, x, inside = window.at(source, oh, ow)
        ids = np.where(inside, source.atoms[n[:, None], y, x, oc[:, None]], 0)
        numbers = np.where(inside, source.plain[n[:, None], y, x, oc[:, None]], 0)
        to = execution.rows(len(at))
        acc = execution.form(ids, numbers, np.ones_like(ids), np.zeros(len(at), np.int64))
        mean = to.rounded_quotient(acc, inside.sum(-1))
        execution.set(output, slice(begin, begin + len(at)), to.clamp(mean, low, high), to)
