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

Declined where an index is always in range, and where no bounds of inputs say exactly when it is
(`s2s/analysis/numbers/index_ranges.py`): `graph-check-indices` has such an index checked in the run. So it has one that
counts along an axis whose size varies: the bounds are those at its greatest size.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import main_of
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.support.frozen import frozen
from s2s.types.index_bounds import INDEX_BOUNDS, IndexBounds, bounds_attribute
from s2s.types.sizes import SizeTable


@frozen
class BoundPositionsPass(ModulePass):
    name = "graph-bound-positions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = main_of(op)
        indexing = [each for each in main.body.block.ops if isinstance(each, graph.IndexingOp)]
        if not indexing:
            return
        from s2s.analysis.network.varying_values import VaryingValues
        from s2s.analysis.numbers.index_ranges import IndexRanges
        from s2s.analysis.numbers.indexed_axes import IndexProofs, name_of

        found = dict[str, IndexBounds]()
        proofs = IndexProofs(IndexRanges(weights_of(ctx)), VaryingValues(op), SizeTable(op.attributes))
        for each in indexing:
            for argument, bounds in proofs.needed_of_inputs(main, each) or ():
                name = name_of(main, argument)
                assert name is not None
                found[name] = found.get(name, bounds).within(bounds)
        if found:
            op.attributes[INDEX_BOUNDS] = bounds_attribute(found)
