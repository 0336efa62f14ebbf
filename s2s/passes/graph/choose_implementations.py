"""Replace operators by the implementations that programs have registered for them.

    %y = graph.conv %x, %w {…} : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>) -> tensor<1x4x5x5xf32>
->
    %a = graph.reshape %w : …
    %b = graph.reshape %x : …
    %c = graph.matmul %a, %b : …
    %y = graph.reshape %c : … -> tensor<1x4x5x5xf32>

Which implementation an operator gets is a decision (`s2s/decisions/implementation.py`), by default that of the highest
priority whose condition holds. Declined for operators without a registered strategy, and where the compiler's own
implementation is chosen.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.decisions.chooser import Chooser
from s2s.decisions.implementation import (
    IMPLEMENTATION,
    Implementation,
    ImplementationKind,
    ImplementedOperator,
    has_strategies,
    implementations_of,
)
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import GraphOp
from s2s.errors import InputError
from s2s.passes.context import given_of, target_of, weights_of
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore


@frozen
class ChooseImplementationsPass(ModulePass):
    name = "graph-choose-implementations"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not has_strategies():
            return
        target = target_of(ctx, self.target)
        found = [(each, implementations_of(each, target)) for each in op.walk() if isinstance(each, GraphOp)]
        subjects = [ImplementedOperator(op, (each,), known) for each, known in found if known]
        with Chooser(given_of(ctx), target) as chooser:
            for subject in subjects:
                chooser.choose(ImplementationKind(), subject)
        for subject in subjects:
            _obey(subject, weights_of(ctx))


def _obey(subject: ImplementedOperator, store: WeightStore) -> None:
    """Replace an operator as decided."""
    [op] = subject.ops
    chosen = op.attributes.pop(IMPLEMENTATION, None)
    for each in subject.implementations:
        if isinstance(chosen, StringAttr) and each.name == chosen.data and isinstance(op, GraphOp):
            _replace(op, each, store)


def _replace(op: GraphOp, implementation: Implementation, store: WeightStore) -> None:
    """Put what an implementation builds in the place of `op`."""
    body = implementation.build(op, store)
    last = body.last_op
    if not isinstance(last, ReturnOp) or [each.type for each in last.operands] != [op.y.type]:
        raise InputError(f"implementation {implementation.name} of {op.name}: it returns no {op.y.type}; mend it")
    for each in body.ops:
        copy_provenance(each, op)
    Rewriter.inline_block(body, InsertPoint.before(op), list(op.operands))
    [result] = last.operands
    Rewriter.replace_op(op, [], [result])
    Rewriter.erase_op(last)
