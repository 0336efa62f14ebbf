"""State the bounds of inputs and states that are indices, so that the run function refuses others before it writes.

    func.func @main(%position: tensor<1xi64> {name = "position"}, %cache: tensor<2x128x8xf32> {name = "cache", state},
                    %ids: tensor<1x16xi64> {name = "ids"}) …
      %at = graph.broadcast_to %position : … -> tensor<2x1x8xi64>
      %present = graph.scatter_elements %cache, %at, %rows {axis = 1 : i64, reduction = "none"} : …
      %x = graph.gather %table, %ids {axis = 0 : i64} : (tensor<1000x8xf32>, tensor<1x16xi64>) -> …
->
    module attributes {index_bounds = {position = array<i64: -128, 127>, ids = array<i64: -1000, 999>}}

Without them an update beyond a cache of 128 positions would be left out in silence, and later runs would attend to rows
that were never written; a lookup would read another row. In a ring, whose index is the position modulo its size, the
table of rotary angles bounds the positions. A negative index counts from the end, except in operations with
`nonnegative_indices`.

Bounded are indices of lookups, and of writes into state: scatters into a state, or into what moves or other scatters
make of one. Declined where an index is always in range, where no bounds of inputs say exactly when it is
(`s2s/analysis/numbers/index_ranges.py`), and for scatters into other tensors.
"""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import NAME, STATE, main_of, text
from s2s.analysis.numbers.index_ranges import IndexRanges, Needed
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.errors import CompilerBug
from s2s.passes.context import weights_of
from s2s.support.frozen import frozen
from s2s.types.index_bounds import INDEX_BOUNDS, IndexBounds, bounds_attribute

_Indexing = graph.GatherFamilyOp | graph.ScatterFamilyOp
_KEEPS_STATE = (graph.ReshapeOp, graph.TransposeOp, graph.CastOp, graph.ScatterFamilyOp, graph.InsertSliceOp)
"""Operations whose result holds the state that their first operand is."""


@frozen
class BoundPositionsPass(ModulePass):
    name = "graph-bound-positions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main, found, ranges = main_of(op), dict[str, IndexBounds](), IndexRanges(weights_of(ctx))
        for each in main.body.block.ops:
            if isinstance(each, graph.GatherFamilyOp) or (
                isinstance(each, graph.ScatterFamilyOp) and _is_state(main, each.x)
            ):
                for argument, bounds in _needed(each, ranges):
                    name = _name(main, argument)
                    if name is not None:
                        found[name] = found.get(name, bounds).within(bounds)
        if found:
            op.attributes[INDEX_BOUNDS] = bounds_attribute(found)


def _needed(op: _Indexing, ranges: IndexRanges) -> Iterator[Needed]:
    """Yield what arguments of `main` have to be for the indices of `op` to be in range."""
    for indices, size in _columns(op):
        yield from ranges.needed(indices, IndexBounds(0 if op.is_nonnegative else -size, size - 1)) or ()


def _columns(op: _Indexing) -> Iterator[tuple[SSAValue, int]]:
    """Yield the indices of `op` with the size of the axis that they count along."""
    match op:
        case graph.GatherOp(axis=axis) | graph.GatherElementsOp(axis=axis) | graph.ScatterElementsOp(axis=axis):
            yield op.indices, shape_of(op.x)[axis.value.data]
        case graph.GatherNdOp() | graph.ScatterNdOp():
            batch = op.batch_dims.value.data if isinstance(op, graph.GatherNdOp) else 0
            count = shape_of(op.indices)[-1]
            yield from _of_coordinates(op.indices, shape_of(op.x)[batch : batch + count])
        case _:
            raise CompilerBug(f"{op.name} states no axis that its indices count along")


def _of_coordinates(indices: SSAValue, sizes: tuple[int, ...]) -> Iterator[tuple[SSAValue, int]]:
    """Yield the columns of coordinates `[…, k]`; nothing where they stand in one tensor and the sizes differ."""
    concat = indices.owner
    if isinstance(concat, graph.ConcatOp) and concat.axis.value.data == len(shape_of(indices)) - 1:
        first = 0
        for part in concat.inputs:
            count = shape_of(part)[-1]
            yield from _of_coordinates(part, sizes[first : first + count])
            first += count
    elif len(set(sizes)) == 1:
        yield indices, sizes[0]


def _is_state(main: FuncOp, value: SSAValue) -> bool:
    """Return whether `value` holds a state, moved or partly written."""
    while not isinstance(value, BlockArgument):
        if not isinstance(value.owner, _KEEPS_STATE):
            return False
        value = value.owner.operands[0]
    return main.arg_attrs is not None and STATE in main.arg_attrs.data[value.index].data


def _name(main: FuncOp, argument: BlockArgument) -> str | None:
    """Return the name of an argument of `main`; None for other arguments."""
    if argument.owner is not main.body.block or main.arg_attrs is None:
        return None
    return text(main.arg_attrs.data[argument.index], NAME)
