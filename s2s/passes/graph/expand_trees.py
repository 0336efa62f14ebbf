"""Replace ensembles of decision trees by walks over tables of their nodes, unless they become branches.

    %y = graph.tree_ensemble %x {targets = 2, …} : (tensor<4x5xf32>) -> tensor<4x2xf32>
->
    at[n, t] = root of tree t
    as often as the deepest tree has levels: at = x[n, feature[at]] <= split[at] ? yes[at] : no[at]
    %y = graph.reduce_sum of weights[at[n, t]] over t

A leaf is the next row of itself. Which of the two an ensemble becomes is a decision (`s2s/decisions/trees.py`). One
that becomes branches is split by targets; what each says of its target is then lowered as it is:

    %y = graph.concat(graph.tree_ensemble %x {targets = 1, …}, graph.tree_ensemble %x {targets = 1, …})
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.decisions.chooser import Chooser
from s2s.decisions.trees import FORM, TABLES, Ensemble, EnsembleKind
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import GraphOp, type_of
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, to_numpy
from s2s.types.trees import ABSENT, COMPARISONS, Trees, weight_table
from s2s.types.weights import WeightStore

_COMPARE = (graph.LessEqualOp, graph.LessOp, graph.GreaterEqualOp, graph.GreaterOp, graph.EqualOp)
"""By the numbers of `s2s.types.trees.COMPARISONS`."""
NOT_EQUAL = COMPARISONS.index("!=")


class Tables:
    """Appends the walk over the tables of one ensemble."""

    def __init__(self, op: graph.TreeEnsembleOp, rewriter: PatternRewriter, store: WeightStore) -> None:
        self.op, self.rewriter, self.store = op, rewriter, store
        self.trees: Trees = op.trees
        self.dtype = to_numpy(type_of(op.x).element_type)
        self.index = np.min_scalar_type(self.trees.rows)

    def run(self) -> SSAValue:
        """Return the aggregated weights of the leaves."""
        op, absent = self.op, ABSENT[self.op.aggregate.data]
        weights = weight_table(self.trees.rows, op.targets.value.data, op.weights, self.dtype, absent)
        picked = self._add(graph.GatherOp(self._constant(weights, "weights"), self._leaves(), axis=0))
        kinds = {"min": graph.ReduceMinOp, "max": graph.ReduceMaxOp}
        y = self._add(kinds.get(op.aggregate.data, graph.ReduceSumOp)(picked, axes=[1], keepdims=False))
        if not absent:
            return y
        unknown = self._add(graph.IsInfOp(y, detect_negative=True, detect_positive=True))
        return self._add(graph.SelectOp(unknown, self._constant(np.zeros((), self.dtype), "none"), y))

    def _add(self, op: GraphOp) -> SSAValue:
        copy_provenance(op, self.op)
        return self.rewriter.insert(op).y

    def _constant(self, array: Array, name: str) -> SSAValue:
        return self.rewriter.insert(new_constant(array, name_for(self.op, name), self.store)).y

    def _leaves(self) -> SSAValue:
        """The row of the leaf of each sample and tree."""
        trees, roots = self.trees, np.array(self.op.trees.roots)
        samples, levels = type_of(self.op.x).get_shape()[0], trees.levels() or 0
        columns = self._columns()
        if not levels:
            first = self._constant(roots.astype(self.index)[None], "roots")
            return self._add(graph.BroadcastToOp(first, [samples, len(roots)]))
        of_roots = {name: self._constant(column[roots][None], f"first_{name}") for name, column in columns.items()}
        features = self._constant(columns["feature"][roots], "first_feature")
        at = self._next(self._add(graph.GatherOp(self.op.x, features, axis=1)), of_roots)
        tables = {name: self._constant(column, name) for name, column in columns.items()} if levels > 1 else {}
        for _ in range(levels - 1):
            here = {name: self._add(graph.GatherOp(table, at, axis=0)) for name, table in tables.items()}
            at = self._next(self._add(graph.GatherElementsOp(self.op.x, here["feature"], axis=1)), here)
        return at

    def _columns(self) -> dict[str, Array]:
        """The columns that a step reads."""
        trees = self.trees
        feature = np.array(trees.features)
        columns: dict[str, Array] = {
            "feature": feature.astype(np.min_scalar_type(int(feature.max(initial=0)))),
            "split": np.array(trees.splits).astype(self.dtype),
            "yes": np.array(trees.yes).astype(self.index),
            "no": np.array(trees.no).astype(self.index),
        }
        if any(trees.missing):
            columns["missing"] = np.array(trees.missing, np.bool_)
        if len(self._comparisons()) > 1:
            columns["comparison"] = np.array(trees.comparisons, np.uint8)
        return columns

    def _comparisons(self) -> Sequence[int]:
        trees = self.trees
        return sorted({code for row, code in enumerate(trees.comparisons) if not trees.is_leaf(row)}) or [0]

    def _next(self, value: SSAValue, here: dict[str, SSAValue]) -> SSAValue:
        """The row after a comparison of `value`."""
        codes = self._comparisons()
        holds = self._compared(codes[0], value, here["split"])
        for code in codes[1:]:
            this = self._constant(np.array(code, np.uint8), "code")
            is_this = self._add(graph.EqualOp(here["comparison"], this))
            holds = self._add(graph.SelectOp(is_this, self._compared(code, value, here["split"]), holds))
        if "missing" in here:
            unknown = self._add(graph.LogicalAndOp(self._add(graph.IsNanOp(value)), here["missing"]))
            holds = self._add(graph.LogicalOrOp(holds, unknown))
        return self._add(graph.SelectOp(holds, here["yes"], here["no"]))

    def _compared(self, code: int, value: SSAValue, split: SSAValue) -> SSAValue:
        if code == NOT_EQUAL:
            return self._add(graph.LogicalNotOp(self._add(graph.EqualOp(value, split))))
        return self._add(_COMPARE[code](value, split))


def _roots_by_target(op: graph.TreeEnsembleOp) -> Sequence[Sequence[int]]:
    """For each target the roots of the trees that may say something of it."""
    trees, found = op.trees, [list[int]() for _ in range(op.targets.value.data)]
    spoken_of: dict[int, set[int]] = {}
    for row, target, _ in op.weights:
        spoken_of.setdefault(row, set()).add(target)
    for root in trees.roots:
        for target in sorted({target for row in trees.leaves_below(root) for target in spoken_of.get(row, ())}):
            found[target].append(root)
    return found


def _subject(op: graph.TreeEnsembleOp, home: ModuleOp) -> Ensemble:
    samples, targets = type_of(op.y).get_shape()
    size = to_numpy(type_of(op.x).element_type).itemsize
    weights = weight_table(op.trees.rows, targets, op.weights, np.dtype(np.float64))
    by_target = [
        replace(op.trees, roots=tuple(roots)).without_equal_sides(weights[:, target].tolist())
        for target, roots in enumerate(_roots_by_target(op))
    ]
    return Ensemble(home, (op,), op.trees, by_target, samples, targets * size, op.aggregate.data == "sum")


class Expand(WeightPattern):
    """Replace an ensemble by the walk over its tables where that is decided."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TreeEnsembleOp, rewriter: PatternRewriter) -> None:
        form = op.attributes.pop(FORM, None)
        if form == StringAttr(TABLES):
            rewriter.replace(op, [], [Tables(op, rewriter, self.store).run()])
        elif form is not None and op.targets.value.data > 1:
            rewriter.replace(op, [], [_by_target(op, rewriter)])


def _by_target(op: graph.TreeEnsembleOp, rewriter: PatternRewriter) -> SSAValue:
    """An ensemble for each target, with the trees that speak of it."""
    parts: list[SSAValue] = []
    for target, roots in enumerate(_roots_by_target(op)):
        weights = [(row, 0, weight) for row, spoken_of, weight in op.weights if spoken_of == target]
        trees = replace(op.trees, roots=tuple(roots) or op.trees.roots[:1])
        one = graph.TreeEnsembleOp(op.x, trees=trees, weights=weights, targets=1)
        copy_provenance(one, op)
        parts.append(rewriter.insert(one).y)
    joined = graph.ConcatOp(parts, axis=1)
    copy_provenance(joined, op)
    return rewriter.insert(joined).y


@frozen
class ExpandTreesPass(ModulePass):
    name = "graph-expand-trees"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for each in op.walk():
                if isinstance(each, graph.TreeEnsembleOp):
                    chooser.choose(EnsembleKind(), _subject(each, op))
        rewrite(op, Expand(weights_of(ctx)))
