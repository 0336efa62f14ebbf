"""Add constants to a graph: small ones as `graph.constant`, others as weights in the weight store."""

from xdsl.ir import Block, Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.traits import layer_of
from s2s.types.dtypes import Array, type_of_array
from s2s.types.weights import WeightStore

READABLE = 16
"""Arrays of up to this many elements are written out in the IR."""


def new_constant(array: Array, name: str, weights: WeightStore) -> graph.ConstantOp | graph.WeightOp:
    """An operation that yields `array`; `name` is the preferred name in the weight store."""
    made = graph.ConstantOp(array) if array.size <= READABLE else new_weight(array, name, weights)
    made.y.name_hint = name if SSAValue.is_valid_name(name) else None
    return made


def new_weight(array: Array, name: str, weights: WeightStore) -> graph.WeightOp:
    """Store `array` and return the operation that yields it."""
    stored = weights.add(name, array)
    return graph.WeightOp(stored, type_of_array(array), weights.hash(stored))


def name_for(op: Operation, suffix: str) -> str:
    """A name in the weight store for a constant derived from `op`: after its source node, else after the operation."""
    nodes = graph.provenance(op)
    return f"{layer_of(nodes[0]) if nodes else op.name.removeprefix('graph.')}_{suffix}"


def weight_name(value: SSAValue) -> str | None:
    """The name of the weight that `value` is; None if it is no weight."""
    return value.owner.weight_name.data if isinstance(value.owner, graph.WeightOp) else None


def copied_constant(value: SSAValue, block: Block) -> SSAValue:
    """Append a copy of the operation that yields the constant `value` to `block`; return its result."""
    assert isinstance(value.owner, Operation)
    copy = value.owner.clone()
    copy.results[0].name_hint = value.name_hint
    block.add_op(copy)
    return copy.results[0]
