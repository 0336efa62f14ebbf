"""Compute the rows that a sliding window reads, for kernels."""

from typing import NamedTuple


class RowWindow(NamedTuple):
    """The rows `[row * stride + low, row * stride + high]` of an operand that produce row `row` of the result.

    A 3x3 convolution with stride 1 and one row of padding has `low` -1 and `high` 1: its rows 0 to 3 read rows -1 to 4.
    """

    stride: int = 1
    low: int = 0
    high: int = 0

    def reads(self, rows: range) -> range:
        """Return the rows that `rows` of the result depend on, rows of padding included."""
        return range(rows.start * self.stride + self.low, (rows.stop - 1) * self.stride + self.high + 1)
