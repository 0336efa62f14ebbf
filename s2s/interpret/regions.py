"""The numpy meanings of the routines that pool regions of images (`s2s_regions.h`)."""

from itertools import product

import numpy as np

from s2s.types.dtypes import Array

LARGEST_BIN = 2**24
"""The largest bin, in pixels, of which the number of samples depends."""
_ROUNDED = 16
"""More samples than lie in an image, at half a pixel: room for samples that rounding moves there."""


def roi_align(
    image: Array,
    batch: Array,
    starts: Array,
    bins: Array,
    sizes: Array,
    shape: tuple[int, int],
    ratio: int,
    largest: bool,
) -> Array:
    """Return the mean, or the largest weighted pixel, of the samples of `shape` bins of each region."""
    rows, columns = shape
    found = np.zeros((len(batch), rows, columns, image.shape[3]), image.dtype)
    height, width = (int(each) for each in np.clip(sizes, 1, image.shape[1:3]))
    for region, number in enumerate(np.clip(batch, 0, image.shape[0] - 1)):
        pixels, (high, wide) = image[number, :height, :width], bins[region]
        down = [_Samples(starts[region, 0] + _like(p, high) * high, high, ratio, height) for p in range(rows)]
        across = [_Samples(starts[region, 1] + _like(q, wide) * wide, wide, ratio, width) for q in range(columns)]
        pool = _largest_of if largest else _mean_of
        for (p, above), (q, left) in product(enumerate(down), enumerate(across)):
            found[region, p, q] = pool(pixels, above, left)
    return found


class _Samples:
    """The samples of a bin along an axis of `size` pixels: how many there are, and for the ones in the image the pixels
    before and behind each, and the weight of the latter."""

    def __init__(self, start: Array, bin: Array, ratio: int, size: int) -> None:
        adaptive = int(np.ceil(bin)) if 0 < bin <= LARGEST_BIN else 0
        self.size, self.count = size, ratio or adaptive

        def place(i: Array) -> Array:
            return start + (i.astype(bin.dtype) + _like(0.5, bin)) * bin / _like(self.count, bin)

        first = 0
        if not ratio:
            low, high = 0, self.count
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if place(np.array(middle)) >= -1 else (middle + 1, high)
            first = low
        last = self.count if ratio else min(self.count, first + 2 * size + _ROUNDED)
        at = place(np.arange(first, last)) if last > first else np.zeros(0, bin.dtype)
        at = np.maximum(at[(at >= -1) & (at <= size)], _like(0, bin))
        self.before = np.minimum(at.astype(np.int64), size - 1)
        self.behind = np.minimum(self.before + 1, size - 1)
        self.weight = np.where(self.before < size - 1, at - self.before.astype(at.dtype), _like(0, bin))

    def weights(self) -> Array:
        """Return the weight of each pixel."""
        sums = np.zeros(self.size, self.weight.dtype)
        np.add.at(sums, self.before, (1 - self.weight) / _like(self.count, self.weight))
        np.add.at(sums, self.behind, self.weight / _like(self.count, self.weight))
        return sums


def _mean_of(pixels: Array, down: _Samples, across: _Samples) -> Array:
    rows, columns = down.weights(), across.weights()
    (above, below), (left, right) = _ends(down), _ends(across)
    return np.einsum("h,hwc,w->c", rows[above:below], pixels[above:below, left:right], columns[left:right])


def _ends(samples: _Samples) -> tuple[int, int]:
    """Return the first pixel that samples read, and the one behind the last."""
    return (int(samples.before.min()), int(samples.behind.max()) + 1) if samples.before.size else (0, 0)


def _largest_of(pixels: Array, down: _Samples, across: _Samples) -> Array:
    parts = [
        pixels[row][:, column] * row_weight[:, None, None] * column_weight[None, :, None]
        for row, row_weight in ((down.before, 1 - down.weight), (down.behind, down.weight))
        for column, column_weight in ((across.before, 1 - across.weight), (across.behind, across.weight))
    ]
    inside = down.before.size * across.before.size
    if not inside:
        return np.zeros(pixels.shape[2], pixels.dtype)
    found = np.maximum.reduce([part.max((0, 1)) for part in parts])
    return found if inside == down.count * across.count else np.maximum(found, _like(0, pixels))


def _like(number: float, other: Array) -> Array:
    """Return a number of the element type of `other`."""
    return np.asarray(number, other.dtype)


def max_regions(image: Array, batch: Array, high: Array, wide: Array) -> Array:
    """Return the largest element of the rows and columns of each bin of each region."""
    found = np.zeros((len(batch), high.shape[1], wide.shape[1], image.shape[3]), image.dtype)
    numbers = np.clip(batch, 0, image.shape[0] - 1)
    high, wide = np.clip(high, 0, image.shape[1]), np.clip(wide, 0, image.shape[2])
    for region, p, q in np.ndindex(found.shape[:3]):
        (above, below), (left, right) = high[region, p], wide[region, q]
        part = image[numbers[region], above:below, left:right]
        if part.shape[0] and part.shape[1]:
            found[region, p, q] = np.fmax(np.fmax.reduce(part, (0, 1)), _like(-np.inf, image))
    return found
