"""Fill tables that bytes read up to a last place, so that their length is no number of the code.

    %d = graph.clamp %x {max = 96} : tensor<1x12xui8>
    %y = graph.gather %table, %d {axis = 0, …} : (tensor<97xi32>, tensor<1x12xui8>) -> tensor<1x12xi32>
->
    %y = graph.gather %filled, %x {axis = 0, …} : (tensor<256xi32>, tensor<1x12xui8>) -> tensor<1x12xi32>

The places behind the end repeat the last element: with 97 elements place 200 read element 96, and reads it at 200 now.
Elements that no byte reaches are cut off.
The table of a softmax has as many exponentials as are not 0, which follows from the scale of its input; a pack of
weights (`--weights pack`) then brings the table of a retrained model.

Declined for tables that a run computes, for other places than bytes, and where the limit is not the last place.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import number, type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import ui8

BYTES = 256


class GatherByLimitedBytes(WeightPattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp, rewriter: PatternRewriter) -> None:
        table, places = known_value(op.x, self.store), op.indices
        if type_of(places).element_type != ui8 or table is None or table.ndim != 1 or len(table) == BYTES:
            return
        if len(table) < BYTES:
            clamp = places.owner
            if not isinstance(clamp, graph.ClampOp) or number(clamp.min) or number(clamp.max) != len(table) - 1:
                return
            places = clamp.x
        filled = np.append(table, np.full(BYTES, table[-1], table.dtype))[:BYTES]
        constant = new_constant(filled, name_for(op, "table"), self.store)
        gathered = graph.GatherOp(constant.y, places, axis=0, nonnegative_indices=True, in_range=True)
        copy_provenance(gathered, op)
        rewriter.replace(op, [constant, gathered], [gathered.y])


@frozen
class FillTablesPass(ModulePass):
    name = "graph-fill-tables"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, GatherByLimitedBytes(weights_of(ctx)))
