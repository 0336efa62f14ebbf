"""Operations that only move or select values, and how they are rebuilt on values of another type."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import number_attribute
from s2s.types.dtypes import as_tensor_type, tensor_type

MOVES = (
    graph.ReshapeOp,
    graph.TransposeOp,
    graph.SliceOp,
    graph.TileOp,
    graph.BroadcastToOp,
    graph.GatherOp,
    graph.MaxPoolOp,
    graph.ReduceMaxOp,
    graph.ReduceMinOp,
    graph.ConcatOp,
    graph.PadOp,
    graph.SamePadOp,
)
"""Operations whose results consist of elements of their operands, selected by position or by order."""

PADS = (graph.PadOp, graph.SamePadOp)
"""Operations that add elements of one value, if they state one."""


def moved(op: Operation) -> Sequence[SSAValue]:
    """The operands whose values `op` moves."""
    return op.operands if isinstance(op, graph.ConcatOp) else op.operands[:1]


def rebuilt(op: Operation, values: Sequence[SSAValue], fill: int | float | None = None) -> Operation:
    """Rebuild `op` on other operands, of any element type."""
    properties = dict(op.properties)
    if fill is not None:
        properties["value"] = number_attribute(fill)  # pyright: ignore[reportArgumentType]
    shape = as_tensor_type(op.results[0].type).get_shape()
    return type(op).create(
        operands=[*values, *op.operands[len(values) :]],
        result_types=[tensor_type(as_tensor_type(values[0].type).element_type, shape)],
        properties=properties,
    )
