"""The bounds of inputs that say where a run writes into its state, as an attribute of the module."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase, DictionaryAttr, i64
from xdsl.ir import Attribute

from s2s.types.hints import isa

INDEX_BOUNDS = "index_bounds"


class IndexBounds(NamedTuple):
    """The least and the greatest value of an integer input; the run function refuses others."""

    least: int
    most: int


def bounds_attribute(bounds: Mapping[str, IndexBounds]) -> DictionaryAttr:
    """Return the bounds of inputs, by name, as the attribute of a module."""
    return DictionaryAttr({name: DenseArrayBase.from_list(i64, list(each)) for name, each in bounds.items()})


def bounds_of(attributes: Mapping[str, Attribute]) -> dict[str, IndexBounds]:
    """Return the bounds of inputs, by name, from the attributes of a module."""
    stated = attributes.get(INDEX_BOUNDS)
    if not isinstance(stated, DictionaryAttr):
        return {}
    return {
        name: IndexBounds(*map(int, each.get_values()))
        for name, each in stated.data.items()
        if isa(each, DenseArrayBase[I64])
    }
