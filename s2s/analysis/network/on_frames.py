"""Rewrite an operator to compute some elements of its result along the frames of its operands."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import ints, type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes.window import spatial_axes


def on_frames(op: Operation, operands: Sequence[SSAValue], axis: int, count: int) -> Operation:
    """Return an operation like `op` that computes `count` elements along `axis` of operands that hold the elements that
    these read, padding included, and no others."""
    return type(op).create(
        operands=operands,
        result_types=[resized(op.results[0], axis, count)],
        properties={**op.properties, **_without_borders(op, axis, count)},
        attributes=op.attributes,
    )


def resized(value: SSAValue, axis: int, size: int) -> AnyTensor:
    """Return the type of a tensor with another size along `axis`."""
    shape = list(type_of(value).get_shape())
    shape[axis] = size
    return tensor_type(type_of(value).element_type, tuple(shape))


def _without_borders(op: Operation, axis: int, count: int) -> dict[str, Attribute]:
    """Return the properties of `op` that say which elements it reads, where its operand holds these elements and no
    others."""
    match op:
        case graph.ConvOp() | PoolOp():
            rank = type_of(op.x).get_num_dims()
            place = list(spatial_axes(op.data_layout, rank)).index(axis)
            names = ["pads", "counted_pads"] if isinstance(op, graph.AvgPoolOp) else ["pads"]
            return {name: _zeroed(op.properties[name], place, place + rank - 2) for name in names}
        case graph.PadOp():
            return {name: _zeroed(op.properties[name], axis) for name in ("low", "high")}
        case graph.SliceOp():
            sizes = list(op.sizes.get_values())
            sizes[axis] = count
            return {"starts": _zeroed(op.starts, axis), "sizes": ints(sizes)}
        case _:
            return {}


def _zeroed(attribute: Attribute, *places: int) -> Attribute:
    """Return a list of integers with zeros in some places."""
    assert isinstance(attribute, DenseArrayBase)
    return ints([0 if place in places else int(value) for place, value in enumerate(attribute.get_values())])
