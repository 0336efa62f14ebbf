"""`graph.tree_ensemble`: the sum of many decision trees."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, f64
from xdsl.irdl import operand_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, INTS, TENSOR, GraphOp, Value, integer, ints, string, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.dialects.trees import column_properties, trees_of
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import trees as shapes
from s2s.types.trees import Trees


@op_definition
class TreeEnsembleOp(GraphOp):
    """`y[n, k]` = the sum over all trees of what the leaf that row `x[n]` ends in says of target `k`.

    The tables have a row for each node, as `s2s.types.trees` describes; `leaf_rows`, `leaf_targets` and `leaf_weights`
    state the weights of leaves by target, of which those of the same leaf and target add up. With the aggregates `min`
    and `max` it is the least or greatest weight of all trees whose leaf speaks of the target, 0 where none does.

        %y = graph.tree_ensemble %x {targets = 1, aggregate = "sum", roots = array<i64: 0>, …}
               : (tensor<4x5xf32>) -> tensor<4x1xf32>

    As TreeEnsemble, version 5 of ai.onnx.ml.
    """

    name = "graph.tree_ensemble"
    x = operand_def(TENSOR)
    targets = prop_def(INT)
    aggregate = prop_def(StringAttr)
    roots = prop_def(INTS)
    features = prop_def(INTS)
    comparisons = prop_def(INTS)
    splits = prop_def(DenseArrayBase.constr(f64))
    yes = prop_def(INTS)
    no = prop_def(INTS)
    missing = prop_def(INTS)
    leaf_rows = prop_def(INTS)
    leaf_targets = prop_def(INTS)
    leaf_weights = prop_def(DenseArrayBase.constr(f64))
    traits = traits_def(HasFusionKind(FusionKind.REDUCTION))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        *,
        trees: Trees,
        weights: Sequence[tuple[int, int, float]],
        targets: int,
        aggregate: str = "sum",
    ) -> None:
        rows, spoken_of, values = zip(*weights, strict=True) if weights else ((), (), ())
        super().__init__(
            [x],
            {
                "targets": integer(targets),
                "aggregate": string(aggregate),
                "roots": ints(trees.roots),
                **column_properties(trees),
                "leaf_rows": ints(rows),
                "leaf_targets": ints(spoken_of),
                "leaf_weights": DenseArrayBase.from_list(f64, values),
            },
        )

    @property
    def trees(self) -> Trees:
        """The tables."""
        return trees_of(self, self.roots.get_values())

    @property
    def weights(self) -> Sequence[tuple[int, int, float]]:
        """Row of a leaf, target, weight."""
        columns = (self.leaf_rows.get_values(), self.leaf_targets.get_values(), self.leaf_weights.get_values())
        return list(zip(*columns, strict=True))

    def inferred_type(self) -> AnyTensor:
        return shapes.tree_ensemble(
            type_of(self.x), self.trees, self.weights, self.targets.value.data, self.aggregate.data
        )
