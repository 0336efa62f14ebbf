"""Lift quantised networks to integer arithmetic: replace dequantise, operate, quantise by integer operators.

    %x_real = (cast %x - x_zp) * x_scale
    %w_real = (cast %w) * w_scale
    %r = graph.conv %x_real, %w_real, %b_real
    %y = cast(clamp(round(%r / y_scale) + y_zp))
->
    %s = graph.conv %x, %w, %b {input_zp = …} : (tensor<…xi8>, tensor<…xi8>, tensor<…xi32>) -> tensor<…xi32>
    %y = cast(clamp(round((cast %s) * (x_scale * w_scale / y_scale)) + y_zp))

Handles matrix products, additions, multiplications, means and pools of quantised tensors as well. Operations that only
move values move integers; a relu before the quantisation becomes a clamp of integers; other functions of one 8-bit
tensor become tables. Integer sums are exact where floats would round, so results may differ from the floats by one
quantisation step, where a value lies close to the middle between two.

Declined when scales or zero points are not constant, are not positive, or vary along other dimensions than the output
channels of weights; when a bias is not constant; when a mean runs along an axis of varying size; and for other types
than f32 between the integers. These operations remain in floats.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.passes.context import weights_of
from s2s.passes.graph.lift_quantized.arithmetic import (
    QuantisedAddition,
    QuantisedAveragePool,
    QuantisedMean,
    QuantisedMultiplication,
    means_of_varying_sizes,
)
from s2s.passes.graph.lift_quantized.linear import BiasOfProduct, QuantisedConvolution, QuantisedProduct
from s2s.passes.graph.lift_quantized.movement import MoveOfReals, QuantisedMove
from s2s.passes.graph.lift_quantized.requantise import Requantisation
from s2s.passes.graph.lift_quantized.tables import QuantisedFunction
from s2s.passes.rewrite import rewrite


class LiftQuantizedPass(ModulePass):
    """Replace simulated quantisation by integer operators."""

    name = "graph-lift-quantized"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(
            op,
            QuantisedConvolution(store),
            QuantisedProduct(store),
            BiasOfProduct(store),
            MoveOfReals(store),
            QuantisedMultiplication(store),
            QuantisedMean(store, means_of_varying_sizes(op)),
            QuantisedAveragePool(store),
            QuantisedFunction(store),
            Requantisation(store),
            QuantisedMove(store),
            QuantisedAddition(store),
        )
