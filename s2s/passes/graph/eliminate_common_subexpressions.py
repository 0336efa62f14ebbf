"""Merge pure operations that compute the same value.

    %a = graph.exp %x {node = "Exp_1"} : tensor<4xf32>
    %b = graph.exp %x {node = "Exp_2"} : tensor<4xf32>
    %c = graph.add %a, %b : …
->
    %a = graph.exp %x {node = "Exp_1, Exp_2"} : tensor<4xf32>
    %c = graph.add %a, %a : …

Weights are equal when their contents are; with `weights = "names"`, for programs that run with other values of them,
when their names are too. xDSL's `cse` would distinguish operations with different `node` attributes;
this pass ignores that attribute and joins it. Declined for operations that are not pure or hold regions.
"""

from collections.abc import Callable, Hashable
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import Commutative, is_side_effect_free

from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.traits import DESCRIPTIVE
from s2s.support.frozen import frozen


@frozen
class EliminateCommonSubexpressionsPass(ModulePass):
    """Replace each pure operation that repeats an earlier one of its block."""

    name = "graph-eliminate-common-subexpressions"

    weights: str = "values"
    """What tells weights apart: their `values`, or their `names` too; a small array has none, and no equal then."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, FuncOp):
                for block in function.body.blocks:
                    _simplify(block, _meaning if self.weights == "values" else _meaning_of_any_values)


def _simplify(block: Block, meaning: Callable[[Operation], Hashable]) -> None:
    known: dict[Hashable, Operation] = {}
    for op in list(block.ops):
        if op.regions or not is_side_effect_free(op):
            continue
        first = known.setdefault(meaning(op), op)
        if first is not op:
            copy_provenance(first, op)
            Rewriter.replace_op(op, [], first.results)


def _meaning_of_any_values(op: Operation) -> Hashable:
    """The key where weights have other values in other runs: of arrays, what is one."""
    if isinstance(op, graph.WeightOp):
        return (op.name, op.weight_name, op.hash, op.y.type)
    if isinstance(op, graph.ConstantOp) and prod(type_of(op.y).get_shape()) > 1:
        return op
    return _meaning(op)


def _meaning(op: Operation) -> Hashable:
    """A key that is equal for two operations exactly if they always yield the same values."""
    if isinstance(op, graph.WeightOp):
        return (op.name, op.hash, op.y.type)
    operands: Hashable = tuple(op.operands)
    if op.has_trait(Commutative):
        operands = frozenset(op.operands) if len(set(op.operands)) > 1 else operands
    attributes = frozenset((name, value) for name, value in op.attributes.items() if name not in DESCRIPTIVE)
    return (op.name, operands, frozenset(op.properties.items()), attributes, tuple(op.result_types))
