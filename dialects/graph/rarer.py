"""Families of operations that few networks have; what evaluates and lowers them is loaded on demand."""

from xdsl.ir import Operation

from s2s.dialects.graph import blockwise, regions, run_sizes, selection, signal, sliding, superblocks, trees

_FAMILIES = frozenset(
    family.__name__ for family in (blockwise, regions, run_sizes, selection, signal, sliding, superblocks, trees)
)


def is_rarer(operation: type[Operation]) -> bool:
    """Return whether a class of operations belongs to one of these families."""
    return operation.__module__ in _FAMILIES
