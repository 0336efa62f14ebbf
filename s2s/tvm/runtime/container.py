"""Containers that TVM's functions take and return: Python's own, under TVM's names."""

from collections.abc import Iterable
from typing import Any


class String(str):
    """A text."""

    __slots__ = ()


class ShapeTuple(tuple[int, ...]):
    """The sizes of an array."""

    __slots__ = ()


class Array(list[Any]):
    """A list, as `runtime.convert` makes it."""


class Map(dict[Any, Any]):
    """A mapping, as `runtime.convert` makes it."""


class ADT(list[Any]):
    """The fields of a value of several ones, such as a tuple, whose `tag` is 0."""

    def __init__(self, tag: int, fields: Iterable[Any]) -> None:
        super().__init__(fields)
        self.tag = tag


def tuple_object(fields: Iterable[Any] | None = None) -> ADT:
    """The value of a tuple."""
    return ADT(0, fields or ())


__all__ = ["ADT", "Array", "Map", "ShapeTuple", "String", "tuple_object"]
