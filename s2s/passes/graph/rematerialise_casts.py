"""Rematerialise widening casts at each reader, so that the tensors between kernels keep the narrow type.

    %f = graph.cast %q : (tensor<8xi8>) -> tensor<8xf32>
    %s = graph.sub %f, %zero_point
    graph.reduce_sum %s …
    graph.mul %s, …
->
    %f0 = graph.cast %q …
    %s0 = graph.sub %f0, %zero_point
    graph.reduce_sum %s0 …
    %f1 = graph.cast %q …
    %s1 = graph.sub %f1, %zero_point
    graph.mul %s1, …

`graph-fuse-ops` then fuses each copy into its reader. Copies that end up in one kernel are merged there.
Declined for values with one reader, for those with a reader that cannot compute its operand on the fly (a
convolution, an output of the network), and for more than a conversion, a difference and a product with constants.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind
from s2s.dialects.graph.traits import fusion_kind
from s2s.types.dtypes import as_tensor_type, is_integer, size_in_bytes


class RematerialiseCastsPass(ModulePass):
    """Duplicate widening casts for each reader."""

    name = "graph-rematerialise-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in reversed(list(op.walk())):
            if isinstance(each, graph.CastOp | graph.SubOp | graph.MulOp) and _is_widened(each):
                _repeat(each)


def _is_widened(op: Operation) -> bool:
    """Whether `op` converts small integers to a larger type, or combines such a conversion with a constant."""
    if isinstance(op, graph.CastOp):
        source, target = (as_tensor_type(value.type).element_type for value in (op.x, op.y))
        return is_integer(source) and size_in_bytes(source) < size_in_bytes(target) and not is_known(op.x)
    if not isinstance(op, graph.SubOp | graph.MulOp) or op.a.type != op.y.type or not is_known(op.b):
        return False
    return isinstance(op.a.owner, Operation) and _is_widened(op.a.owner)


def _repeat(op: Operation) -> None:
    uses = list(op.results[0].uses)
    if any(fusion_kind(use.operation) > FusionKind.REDUCTION for use in uses):
        return
    for use in uses[1:]:
        copy = op.clone()
        copy.results[0].name_hint = op.results[0].name_hint
        Rewriter.insert_op(copy, InsertPoint.before(op))
        use.operation.operands[use.index] = copy.results[0]
