"""Numbers as TVM's nodes: Python's own, which also tell their value and their type."""

from typing import Any


class IntImm(int):
    """An integer of a type, such as a size of a shape."""

    dtype: str

    def __new__(cls, dtype: str, value: int) -> "IntImm":
        """The integer `value`."""
        number = super().__new__(cls, value)
        number.dtype = dtype
        return number

    @property
    def value(self) -> int:
        """The integer of Python."""
        return int(self)

    def __reduce__(self) -> tuple[type["IntImm"], tuple[str, int]]:
        return IntImm, (self.dtype, int(self))


class FloatImm(float):
    """A floating-point number of a type."""

    dtype: str

    def __new__(cls, dtype: str, value: float) -> "FloatImm":
        """The number `value`."""
        number = super().__new__(cls, value)
        number.dtype = dtype
        return number

    @property
    def value(self) -> float:
        """The number of Python."""
        return float(self)

    def __reduce__(self) -> tuple[type["FloatImm"], tuple[str, float]]:
        return FloatImm, (self.dtype, float(self))


def imm(value: Any) -> Any:
    """A number of Python as a node, of the types that TVM gives it; everything else as it is."""
    if type(value) is int:
        return IntImm("int32" if -(2**31) <= value < 2**31 else "int64", value)
    return FloatImm("float32", value) if type(value) is float else value


__all__ = ["FloatImm", "IntImm", "imm"]
