"""How operations on decision trees hold the tables that `s2s.types.trees` describes."""

from collections.abc import Sequence
from typing import Protocol

from xdsl.dialects.builtin import I64, DenseArrayBase, Float64Type, f64, i64
from xdsl.ir import Attribute

from s2s.types.trees import Trees


class HasTables(Protocol):
    """An operation with a property for each column of the tables."""

    features: DenseArrayBase[I64]
    comparisons: DenseArrayBase[I64]
    splits: DenseArrayBase[Float64Type]
    yes: DenseArrayBase[I64]
    no: DenseArrayBase[I64]
    missing: DenseArrayBase[I64]


def column_properties(trees: Trees) -> dict[str, Attribute]:
    """Return the columns of `trees` as properties, without its roots."""
    integers = {
        "features": trees.features,
        "comparisons": trees.comparisons,
        "yes": trees.yes,
        "no": trees.no,
        "missing": trees.missing,
    }
    columns: dict[str, Attribute] = {name: DenseArrayBase.from_list(i64, each) for name, each in integers.items()}
    return columns | {"splits": DenseArrayBase.from_list(f64, trees.splits)}


def trees_of(op: HasTables, roots: Sequence[int]) -> Trees:
    """Return the tables that the properties of `op` hold, with these roots."""
    return Trees(
        roots=tuple(roots),
        features=op.features.get_values(),
        comparisons=op.comparisons.get_values(),
        splits=op.splits.get_values(),
        yes=op.yes.get_values(),
        no=op.no.get_values(),
        missing=op.missing.get_values(),
    )
