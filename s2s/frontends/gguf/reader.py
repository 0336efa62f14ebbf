"""Read the metadata and the tensors of a GGUF file, whatever it claims: every length is checked against the file's."""

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.recognition import SIGNS
from s2s.types.dtypes import Array

T = TypeVar("T")
VERSIONS = (2, 3)
NUMBERS: Mapping[int, str] = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"
}  # fmt: skip
"""The types of metadata that are numbers, as `struct` calls them."""
STRING, ARRAY = 8, 9
BLOCKS: Mapping[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    23: ("IQ4_XS", 256, 136),
    30: ("BF16", 1, 2),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
}
"""The types of tensors: name, elements of a block, bytes of a block."""
MAX_DIMS = 4
MAX_ELEMENTS = 1 << 24
"""The most numbers of a list in the metadata, each of which takes eight times as much memory as a byte of the file."""

Field = int | float | bool | str | Sequence[object]


class Tensor(NamedTuple):
    """A tensor as it is stored: `data` are the bytes of its blocks, `[rows, blocks, bytes]`."""

    kind: str
    rows: int
    columns: int
    data: Array


class Gguf(NamedTuple):
    """What a file holds."""

    metadata: Mapping[str, Field]
    tensors: Mapping[str, Tensor]


def read_gguf(source: str | os.PathLike[str] | bytes) -> Gguf:
    """Read a file, or the bytes of one; the tensors are views of its bytes."""
    if isinstance(source, bytes):
        return _Reader(np.frombuffer(source, np.uint8), "model").read()
    path = Path(source)
    try:
        if not path.stat().st_size:
            raise InputError(f"{path}: is empty; write the file again")
        return _Reader(np.memmap(path, np.uint8, "r"), path.name).read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give the path of a .gguf file") from None


class _Reader:
    """Reads a file from front to back."""

    def __init__(self, data: Array, label: str) -> None:
        self.data, self.label, self.at = data, label, 0

    def read(self) -> Gguf:
        """Read everything."""
        magic = SIGNS["GGUF"].magic
        if self._take(len(magic)) != magic:
            raise self._invalid("does not begin with GGUF")
        version = self._number("I")
        if version not in VERSIONS:
            raise UnsupportedError(f"{self.label}: has GGUF version {version}; convert it to version 3")
        tensors, fields = self._count("Q", 24), self._count("Q", 12)
        metadata = dict(self._several(fields, lambda: (self._string(), self._value(self._number("I")))))
        infos = self._several(tensors, self._info)
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
            raise self._invalid(f"general.alignment is {alignment}")
        start = -(-self.at // alignment) * alignment
        return Gguf(metadata, {name: self._tensor(name, start + at, kind, dims) for name, at, kind, dims in infos})

    def _info(self) -> tuple[str, int, int, tuple[int, ...]]:
        """Read name, offset, type and sizes of a tensor, the innermost size first."""
        name, rank = self._string(), self._number("I")
        if not 1 <= rank <= MAX_DIMS:
            raise self._invalid(f"tensor {name!r} has {rank} dimensions")
        dims = tuple(int(self._number("Q")) for _ in range(int(rank)))
        kind = int(self._number("I"))
        return name, int(self._number("Q")), kind, dims

    def _tensor(self, name: str, start: int, kind: int, dims: Sequence[int]) -> Tensor:
        if kind not in BLOCKS:
            known = ", ".join(known for known, *_ in BLOCKS.values())
            raise UnsupportedError(f"{self.label}: tensor {name!r} has type {kind}; quantise it to one of {known}")
        word, block, size = BLOCKS[kind]
        columns, rows = dims[0], 1
        for dim in dims[1:]:
            rows *= dim
        if not columns or not rows or columns % block:
            raise self._invalid(f"tensor {name!r} of type {word} has sizes {list(dims)}")
        length = rows * (columns // block) * size
        if start + length > len(self.data):
            raise self._invalid(f"tensor {name!r} ends {start + length - len(self.data)} bytes behind the file")
        data = self.data[start : start + length].reshape(rows, columns // block, size)
        return Tensor(word, rows, columns, data)

    def _value(self, kind: int | float) -> Field:
        if kind in NUMBERS:
            return self._number(NUMBERS[int(kind)])
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            element = self._number("I")
            if element in NUMBERS:
                letter = NUMBERS[int(element)]
                count = self._count("Q", struct.calcsize(letter))
                if count > MAX_ELEMENTS:
                    raise self._invalid(f"holds a list of {count} numbers in its metadata")
                return struct.unpack(f"<{count}{letter}", self._take(count * struct.calcsize(letter)))
            if element == STRING:
                return self._several(self._count("Q", 8), self._string)
            kind = element
        raise self._invalid(f"holds metadata of type {kind}")

    def _string(self) -> str:
        length = self._count("Q", 1)
        try:
            return bytes(self._take(length)).decode()
        except UnicodeDecodeError:
            raise self._invalid("holds a string that is no UTF-8") from None

    def _count(self, letter: str, each: int) -> int:
        """Read the number of things that take `each` bytes at least; the rest of the file must have room for them."""
        count = int(self._number(letter))
        if count * each > len(self.data) - self.at:
            raise self._invalid(f"claims {count} things at byte {self.at}, more than it has room for")
        return count

    def _number(self, letter: str) -> int | float:
        (number,) = struct.unpack(f"<{letter}", self._take(struct.calcsize(f"<{letter}")))
        return number

    def _take(self, length: int) -> bytes:
        if length > len(self.data) - self.at:
            raise self._invalid(f"ends inside of a value at byte {self.at}")
        self.at += length
        return self.data[self.at - length : self.at].tobytes()

    def _several(self, count: int, read: Callable[[], T]) -> list[T]:
        return [read() for _ in range(count)]

    def _invalid(self, fact: str) -> InputError:
        return InputError(f"{self.label}: {fact}; write the file again")
