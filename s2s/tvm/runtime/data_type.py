"""Element types as TVM's objects: texts that tell their kind, bits and lanes."""

import re
from enum import IntEnum

import numpy as np

from s2s.errors import WrongValueError

_TEXT = re.compile(r"(int|uint|float|bfloat|handle|bool)(\d*)(?:x(\d+))?")


class DataTypeCode(IntEnum):
    """The numbers of kinds of elements in DLPack and in packed calls."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    BFLOAT = 4


class DataType(str):
    """An element type, or a vector of several: `float32`, `uint8x16`, `handle`.

    `bool` has the kind of integers without a sign and one bit; a kind without a number has 32 bits, `handle` 64.
    """

    __slots__ = ("bits", "lanes", "type_code")
    type_code: int
    bits: int
    lanes: int

    def __new__(cls, type_str: object) -> "DataType":
        """The type of a text, or of an element type of numpy."""
        text = type_str if isinstance(type_str, str) else np.dtype(type_str).name  # pyright: ignore[reportArgumentType, reportCallIssue]
        match = _TEXT.fullmatch(text)
        if match is None:
            kinds = ", ".join(code.name.lower() for code in DataTypeCode)
            raise WrongValueError(f"DataType {text}: is not known; give {kinds} or bool, and a width")
        kind, bits, lanes = match.groups()
        dtype = super().__new__(cls, text)
        dtype.type_code = DataTypeCode.UINT if kind == "bool" else DataTypeCode[kind.upper()]
        dtype.bits = 1 if kind == "bool" else int(bits or (64 if kind == "handle" else 32))
        dtype.lanes = int(lanes or 1)
        return dtype

    @property
    def itemsize(self) -> int:
        """The bytes of all lanes, each rounded up to whole ones."""
        return self.lanes * ((self.bits + 7) // 8)
