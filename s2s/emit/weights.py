"""Write constant arrays as C: literals in a C file, or a binary file that the assembler includes.

Which of the two is a decision (`s2s/decisions/constants.py`). Arrays are written in pieces, those of one value
(broadcasts) too: no more than a piece is ever in memory.
"""

import sys
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.ir import Attribute

from s2s.c_syntax.identifiers import pool_macro
from s2s.c_syntax.layout import WIDTH
from s2s.c_syntax.literals import array_literals
from s2s.c_syntax.types import declaration
from s2s.emit.stream import Content, Stream
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.dtypes import Array, size_in_bytes

_PIECE = 1 << 16
"""The number of elements in memory at once."""
_INDENT = "    "


@frozen
class ConstantArray:
    """A constant array: C name, element type, values, and its name in the model."""

    identifier: str
    element: Attribute
    values: Array
    name: str
    pool: str = ""
    """The memory pool that holds it; empty for the place of constants."""
    device: str = MAIN
    """The device whose kernels read it."""

    @property
    def count(self) -> int:
        """Number of elements."""
        return prod(self.values.shape)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.count * size_in_bytes(self.element)

    @property
    def declaration(self) -> str:
        """`const float kws_conv1_weight[864]`."""
        return declaration(self.element, f"{self.identifier}[{self.count}]", const=True)

    def pieces(self) -> Iterator[Array]:
        """Yield the elements in order, flat, in chunks."""
        flat = self.values.reshape(-1) if self.values.flags.c_contiguous else None
        for start in range(0, self.count, _PIECE):
            stop = min(start + _PIECE, self.count)
            yield flat[start:stop] if flat is not None else _elements(self.values, start, stop)


class Placed(NamedTuple):
    """An array in a binary file, with its offset."""

    array: ConstantArray
    offset: int


def place(arrays: Sequence[ConstantArray], align: int) -> list[Placed]:
    """Assign each array an offset in a binary file, at multiples of `align`."""
    placed: list[Placed] = []
    end = 0
    for array in arrays:
        offset = -(-end // align) * align
        placed.append(Placed(array, offset))
        end = offset + array.size
    return placed


def binary_file(placed: Sequence[Placed]) -> Content:
    """Return the bytes of the arrays, little-endian, with zeros between them."""

    def chunks() -> Iterator[bytes]:
        end = 0
        for entry in placed:
            yield bytes(entry.offset - end)
            for piece in entry.array.pieces():
                yield (piece if sys.byteorder == "little" else piece.byteswap()).tobytes()
            end = entry.offset + entry.array.size

    return Stream(chunks)


def c_arrays(head: bytes, arrays: Sequence[ConstantArray], align: int) -> Content:
    """Write a C file: `head`, then the definition of each array, preceded by its section and its alignment."""

    def chunks() -> Iterator[bytes]:
        yield head
        for array in arrays:
            section = pool_macro(array.pool) if array.pool else "S2S_WEIGHTS_SECTION"
            yield f"\n{section} S2S_ALIGNED({align}) {array.declaration} = {{\n".encode()
            for piece in array.pieces():
                yield _lines(array_literals(piece, array.element)).encode()
            yield b"};\n"

    return Stream(chunks)


def _lines(literals: Sequence[str]) -> str:
    """Format literals in rows, with the same number in each as fits for the longest one."""
    widest = max(map(len, literals))
    count = max(1, (WIDTH - len(_INDENT)) // (widest + 2))
    rows = (literals[at : at + count] for at in range(0, len(literals), count))
    return "".join(f"{_INDENT}{', '.join(row)},\n" for row in rows)


def _elements(values: Array, start: int, stop: int) -> Array:
    """Return elements `start … stop - 1` of an array in row-major order, for any strides."""
    if not any(values.strides):
        return np.broadcast_to(values[(0,) * values.ndim], (stop - start,))
    return values[np.unravel_index(np.arange(start, stop), values.shape)]
