"""The bounds of inputs and states that are indices, as an attribute of the module."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase, DictionaryAttr, i64
from xdsl.ir import Attribute

from s2s.types.hints import isa

INDEX_BOUNDS = "index_bounds"


class IndexBounds(NamedTuple):
    """The least and the greatest value of all elements of an input or a state; the run function refuses others."""

    least: int
    most: int

    def within(self, other: "IndexBounds") -> "IndexBounds":
        """Return the bounds that are within these and `other`."""
        return IndexBounds(max(self.least, other.least), min(self.most, other.most))


def bounds_attribute(bounds: Mapping[str, IndexBounds]) -> DictionaryAttr:
    """Return the bounds of inputs and states, by name, as the attribute of a module."""
    return DictionaryAttr({name: DenseArrayBase.from_list(i64, list(each)) for name, each in bounds.items()})


def bounds_of(attributes: Mapping[str, Attribute]) -> dict[str, IndexBounds]:
    """Return the bounds of inputs and states, by name, from the attributes of a module."""
    stated = attributes.get(INDEX_BOUNDS)
    if not isinstance(stated, DictionaryAttr):
        return {}
    return {
        name: IndexBounds(*map(int, each.get_values()))
        for name, each in stated.data.items()
        if isa(each, DenseArrayBase[I64])
    }
