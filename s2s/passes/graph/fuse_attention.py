"""Outline an attention as one kernel: scores, their softmax, and the weighted sum of values.

    %s = graph.matmul %q, %k {transpose_b} : …          // [heads, queries, keys]
    %m = graph.add %s, %mask : …
    %p = graph.softmax %m {axis = 2} : …
    %o = graph.matmul %p, %v : …
->
    func.func private @attention(%q, %k, %mask, %v) attributes {kernel} {
      %s = graph.matmul %q, %k {transpose_b} …
      %m = graph.add %s, %mask …
      %e = graph.exp (%m - graph.reduce_max %m)
      %o = graph.matmul %e, %v …
      %y = graph.mul %o, graph.reciprocal (graph.reduce_sum %e)
    }

The division by the sum moves behind the second product, where there are fewer elements, and becomes a multiplication by
one reciprocal per query. `tensor-tile-and-fuse` then processes blocks of queries, so that scores never exist whole.
Any elementwise operations may stand between product and softmax (a scale, a mask that is added, multiplied or
selected by), and factors of the keys behind it (scales of quantised values). Reshapes, transposes and slices that only
lead to queries, keys and values, and a transpose of the result, join the kernel, where they become access maps.

Declined for integers, for few queries (scores are short then), for a softmax along another axis, and where a value
between the two products has another use.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import DEVICE, is_kernel
from s2s.decisions.chooser import Chooser
from s2s.decisions.fusion import TOGETHER, AttentionDecision
from s2s.decisions.operators import OperatorGroup
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind
from s2s.dialects.graph.base import GraphOp, type_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.passes.graph.fuse_ops.outline import outline, placed_name, without_border_reshapes
from s2s.support.frozen import frozen
from s2s.types.dtypes import is_float

MIN_QUERIES = 8
"""Minimum number of queries: with fewer, the scores are no larger than the keys."""


class Attention(NamedTuple):
    """The operations of one attention, from scores to weighted values, in dataflow order."""

    scores: graph.MatmulOp
    between: tuple[Operation, ...]
    """The elementwise operations from the scores to the softmax."""
    softmax: graph.SoftmaxOp
    after: tuple[graph.ReshapeOp | graph.MulOp, ...]
    """The reshapes, and the products with factors, from the softmax to the second product."""
    weighted: graph.MatmulOp

    @property
    def ops(self) -> list[Operation]:
        """All operations in dataflow order."""
        return [self.scores, *self.between, self.softmax, *self.after, self.weighted]


def attention_of(weighted: graph.MatmulOp, queries: int = MIN_QUERIES) -> Attention | None:
    """Match an attention with at least `queries` queries that ends in the product `weighted`; None if there is none."""
    if weighted.transpose_a is not None or not is_float(type_of(weighted.y).element_type):
        return None
    after: list[graph.ReshapeOp | graph.MulOp] = []
    value = weighted.a
    while (step := _step_before(value)) is not None:
        after.insert(0, step[0])
        value = step[1]
    softmax = value.owner
    if not isinstance(softmax, graph.SoftmaxOp) or softmax.axis.value.data != len(_shape(value)) - 1:
        return None
    chain = _chain(softmax.x)
    if chain is None or len(_shape(value)) < 2 or _shape(value)[-2] < queries:
        return None
    found = Attention(chain[0], tuple(chain[1]), softmax, tuple(after), weighted)
    return found if _inside(found.ops[:-1], found.ops) else None


def _step_before(value: SSAValue) -> tuple[graph.ReshapeOp | graph.MulOp, SSAValue] | None:
    """The operation between a softmax and `value`, and what it changes; None if it is neither a reshape that keeps the
    rows nor a product with a factor for each column."""
    match value.owner:
        case graph.ReshapeOp() as op if _keeps_rows(op):
            return op, op.x
        case graph.MulOp() as op:
            for kept, factor in ((op.a, op.b), (op.b, op.a)):
                if _shape(kept) == _shape(value) and _shape(factor)[-2:-1] in ((), (1,)):
                    return op, kept
        case _:
            pass
    return None


def _chain(value: SSAValue) -> tuple[graph.MatmulOp, list[Operation]] | None:
    """The product that `value` is computed from elementwise, and the operations in between."""
    op = value.owner
    if isinstance(op, graph.MatmulOp):
        return op, []
    if not isinstance(op, Operation):
        return None
    joins = fusion_kind(op) <= FusionKind.BROADCAST or (isinstance(op, graph.ReshapeOp) and _keeps_rows(op))
    if not joins or isinstance(op, graph.ConstantInterface):
        return None
    for operand in op.operands:
        same = _shape(operand) == _shape(value) or isinstance(op, graph.ReshapeOp)
        found = _chain(operand) if same else None
        if found is not None:
            return found[0], [*found[1], op]
    return None


def _keeps_rows(op: graph.ReshapeOp) -> bool:
    """Whether a reshape keeps the last two dimensions."""
    return _shape(op.x)[-2:] == _shape(op.y)[-2:] and len(_shape(op.y)) >= 2


def _shape(value: SSAValue) -> tuple[int, ...]:
    return type_of(value).get_shape()


def _inside(ops: Iterable[Operation], members: Sequence[Operation]) -> bool:
    """Whether only `members` use the results of `ops`."""
    return all(use.operation in members for op in ops for result in op.results for use in result.uses)


def with_moves(attention: Attention) -> list[Operation]:
    """The operations of `attention` and the adjacent ones that only move elements, in the order of their block."""
    members = list(attention.ops)
    found: dict[Operation, None] = {}
    pending = [attention.scores.a, attention.scores.b, attention.weighted.b]
    while pending:
        op = pending.pop().owner
        if isinstance(op, graph.ViewInterface) and op not in found:
            found[op] = None
            pending.append(op.moved)
    joining = list(found)
    while leaving := [op for op in joining if not _inside([op], [*joining, *members])]:
        joining = [op for op in joining if op not in leaving]
    after = _transpose_behind(attention.weighted)
    wanted = {*joining, *members, *after}
    block = attention.weighted.parent_block()
    assert block is not None
    return [op for op in block.ops if op in wanted]


def _transpose_behind(weighted: graph.MatmulOp) -> list[Operation]:
    user = weighted.y.get_user_of_unique_use()
    return [user] if isinstance(user, graph.TransposeOp) else []


def divide_last(attention: Attention) -> list[Operation]:
    """Decompose the softmax, with its division behind the second product; return the new operations."""
    softmax, weighted = attention.softmax, attention.weighted
    rank = len(_shape(softmax.x))
    largest = graph.ReduceMaxOp(softmax.x, axes=[rank - 1], keepdims=True)
    shifted = graph.SubOp(softmax.x, largest.y)
    powers = graph.ExpOp(shifted.y, nonpositive=True)
    total = graph.ReduceSumOp(powers.y, axes=[rank - 1], keepdims=True)
    share = graph.ReciprocalOp(total.y)
    first: list[GraphOp] = [largest, shifted, powers, total, share]
    for op in first:
        copy_provenance(op, softmax)
    shares: list[GraphOp] = [share]
    for op in attention.after:
        if not isinstance(op, graph.ReshapeOp):
            continue
        shares.append(graph.ReshapeOp(shares[-1].results[0], [*_shape(op.y)[:-1], 1]))
        copy_provenance(shares[-1], op)
    product = graph.MatmulOp(
        powers.y if not attention.after else weighted.a, weighted.b, transpose_b=weighted.transpose_b is not None
    )
    quotient = graph.MulOp(product.y, shares[-1].results[0])
    copy_provenance(product, weighted)
    copy_provenance(quotient, softmax)
    for op, hint in ((largest, "largest"), (powers, "powers"), (share, "share")):
        op.results[0].name_hint = hint
    softmax.x.name_hint = "scores"
    quotient.y.name_hint = weighted.y.name_hint
    last: list[GraphOp] = [*shares[1:], product, quotient]
    Rewriter.insert_op(first, InsertPoint.before(softmax))
    softmax.y.replace_all_uses_with(powers.y)
    Rewriter.erase_op(softmax)
    Rewriter.insert_op(last, InsertPoint.before(weighted))
    weighted.y.replace_all_uses_with(quotient.y)
    Rewriter.erase_op(weighted)
    return [attention.scores, *attention.between, *first, *attention.after, *last]


@frozen
class FuseAttentionPass(ModulePass):
    name = "graph-fuse-attention"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.body.block.ops if isinstance(function, FuncOp)]
        names = UniqueNames([function.sym_name.data for function in functions])
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for function in functions:
                if is_kernel(function) or not function.body.blocks:
                    continue
                for attention in _decided(op, function, chooser):
                    around = [inner for inner in with_moves(attention) if inner not in attention.ops]
                    device = attention.weighted.attributes.get(DEVICE)
                    wanted = {*around, *divide_last(attention)}
                    ops = without_border_reshapes([inner for inner in function.body.block.ops if inner in wanted])
                    if device is not None:
                        ops[-1].attributes[DEVICE] = device
                    name = names.make(placed_name("attention", ops))
                    op.body.block.insert_op_before(outline(name, ops, weights_of(ctx)), function)


def _decided(home: ModuleOp, function: FuncOp, chooser: Chooser) -> Iterator[Attention]:
    """Yield the attentions that get a kernel, each after the ones before have been outlined."""
    for weighted in [inner for inner in function.body.block.ops if isinstance(inner, graph.MatmulOp)]:
        attention = attention_of(weighted) if weighted.parent is not None else None
        if attention is None:
            continue
        if chooser.choose(AttentionDecision(), OperatorGroup(home, tuple(attention.ops))) == TOGETHER:
            yield attention
