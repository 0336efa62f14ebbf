"""Read options of custom operators, which converters write as a map in the FlexBuffers format.

A map is a vector of values, the numbers of which lie in place or behind an offset, then a byte for each that tells its
type. In front of the vector stand the offset to its keys, the width of a key's offset, and its size. The last two bytes
of the file are the type of the root and its width. Offsets lead backwards.
"""

import struct
from collections.abc import Mapping
from typing import TypeAlias

from s2s.frontends.tflite.node import Node
from s2s.support.frozen import frozen

Number: TypeAlias = int | float | bool
_INT, _UINT, _FLOAT, _MAP, _BOOL = 1, 2, 3, 9, 26
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
"""Types of numbers that lie behind an offset, with the types of numbers that lie in place."""
_CODES = {_INT: "bhiq", _UINT: "BHIQ", _FLOAT: " efd", _BOOL: "BHIQ"}
"""For each type the code that `struct` has for widths of 1, 2, 4 and 8 bytes."""
_VECTORS = {11: _INT, 12: _UINT}
"""Types of vectors of integers, with the types of these."""
_WIDTHS = {1: 0, 2: 1, 4: 2, 8: 3}
_MAX_SIZE = 1000
"""The most entries of a map or a vector."""
_LONGEST_KEY = 100


@frozen
class Options:
    """The numbers that the options of an operator name."""

    node: Node
    numbers: Mapping[str, Number]
    vectors: Mapping[str, tuple[int, ...]]

    def integer(self, name: str, default: int | None = None) -> int:
        """An integer."""
        found = self.numbers.get(name, default)
        if found is None or (isinstance(found, float) and not found.is_integer()):
            raise self.node.invalid(f"its option {name} is {found}", "give an integer")
        return int(found)

    def integers(self, name: str) -> tuple[int, ...]:
        """A vector of integers."""
        if name not in self.vectors:
            raise self.node.invalid(f"has no option {name}", "convert the model again")
        return self.vectors[name]

    def real(self, name: str) -> float:
        """A number."""
        if name not in self.numbers:
            raise self.node.invalid(f"has no option {name}", "convert the model again")
        return float(self.numbers[name])

    def positive(self, name: str) -> int:
        """An integer above zero."""
        found = self.integer(name)
        if found < 1:
            raise self.node.invalid(f"its option {name} is {found}", "give at least 1")
        return found

    def bits(self, name: str, most: int) -> int:
        """How far numbers are shifted, which is at most `most`."""
        found = self.integer(name)
        if not 0 <= found <= most:
            raise self.node.invalid(f"its option {name} is {found}", f"give 0 to {most}")
        return found


def options_of(node: Node) -> Options:
    """Return the options of an operator; an error if they are damaged."""
    try:
        return Options(node, *_numbers(node.info.custom_options))
    except (struct.error, LookupError, ValueError):
        raise node.invalid("its options are damaged", "convert the model again") from None


def _numbers(data: bytes) -> tuple[dict[str, Number], dict[str, tuple[int, ...]]]:
    """The numbers and the vectors of the map that is the root; entries of other types are left out."""
    width = data[-1]
    if data[-2] >> 2 != _MAP:
        raise ValueError("the root is no map")
    return _map_at(data, _behind(data, len(data) - 2 - width, width), 1 << (data[-2] & 3))


def _map_at(data: bytes, start: int, width: int) -> tuple[dict[str, Number], dict[str, tuple[int, ...]]]:
    size, key_width = _unsigned(data, start - width, width), _unsigned(data, start - 2 * width, width)
    if size > _MAX_SIZE:
        raise ValueError("more entries than options have")
    keys = _behind(data, start - 3 * width, width)
    found: dict[str, Number] = {}
    vectors: dict[str, tuple[int, ...]] = {}
    for entry in range(size):
        text = _behind(data, keys + entry * key_width, key_width)
        kind = data[start + size * width + entry]
        place, own_width = start + entry * width, 1 << (kind & 3)
        if kind >> 2 in _VECTORS:
            vectors[_key(data, text)] = _vector(data, _behind(data, place, width), own_width, _VECTORS[kind >> 2])
        elif (value := _number(data, place, width, kind >> 2, own_width)) is not None:
            found[_key(data, text)] = value
    return found, vectors


def _vector(data: bytes, start: int, width: int, kind: int) -> tuple[int, ...]:
    """Integers one behind the other, and their number in front of them."""
    size = _unsigned(data, start - width, width)
    if size > _MAX_SIZE:
        raise ValueError("more numbers than options have")
    return struct.unpack_from(f"<{size}{_CODES[kind][_WIDTHS[width]]}", data, _inside(start))


def _number(data: bytes, place: int, width: int, kind: int, own_width: int) -> Number | None:
    if kind in _INDIRECT:
        place, width, kind = _behind(data, place, width), own_width, _INDIRECT[kind]
    if kind not in _CODES:
        return None
    code = _CODES[kind][_WIDTHS[width]]
    value = struct.unpack_from(f"<{code}", data, _inside(place))[0]
    return bool(value) if kind == _BOOL else value


def _key(data: bytes, start: int) -> str:
    return data[start : data.index(0, start, start + _LONGEST_KEY)].decode("ascii")


def _behind(data: bytes, place: int, width: int) -> int:
    """The place that the offset at `place` leads to."""
    return _inside(place - _unsigned(data, place, width))


def _unsigned(data: bytes, place: int, width: int) -> int:
    return struct.unpack_from(f"<{'BHIQ'[_WIDTHS[width]]}", data, _inside(place))[0]


def _inside(place: int) -> int:
    if place < 0:
        raise ValueError("an offset leads out of the options")
    return place
