"""The tables of TFLite-Micro's audio frontend, in the precision in which the reference makes them."""

import numpy as np

from s2s.types.dtypes import Array

_F32 = np.float32
_INTERVALS = 32
"""The powers of two between which the gain is a polynomial of degree 2."""


def window_table(length: int, bits: int) -> Array:
    """Return the window function, with `bits` fractional bits: it is a Hann window between the samples."""
    step = _F32(2 * np.pi / float(_F32(length)))
    angles = np.float64(step) * (np.arange(length) + 0.5)
    values = (0.5 - 0.5 * np.cos(angles)).astype(_F32)
    return np.floor(values.astype(np.float64) * (1 << bits) + 0.5).astype(np.int16)


def _mel(hertz: "np.floating | float") -> np.float32:
    return _F32(1127.0 * np.log1p(np.float64(_F32(hertz)) / 700.0))


def bands(rate: int, count: int, bins: int, low: float, high: float, bits: int) -> tuple[Array, Array, Array] | None:
    """Return frequencies, the bands that they are added to, and their weights with `bits` fractional bits; None where a
    band would reach beyond the `count` frequencies.

    A frequency belongs to the band whose centre is the next one above, and with the rest of its weight to the band
    below that one. The constant part belongs to none.
    """
    lowest, highest = _mel(low), _mel(high)
    spacing = _F32((highest - lowest) / _F32(bins + 1))
    centres = [_F32(lowest + _F32(spacing * _F32(number + 1))) for number in range(bins + 1)]
    step = _F32(0.5 * rate / float(_F32(count) - _F32(1)))
    frequency = int(1.5 + float(_F32(low) / step))
    rows: list[tuple[int, int, int]] = []
    for number, centre in enumerate(centres):
        below = lowest if number == 0 else centres[number - 1]
        while (mel := _mel(_F32(frequency) * step)) <= centre:
            weight = _F32(_F32(centre - mel) / _F32(centre - below))
            share = int(np.floor(_F32(weight * _F32(1 << bits)) + 0.5))
            rest = int(np.floor((1.0 - float(weight)) * (1 << bits) + 0.5))
            rows += [(frequency, to, factor) for to, factor in ((number - 1, share), (number, rest)) if 0 <= to < bins]
            frequency += 1
            if frequency >= count:
                return None
    table_of_rows = np.array(rows, np.int64).reshape(-1, 3)
    return table_of_rows[:, 0], table_of_rows[:, 1], table_of_rows[:, 2]


def gains(strength: float, offset: float, gain_bits: int, input_bits: int) -> Array:
    """Return the coefficients of the gain: at 0 and 1, then three for each interval of powers of two."""

    def gain(x: int) -> int:
        real = _F32(_F32(x) / _F32(1 << input_bits))
        factor = _F32(_F32(1 << gain_bits) * np.power(_F32(real + _F32(offset)), _F32(-strength)))
        return 32767 if factor > 32767 else int(_F32(factor + _F32(0.5)))

    table = np.zeros(4 * _INTERVALS - 3, np.int64)
    table[0], table[1] = gain(0), gain(1)
    for interval in range(2, _INTERVALS + 1):
        start = 1 << (interval - 1)
        end = start + (start - 1) if interval == _INTERVALS else 2 * start
        first, middle, last = gain(start), gain(start + (start >> 1)), gain(end)
        slope = 4 * (middle - first) - (last - first)
        table[4 * interval - 6 : 4 * interval - 3] = first, slope, (last - first) - slope
    return table.astype(np.int16)
