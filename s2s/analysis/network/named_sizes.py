"""Find the sizes of a run that operations name, their ranges, and the sizes that kernels make known."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from s2s.analysis.network.functions import networks_run_by
from s2s.dialects import graph
from s2s.dialects.graph.run_sizes import SizedOp
from s2s.dialects.walk import walk
from s2s.types.hints import isa
from s2s.types.index_bounds import IndexBounds
from s2s.types.sizes import SizeTable, extents_of
from s2s.types.symbols import function_named


def sizes_named_by(op: Operation, table: SizeTable) -> set[str]:
    """Return the sizes that the properties of `op` name and that are not derived from other sizes."""
    names: list[str] = []
    if isinstance(op, SizedOp):
        lists = (value for value in op.properties.values() if isa(value, ArrayAttr[StringAttr]))
        names = [each.data for listed in lists for each in listed]
    elif isinstance(op, graph.ScanOp) and op.extent is not None:
        names = [op.extent.data]
    given = list(table.given)
    return {given[dim] for name in names if name in table for dim in table[name].used_dims()}


def sizes_needed_by(op: Operation, table: SizeTable) -> set[str]:
    """Return the sizes that the kernels and the networks that `op` runs name."""
    return {name for each in _run_by(op) for name in sizes_named_by(each, table)}


def sizes_made_by(op: Operation) -> set[str]:
    """Return the sizes that are known once the kernel that `op` calls has run."""
    return {each.size.data for each in _run_by(op) if isinstance(each, graph.NonzeroOp)}


def range_of_numbers(op: graph.SizeValuesOp) -> IndexBounds | None:
    """Return the least and the greatest number that `op` gives in any run: of `N mod 4`, 0 and 3, whatever it is at the
    greatest size. None outside of a module."""
    module = op.get_toplevel_object()
    if not isinstance(module, ModuleOp):
        return None
    table, ends = SizeTable(module.attributes), list[int]()
    for name, value in zip(extents_of(op.names, len(op.names)), op.values.get_values(), strict=True):
        if name and name not in table:
            return None
        ends += table.range(name)[:2] if name else (value,)
    return IndexBounds(min(ends), max(ends)) if ends else None


def _run_by(op: Operation) -> Iterator[Operation]:
    """Yield `op`, and all operations in the functions that it runs."""
    yield op
    names = (op.callee.string_value(),) if isinstance(op, graph.CallOp) else networks_run_by(op)
    for name in names:
        function = function_named(op, name)
        for inner in () if function is None else walk(function):
            if inner is not function:
                yield from _run_by(inner)
