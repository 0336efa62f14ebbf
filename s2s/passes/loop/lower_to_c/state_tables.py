"""Write the tables of state for the graph executor: values that outlive a run, inputs and states that are indices, and
flags that tell at its end whether computed indices were out of range.

static const s2s_graph_state states[] = {{0u, 64u, NULL}, {64u, 16u, net_h}};
static const s2s_graph_index indices[] = {{1u, -128, 127}};
static const s2s_graph_index checks[] = {{5u, -2147483648, 0}};
"""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, SymbolRefAttr, i64
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.network.functions import INIT, STATE
from s2s.dialects import c, loop
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.index_checks import indices_of
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names
from s2s.types.dtypes import ui32
from s2s.types.index_bounds import IndexBounds


class StateRow(NamedTuple):
    """A part of the arena that keeps its value from run to run, in bytes."""

    offset: int
    size: int
    initial: str | None
    """The C name of its first value; None for zeros."""


class StateRows(NamedTuple):
    """All state of a network, the tensors, by number, that are indices, and the tensors that tell of others out of
    range."""

    states: tuple[StateRow, ...] = ()
    indices: tuple[tuple[int, IndexBounds], ...] = ()
    checks: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The bytes at the start of the arena that hold all states."""
        return max((state.offset + state.size for state in self.states), default=0)


def state_rows(main: Main, names: Names, numbers: Mapping[SSAValue, int]) -> StateRows:
    """Return the state of the network `main`, whose tensors have `numbers`."""
    views = [op for op in main.func.body.block.ops if isinstance(op, loop.ViewOp) and STATE in op.attributes]
    return StateRows(
        tuple(_state(view, names) for view in views),
        tuple((numbers[each.value], each.bounds) for each in indices_of(main)),
        tuple(numbers[op.outside] for op in main.func.body.block.ops if isinstance(op, loop.RequireOp)),
    )


def _state(view: loop.ViewOp, names: Names) -> StateRow:
    init = view.attributes.get(INIT)
    initial = names.weights[init.data] if isinstance(init, StringAttr) else None
    return StateRow(view.start, buffer_bytes(view.result), initial)


def state_tables(rows: StateRows) -> list[c.GlobalOp]:
    """Write the tables; none of what the network lacks."""
    states: list[Attribute] = [
        ArrayAttr([_count(state.offset), _count(state.size), SymbolRefAttr(state.initial or "NULL")])
        for state in rows.states
    ]
    indices = [_bounded(number, bounds) for number, bounds in rows.indices]
    checks = [_bounded(number, IndexBounds(-(1 << 31), 0)) for number in rows.checks]
    return [
        *_table("states", "s2s_graph_state", states),
        *_table("indices", "s2s_graph_index", indices),
        *_table("checks", "s2s_graph_index", checks),
    ]


def _bounded(number: int, bounds: IndexBounds) -> Attribute:
    return ArrayAttr([_count(number), *(IntegerAttr(end, i64) for end in bounds)])


def state_fields(rows: StateRows) -> dict[str, Attribute]:
    """Return the fields of `s2s_graph` about state; none of what the network lacks."""
    fields: dict[str, Attribute] = {}
    if rows.states:
        fields |= {"states": SymbolRefAttr("states"), "num_states": _count(len(rows.states))}
        fields["state_size"] = _count(rows.size)
    if rows.indices:
        fields |= {"indices": SymbolRefAttr("indices"), "num_indices": _count(len(rows.indices))}
    if rows.checks:
        fields |= {"checks": SymbolRefAttr("checks"), "num_checks": _count(len(rows.checks))}
    return fields


def _table(name: str, type: str, rows: list[Attribute]) -> list[c.GlobalOp]:
    if not rows:
        return []
    return [c.GlobalOp(name, c.ArrayType(len(rows), c.NamedType(type)), value=ArrayAttr(rows), static=True)]


def _count(value: int) -> IntegerAttr:
    return IntegerAttr(value, ui32)
