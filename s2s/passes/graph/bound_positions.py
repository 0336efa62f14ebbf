"""State the bounds of inputs that index a state or a table of constants, so that the run function refuses others.

    func.func @main(%position: tensor<1xi64> {name = "position"}, %cache: tensor<2x128x8xf32> {name = "cache", state}) …
      %at = graph.broadcast_to %position : … -> tensor<2x1x8xi64>
      %present = graph.scatter_elements %cache, %at, %rows {axis = 1 : i64, reduction = "none"} : …
->
    module attributes {index_bounds = {position = array<i64: -128, 127>}}

Without them an update beyond a cache of 128 positions would be left out in silence, and later runs would attend to rows
that were never written. In a ring, whose index is the position modulo its size, the table of rotary angles bounds the
positions. A negative index counts from the end, except in scatters with `nonnegative_indices`.

Declined where the index is computed otherwise than as an input of one integer plus constants, maybe divided by one, for
scatters into tensors that are no state, and for lookups in what is no constant.
"""

from collections.abc import Set

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32, i64
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import NAME, STATE, main_of, text
from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.support.frozen import frozen
from s2s.types.index_bounds import INDEX_BOUNDS, IndexBounds, bounds_attribute
from s2s.types.weights import WeightStore


@frozen
class BoundPositionsPass(ModulePass):
    name = "graph-bound-positions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main, found = main_of(op), dict[str, IndexBounds]()
        attributes = list(main.arg_attrs or ())
        states = {number for number, each in enumerate(attributes) if STATE in each.data}
        for each in main.body.block.ops:
            if not isinstance(each, graph.ScatterElementsOp | graph.GatherOp):
                continue
            size = shape_of(each.x)[each.axis.value.data]
            position = _input_of(each.indices, IndexBounds(_least(each, size), size - 1), weights_of(ctx))
            if position is None or not _is_kept(each, states, weights_of(ctx)):
                continue
            argument, bounds = position
            name = text(attributes[argument.index], NAME)
            if name is not None and argument.index not in states:
                known = found.get(name, bounds)
                found[name] = IndexBounds(max(known.least, bounds.least), min(known.most, bounds.most))
        if found:
            op.attributes[INDEX_BOUNDS] = bounds_attribute(found)


def _least(op: graph.ScatterElementsOp | graph.GatherOp, size: int) -> int:
    """Return the least index of `op` along its axis."""
    return 0 if isinstance(op, graph.ScatterElementsOp) and op.nonnegative_indices is not None else -size


def _is_kept(op: graph.ScatterElementsOp | graph.GatherOp, states: Set[int], weights: WeightStore) -> bool:
    """Return whether `op` writes into a state, or looks up a row of a constant."""
    if isinstance(op, graph.GatherOp):
        return known_value(op.x, weights) is not None
    return isinstance(op.x, BlockArgument) and op.x.index in states


def _input_of(value: SSAValue, bounds: IndexBounds, weights: WeightStore) -> tuple[BlockArgument, IndexBounds] | None:
    """Return the input of one integer that `value` is computed from by adding constants and dividing by them, and its
    bounds if those of `value` are `bounds`; None if it is computed otherwise."""
    while not isinstance(value, BlockArgument):
        match value.owner:
            case graph.ReshapeOp(x=value) | graph.BroadcastToOp(x=value):
                pass
            case graph.CastOp(x=value) if type_of(value).element_type in (i32, i64):
                pass
            case graph.AddOp(a=a, b=b):
                first = known_value(a, weights)
                value, offsets = (a, known_value(b, weights)) if first is None else (b, first)
                if offsets is None:
                    return None
                bounds = IndexBounds(bounds.least - int(offsets.min()), bounds.most - int(offsets.max()))
            case graph.DivOp(a=value, b=b):
                divisors = known_value(b, weights)
                if divisors is None or divisors.size != 1 or divisors.item() < 1:
                    return None
                by = int(divisors.item())
                bounds = IndexBounds(bounds.least * by, bounds.most * by + by - 1)
            case _:
                return None
    type = type_of(value)
    return (value, bounds) if type.element_type in (i32, i64) and type.element_count() == 1 else None
