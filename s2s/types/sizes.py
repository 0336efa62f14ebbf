"""Sizes of dimensions that vary from run to run, within bounds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, DictionaryAttr, StringAttr, i64
from xdsl.ir import Attribute

from s2s.types.dtypes import Array
from s2s.types.hints import isa

SIZES = "sizes"
"""Attribute of a module: the sizes that vary, by name, each with its least and its greatest value."""
VARIES = "varies"
"""Attribute of an argument or a result of `main`: for each axis the size that it has, empty for a constant one."""

Extents: TypeAlias = tuple[str, ...]
"""For each dimension the name of the size that it has at run time, empty for a constant one."""


class SizeRange(NamedTuple):
    """The least and the greatest value of a size."""

    least: int
    most: int

    def __str__(self) -> str:
        return f"{self.least}..{self.most}"


DimSize: TypeAlias = int | SizeRange
"""What `--dim` gives a dimension: a constant size, or bounds of a size that is known at run time."""


def at_most(dims: Mapping[str, DimSize]) -> dict[str, int]:
    """Return every dimension with its greatest size."""
    return {name: size.most if isinstance(size, SizeRange) else size for name, size in dims.items()}


def varying(dims: Mapping[str, DimSize]) -> dict[str, SizeRange]:
    """Return the dimensions whose size varies."""
    return {name: size for name, size in dims.items() if isinstance(size, SizeRange)}


def constant(dims: Mapping[str, DimSize]) -> dict[str, int]:
    """Return the dimensions whose size is constant."""
    return {name: size for name, size in dims.items() if not isinstance(size, SizeRange)}


def shape_at(shape: Sequence[int], extents: Extents, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of a tensor in a run of these `sizes`; one that is not among them is the greatest."""
    names = extents or ("",) * len(shape)
    return tuple(sizes.get(name, size) if name else size for size, name in zip(shape, names, strict=True))


def with_room(value: Array, shape: tuple[int, ...]) -> Array:
    """Return an array of `shape` with `value` at the first positions of each axis."""
    room = np.zeros(shape, value.dtype)
    room[tuple(map(slice, value.shape))] = value
    return room


def sizes_attribute(sizes: Mapping[str, SizeRange]) -> DictionaryAttr:
    """Return `sizes` as the attribute of a module."""
    return DictionaryAttr({name: DenseArrayBase.from_list(i64, [*size]) for name, size in sizes.items()})


def sizes_of(attributes: Mapping[str, Attribute]) -> dict[str, SizeRange]:
    """Return the sizes that vary, from the attributes of a module."""
    found = attributes.get(SIZES)
    if not isinstance(found, DictionaryAttr):
        return {}
    return {
        name: SizeRange(*map(int, bounds.get_values()))
        for name, bounds in found.data.items()
        if isa(bounds, DenseArrayBase[I64])
    }


def extents_attribute(extents: Iterable[str]) -> ArrayAttr[StringAttr]:
    """Return `extents` as an attribute."""
    return ArrayAttr(map(StringAttr, extents))


def extents_of(attribute: Attribute | None, rank: int) -> Extents:
    """Return the extents that an attribute holds; without one, `rank` constant ones."""
    if not isa(attribute, ArrayAttr[StringAttr]):
        return ("",) * rank
    return tuple(each.data for each in attribute)
