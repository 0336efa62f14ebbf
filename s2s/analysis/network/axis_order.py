"""How the properties of an operator change where the axes of its data change their order.

    graph.concat of axis 1, data [N, C, H, W] in the order (0, 2, 3, 1): axis 3 of [N, H, W, C]

An order lists old axes by their new places.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import GraphOp, integer, ints, layout_attribute, type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.dialects.graph.reduce import ReduceOp
from s2s.dialects.graph.run_sizes import SizedOp
from s2s.types.shapes.window import CHANNELS_FIRST, CHANNELS_LAST

Order = Sequence[int]
Properties = Mapping[str, Attribute | None]


def channels_last(rank: int) -> Order:
    """Return the order that puts channels, axis 1, behind all other axes."""
    return (0, *range(2, rank), 1)


def reordered(op: Operation, order: Order) -> Properties | None:
    """Return the properties of `op` that change if its data and its result have their axes in `order`; None if `op`
    cannot have them so."""
    if not isinstance(op, GraphOp) or isinstance(op, SizedOp) or len(op.results) != 1:
        return None
    if type_of(op.results[0]).get_num_dims() != len(order):
        return None
    for kind, rule in _RULES.items():
        if isinstance(op, kind):
            return rule(op, order)
    is_pointwise = fusion_kind(op) <= FusionKind.BROADCAST and not isinstance(op, graph.ConstantInterface)
    return {} if is_pointwise and not isinstance(op, graph.ParametersInterface) else None


def data_of(op: Operation) -> Sequence[SSAValue]:
    """Return the operands of an operator that are data, with the axes of its result; others are parameters."""
    return op.operands[:1] if isinstance(op, graph.ParametersInterface) else op.operands


def _windowed(op: Operation, order: Order) -> Properties | None:
    assert isinstance(op, graph.ConvFamilyOp | PoolOp)
    is_last = order == channels_last(len(order)) and op.data_layout == CHANNELS_FIRST
    return {"layout": layout_attribute(CHANNELS_LAST)} if is_last else None


def _none(op: Operation, order: Order) -> Properties | None:
    return None


def _unchanged(op: Operation, order: Order) -> Properties | None:
    return {}


def _axis(op: Operation, order: Order) -> Properties | None:
    """One axis, if any."""
    assert isinstance(op, graph.ConcatOp | graph.RescaleOp | graph.SoftmaxOp | graph.LogSoftmaxOp)
    return {} if op.axis is None else {"axis": integer(order.index(op.axis.value.data))}


def _reduced(op: Operation, order: Order) -> Properties | None:
    assert isinstance(op, ReduceOp)
    if op.keepdims is None:
        return None
    return {"axes": ints(sorted(order.index(axis) for axis in op.axes.get_values()))}


def _each(*names: str) -> Callable[[Operation, Order], Properties | None]:
    """Make the rule of operators with a number for each axis."""

    def rule(op: Operation, order: Order) -> Properties | None:
        changed: dict[str, Attribute | None] = {}
        for name in names:
            values = op.properties[name]
            assert isinstance(values, DenseArrayBase)
            numbers = values.get_values()
            changed[name] = ints([int(numbers[axis]) for axis in order])
        return changed

    return rule


_RULES: Mapping[type[Operation], Callable[[Operation, Order], Properties | None]] = {
    graph.ConvOp: _windowed,
    graph.ConvTransposeOp: _windowed,
    graph.MaxPoolIndicesOp: _none,
    PoolOp: _windowed,
    graph.RescaleOp: _axis,
    graph.TableOp: _unchanged,
    graph.ConcatOp: _axis,
    graph.SoftmaxOp: _axis,
    graph.LogSoftmaxOp: _axis,
    graph.PadOp: _each("low", "high"),
    graph.SamePadOp: _each("windows", "strides"),
    graph.SliceOp: _each("starts", "sizes", "strides"),
    ReduceOp: _reduced,
}
