"""Replace a weight by a rearranged, padded or transformed copy for the kernel that reads it.

    %w = graph.weight "w" : tensor<64x16xf32>
    … graph.call @kernel(%x, %w)
->
    %w = graph.weight "w_packed" : tensor<2x16x32xf32>
    … graph.call @kernel(%x, %w)
"""

from collections.abc import Callable, Sequence

from xdsl.ir import BlockArgument
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import graph
from s2s.types.dtypes import AnyTensor
from s2s.types.weights import Array, WeightStore


def remake_weight(
    argument: BlockArgument,
    new_type: AnyTensor,
    remake: Callable[[Array], Array],
    calls: Sequence[graph.CallOp],
    weights: WeightStore,
    *,
    suffix: str,
) -> None:
    """Change constant `argument` of a kernel to `new_type`, and pass `remake` of its values at each of its `calls`.

    The new weights are named after the old ones, with `_suffix` at the end; old weights without readers are erased. The
    caller updates the type of the kernel function.
    """
    Rewriter.replace_value_with_new_type(argument, new_type)
    for call in calls:
        old = call.operands[argument.index].owner
        assert isinstance(old, graph.WeightOp)
        name = weights.add(f"{old.weight_name.data}_{suffix}", remake(weights.get(old.weight_name.data)))
        new = graph.WeightOp(name, new_type, weights.hash(name))
        new.y.name_hint = old.y.name_hint
        Rewriter.insert_op(new, InsertPoint.before(call))
        call.operands[argument.index] = new.y
        if not old.y.uses:
            Rewriter.erase_op(old)
