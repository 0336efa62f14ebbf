"""Stage `graph`: the network is calls of kernels; a budget of RAM may have chosen sections to run in line buffers."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue

from s2s.c_syntax.interface import Port
from s2s.dialects import graph
from s2s.dialects.graph import provenance
from s2s.dialects.graph.base import type_of
from s2s.dialects.walk import walk
from s2s.emit.info import LineBuffered, PushedRows
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.state import State
from s2s.types.dtypes import size_in_bytes


class Grouped(NamedTuple):
    """The fusion of operators into kernels."""

    line_buffers: tuple[LineBuffered, ...]
    """The layers that run row by row within a run."""
    pushed: PushedRows | None = None
    """The input whose rows the caller hands over."""


def grouped(state: State, _: Request) -> Grouped:
    """Read the line buffers and the rows that are handed over from the module."""
    ops = [op for op in walk(state.module) if isinstance(op, graph.LineBuffersOp)]
    pushed = next((_pushed(op, state.facts[Read].inputs[0]) for op in ops if op.pushed is not None), None)
    buffered = (LineBuffered(", ".join(provenance(op)), _kept(op)) for op in ops if op.pushed is None)
    return Grouped(tuple(buffered), pushed)


def _pushed(op: graph.LineBuffersOp, port: Port) -> PushedRows:
    axis = op.axis.value.data
    rows = port.shape[axis]
    kept = _kept(op) + sum(map(_bytes, op.outputs[len(op.begins) :]))
    return PushedRows(port.name, axis, rows, port.size // rows, kept, ", ".join(provenance(op)))


def _kept(op: graph.LineBuffersOp) -> int:
    """Return the bytes of the rings."""
    return sum(map(_bytes, op.begins))


def _bytes(value: SSAValue) -> int:
    return prod(type_of(value).get_shape()) * size_in_bytes(type_of(value).element_type)


def describe_line_buffers(layers: Sequence[LineBuffered]) -> str:
    """Describe the layers in line buffers in words."""
    return "; ".join(f"{each.nodes or 'a section'}: row by row, {each.kept:,} bytes of rows kept" for each in layers)
