"""Tables of values for the codes of a constant: one for all of it, or one for each channel, wherever a kernel's packed
layout has put the channel.

A layout is described by the blocks of numbers that belong to a few channels, and by the neighbours of one channel
within a block. The table of number `p` is `(p / block) * channels + (p / unit) % channels`:

    w[32][16][2][4]    block 128, 2 channels, unit 4: the numbers 128 to 131 have table 2, 132 to 135 have table 3
    w[16][144]         block 144, 1 channel
"""

from collections.abc import Iterable, Sequence

import numpy as np

from s2s.dialects.loop.codes import CODES
from s2s.dialects.loop.nibbles import NIBBLE
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

SAMPLE = 1024
"""The numbers of a constant that are looked at first."""
INTERLEAVED = ((1, 1), (2, 4), (2, 1), (4, 1), (8, 1))
"""The channels that may take turns in a block, and the neighbours of each."""


@frozen
class Tables:
    """Where the tables of a constant lie, behind its codes."""

    numbers: int
    block: int
    channels: int
    unit: int
    values: int = CODES
    """The values of a table."""

    @property
    def first(self) -> int:
        """The place of the first table: behind the codes."""
        return self.numbers // 2

    @property
    def count(self) -> int:
        """The number of tables."""
        return self.numbers // self.block * self.channels

    @property
    def bytes(self) -> int:
        """Bytes of the codes and the tables."""
        return self.first + self.count * self.values

    @property
    def text(self) -> str:
        """The tables in words."""
        return f"{self.count} table{'' if self.count == 1 else 's'} of {self.values} values"

    def rows(self, numbers: Array) -> Array:
        """Return the numbers of each table, a row each."""
        turns = self.block // (self.channels * self.unit)
        split = numbers.reshape(-1, turns, self.channels, self.unit)
        return split.transpose(0, 2, 1, 3).reshape(self.count, -1)

    def encoded(self, numbers: Array) -> Array:
        """Return the codes of numbers, two in a byte, the first in the low bits, and the tables."""
        rows = self.rows(numbers)
        tables = np.zeros((self.count, self.values), np.int8)
        codes = np.empty(rows.shape, np.uint8)
        for number, row in enumerate(rows):
            values, codes[number] = np.unique(row, return_inverse=True)
            tables[number, : len(values)] = values
        turns = self.block // (self.channels * self.unit)
        split = codes.reshape(-1, self.channels, turns, self.unit).transpose(0, 2, 1, 3).reshape(-1, 2)
        packed = split[:, 0] | split[:, 1] << np.uint8(NIBBLE)
        return np.concatenate([packed.view(np.int8), tables.reshape(-1)])


def tables_of(constants: Sequence[Array], blocks: Iterable[int]) -> list[Tables]:
    """Return the tables that hold all values of `constants`, which have one layout, fewest bytes first. Each table
    serves more numbers than it can have values."""
    size = constants[0].size
    found: list[Tables] = []
    for block in dict.fromkeys(blocks):
        for channels, unit in INTERLEAVED:
            if size % block or block % (channels * unit) or block // channels <= CODES:
                continue
            tables = Tables(size, block, channels, unit)
            values = max(_most_values(tables.rows(each)) for each in constants)
            if values <= CODES:
                found.append(Tables(size, block, channels, unit, values))
    return sorted(found, key=lambda each: each.bytes)


def _most_values(rows: Array) -> int:
    """Return the most different numbers of a row; more than a table holds as soon as that is known."""
    if np.unique(rows[0, :SAMPLE]).size > CODES:
        return CODES + 1
    ordered = np.sort(rows, axis=1)
    return int(np.count_nonzero(np.diff(ordered, axis=1), axis=1).max(initial=0)) + 1


def numbers_of_pairs(stored: Array) -> Array:
    """Return the constants that are stored in pairs of bytes (`s2s/passes/tensor/lower_to_loop/pairs.py`)."""
    second, coded = stored[0::2].astype(np.int16), stored[1::2].astype(np.int16)
    return np.stack([-coded - np.less(second, 0), second], axis=1).astype(np.int8).reshape(-1)
