"""Transforms of signals under TVM's names."""

import math

from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, Tuple, const
from s2s.tvm.relay.formula import onnx
from s2s.tvm.relay.operators import operator
from s2s.types.size import all_plain


@operator("stft")
def stft(
    data: Expr,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Expr | None = None,
    normalized: bool = False,
    onesided: bool = True,
) -> Expr:
    """The Fourier transform of windows of `n_fft` samples that are `hop_length` apart, by default a quarter: an array
    `[batch, frequencies, windows, 2]` of real and imaginary parts.

    A `window` of `win_length` samples stands in the middle; `normalized` divides by the root of `n_fft`.
    """
    step = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if len(data.shape) not in (1, 2) or step < 1 or not 0 < width <= n_fft:
        raise InputError(
            f"relay.stft: data {list(data.shape)} in windows of {width} of {n_fft} samples, {step} apart; give "
            "[samples] or [batch, samples], a step, and windows of n_fft samples at most"
        )
    signal = data if len(data.shape) == 2 else op.expand_dims(data, 0)
    step_value, length = const(step, "int64"), const(n_fft, "int64")
    frames = onnx(
        "STFT",
        op.expand_dims(signal, 2),
        step_value,
        _centered(window, width, n_fft, data.dtype),
        length,
        onesided=int(onesided),
    )
    spectrum = op.transpose(frames, [0, 2, 1, 3])
    return spectrum * (1 / math.sqrt(n_fft)) if normalized else spectrum


def _centered(window: Expr | None, width: int, count: int, dtype: str) -> Expr:
    """A window with zeros on both sides; ones where there is none."""
    if window is not None and (len(window.shape) != 1 or (all_plain(window.shape) and window.shape != (width,))):
        raise InputError(f"relay.stft: a window of {list(window.shape)} with win_length {width}; give its length")
    middle = op.ones([width], dtype) if window is None else window.astype(dtype)
    middle = middle if all_plain(middle.shape) else op.part(middle, 0, 0, width)
    before = (count - width) // 2
    sides = [op.zeros([size], dtype) if size else None for size in (before, count - width - before)]
    return op.concatenate([part for part in (sides[0], middle, sides[1]) if part is not None], 0)


@operator("dft")
def dft(re_data: Expr, im_data: Expr, inverse: bool = False) -> Tuple:
    """The Fourier transform over the last dimension, as real and imaginary parts."""
    rows = [-1, re_data.shape[-1]]
    both = op.stack([op.reshape(part, rows) for part in (re_data, im_data)], 2)
    spectrum = onnx("DFT", both, None, const(1, "int64"), inverse=int(inverse))
    parts = op.split(spectrum, 2, 2)
    return Tuple([op.reshape(part, list(re_data.shape)) for part in parts])
