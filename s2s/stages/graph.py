"""Stage `graph`: the network is calls of kernels; a budget of RAM may have chosen chains to run in row tiles."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.c_syntax.interface import Port
from s2s.dialects import graph
from s2s.dialects.graph import provenance, rows_of
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.control import RECOMPUTED
from s2s.dialects.walk import walk
from s2s.emit.info import PushedRows, RowTiled
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.settle import Settled
from s2s.stages.state import State
from s2s.types.dtypes import size_in_bytes


class Grouped(NamedTuple):
    """The fusion of operators into kernels."""

    row_tiles: tuple[RowTiled, ...]
    """The layers that run in row tiles."""
    pushed: PushedRows | None = None
    """The input whose rows the caller hands over."""


def grouped(state: State, _: Request) -> Grouped:
    """Read the row tiles and the rows that are handed over from the module."""
    buffered = next((op for op in walk(state.module) if isinstance(op, graph.LineBuffersOp)), None)
    pushed = None if buffered is None or buffered.pushed is None else _pushed(buffered, state.facts[Read].inputs[0])
    return Grouped(tuple(_row_tiled(state.module, state.facts[Settled].work)), pushed)


def _pushed(op: graph.LineBuffersOp, port: Port) -> PushedRows:
    axis = op.axis.value.data
    rows = port.shape[axis]
    kept = sum(prod(type_of(ring).get_shape()) * size_in_bytes(type_of(ring).element_type) for ring in op.outputs)
    return PushedRows(port.name, axis, rows, port.size // rows, kept, ", ".join(provenance(op)))


def describe_row_tiles(layers: Sequence[RowTiled]) -> str:
    """Describe the layers in row tiles in words."""
    return "; ".join(
        f"{each.nodes or 'a chain'}: {each.rows} {'row' if each.rows == 1 else 'rows'} at a time, "
        f"{each.recomputed:.1%} more multiply-adds"
        for each in layers
    )


def _row_tiled(module: ModuleOp, work: int) -> list[RowTiled]:
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    tiled: list[RowTiled] = []
    for op in walk(module):
        if isinstance(op, graph.RowTilesOp):
            rows = max(rows_of(functions[body].function_type.outputs.data[0]) for body in op.networks)
            extra = op.attributes.get(RECOMPUTED)
            extra = extra.value.data if isinstance(extra, IntegerAttr) else 0
            tiled.append(RowTiled(", ".join(provenance(op)), rows, extra / work if work else 0.0))
    return tiled
