"""Prove that no accumulator of an integer layer overflows, for any input; widen accumulators that may.

    %s = graph.conv %x, %w, %b : (tensor<…xi8>, tensor<…xi8>, tensor<…xi32>) -> tensor<…xi32>
    %f = graph.cast %s : (tensor<…xi32>) -> tensor<…xf32>
->
    %c = graph.cast %b : (tensor<…xi32>) -> tensor<…xi64>
    %s = graph.conv %x, %w, %c {acc_type = i64} : … -> tensor<…xi64>
    %f = graph.cast %s : (tensor<…xi64>) -> tensor<…xf32>

The pass widens accumulators where the weights allow sums that 32 bits do not hold. The result differs from that of a
32-bit kernel only where that kernel overflows. Sums that are rescaled in fixed point cannot be wider: such a layer is
rejected.

Declined, so that sums wrap around, for layers whose sums are used as 32-bit integers (ONNX defines that these
overflow so), and where a bias is computed and has no known bounds.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.numbers.accumulators import SumBound, is_integer_layer, total_bound
from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance, provenance
from s2s.errors import UnsupportedError
from s2s.passes.context import weights_of
from s2s.types.dtypes import as_tensor_type, tensor_type


class ProveAccumulatorsPass(ModulePass):
    """Widen accumulators that may overflow."""

    name = "graph-prove-accumulators"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        refused: list[str] = []
        for layer in list(op.walk()):
            bound = total_bound(layer, store)
            if bound is None or bound.fits or bound.accumulator != i32 or not _is_bias_known(layer):
                continue
            chain = _readers(layer)
            if any(isinstance(reader, graph.RescaleOp) for reader in chain[-1]):
                refused.append(_refusal(layer, bound))
            elif all(isinstance(reader, graph.CastOp) for reader in chain[-1]) and chain[-1]:
                _widen(layer, chain[0])
        if refused:
            raise UnsupportedError("\n".join(refused))


def _is_bias_known(op: Operation) -> bool:
    return all(is_known(operand) for operand in op.operands[2:])


def _readers(layer: Operation) -> tuple[graph.AddOp | None, list[Operation]]:
    """The addition of a constant to a matrix product, if there is one, and the readers of the sums."""
    readers = [use.operation for use in layer.results[0].uses]
    if len(readers) == 1 and isinstance(readers[0], graph.AddOp) and any(map(is_known, readers[0].operands)):
        return readers[0], [use.operation for use in readers[0].y.uses]
    return None, readers


def _refusal(layer: Operation, bound: SumBound) -> str:
    name = ", ".join(provenance(layer)) or layer.name
    return (
        f"{name}: its weights and bias allow sums up to {bound.largest}, and 32 bits hold {2**31 - 1}; "
        "quantise it again, with smaller integers"
    )


def _widen(layer: Operation, addition: graph.AddOp | None) -> None:
    """Accumulate in `i64`; every reader converts from the wider type."""
    assert isinstance(layer, graph.LayerOp)
    assert is_integer_layer(layer)
    operands = list(layer.operands[:2])
    for bias in layer.operands[2:]:
        wide = graph.CastOp(bias, i64)
        copy_provenance(wide, layer)
        Rewriter.insert_op(wide, InsertPoint.before(layer))
        operands.append(wide.y)
    made = type(layer).create(
        operands=operands,
        result_types=[tensor_type(i64, as_tensor_type(layer.y.type).get_shape())],
        properties={**layer.properties, "acc_type": i64},
        attributes=dict(layer.attributes),
    )
    Rewriter.replace_op(layer, made)
    if addition is not None:
        position = 0 if addition.a is made.y else 1
        other = graph.CastOp(addition.operands[1 - position], i64)
        total = graph.AddOp(made.y, other.y)
        copy_provenance(other, addition)
        copy_provenance(total, addition)
        Rewriter.insert_op(other, InsertPoint.before(addition))
        Rewriter.replace_op(addition, total)
