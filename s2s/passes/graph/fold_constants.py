"""Evaluate operations with constant operands at compile time.

    %w = graph.weight "w" {hash = "…"} : tensor<64x32xf32>
    %t = graph.transpose %w {perm = array<i64: 1, 0>} : (tensor<64x32xf32>) -> tensor<32x64xf32>
->
    %t = graph.weight "w_transpose" {hash = "…"} : tensor<32x64xf32>

Declined when the result is large and has more than twice the elements of all operands (flash would grow to save
time), when evaluation takes long, or when an operand is not constant. Splats stay one element.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.numbers.known_values import is_known, is_splat, known_values, map_lazily
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind
from s2s.interpret.graph import can_evaluate, evaluate
from s2s.interpret.graph.work import is_foldable
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant, weight_name
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type, size_in_bytes, tensor_type
from s2s.types.weights import WeightStore


@frozen
class FoldConstantsPass(ModulePass):
    """Evaluate operations on constants; results of up to `small` bytes are always folded."""

    name = "graph-fold-constants"
    small: int = 4096

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        for candidate in list(op.walk()):
            if _is_constant(candidate) and self._pays(candidate):
                _fold(candidate, weights)

    def _pays(self, op: Operation) -> bool:
        kind = as_tensor_type(op.results[0].type)
        known = sum(as_tensor_type(operand.type).element_count() for operand in op.operands)
        count = kind.element_count()
        if fusion_kind(op) == FusionKind.OUT_FUSABLE and not is_foldable(op):
            return False
        return count <= 2 * known or count * size_in_bytes(kind.element_type) <= self.small


def _is_constant(op: Operation) -> bool:
    """Whether the operation can be evaluated, has only constant operands, and is not a constant itself."""
    if isinstance(op, graph.ConstantOp | graph.SizedOp) or not can_evaluate(op):
        return False
    return all(map(is_known, op.operands))


def _fold(op: Operation, weights: WeightStore) -> None:
    """Replace `op` by its value."""
    operands = known_values(op.operands, weights) or []
    value = _evaluate_splats(op, operands) if _is_elementwise_on_splats(op, operands) else evaluate(op, operands)[0]
    mnemonic = op.name.removeprefix("graph.")
    source = next(filter(None, map(weight_name, op.operands)), None)
    folded = new_constant(value, f"{source}_{mnemonic}" if source else name_for(op, "value"), weights)
    folded.y.name_hint = op.results[0].name_hint or folded.y.name_hint
    copy_provenance(folded, op)
    Rewriter.replace_op(op, folded)


def _is_elementwise_on_splats(op: Operation, operands: Sequence[Array]) -> bool:
    return (
        fusion_kind(op) <= FusionKind.BROADCAST
        and not isinstance(op, graph.BatchNormOp)
        and bool(operands)
        and all(map(is_splat, operands))
    )


def _evaluate_splats(op: Operation, operands: Sequence[Array]) -> Array:
    """Evaluate an elementwise operation on splats, using one element."""

    def of_scalars(*scalars: Array) -> Array:
        results = [tensor_type(as_tensor_type(result.type).element_type, ()) for result in op.results]
        inputs = [graph.ConstantOp(scalar).y for scalar in scalars]
        return evaluate(type(op).create(operands=inputs, result_types=results, properties=op.properties), scalars)[0]

    return map_lazily(of_scalars, *operands)
