"""Compute quantised networks in integers: what ONNX writes as dequantise, operate, quantise.

    %x_real = (cast %x - x_zp) * x_scale
    %w_real = (cast %w) * w_scale
    %r = graph.conv %x_real, %w_real, %b_real
    %y = cast(clamp(round(%r / y_scale) + y_zp))
->
    %s = graph.conv %x, %w, %b {input_zp = …} : (tensor<…xi8>, tensor<…xi8>, tensor<…xi32>) -> tensor<…xi32>
    %y = cast(clamp(round((cast %s) * (x_scale * w_scale / y_scale)) + y_zp))

Also matrix products, additions, multiplications, means and pools of quantised tensors; what only moves values moves
integers; a relu in between limits integers; other functions of one tensor of 8 bits become tables. Sums are exact where
floats would round, so results may differ from the floats by one step of the quantisation, where a value lies close to
the middle between two.

Declined when scales or zero points are not constants, are no positive numbers, or vary along anything but the output
channels of weights; when a bias is no constant; and for elements of other types than f32 between the integers. What is
declined stays as it is: correct, in floats.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from s2s.passes.context import weights_of
from s2s.passes.graph.lift_quantized.arithmetic import (
    QuantisedAddition,
    QuantisedAveragePool,
    QuantisedMean,
    QuantisedMultiplication,
)
from s2s.passes.graph.lift_quantized.linear import BiasOfProduct, QuantisedConvolution, QuantisedProduct
from s2s.passes.graph.lift_quantized.movement import MoveOfReals, QuantisedMove
from s2s.passes.graph.lift_quantized.requantise import Requantisation
from s2s.passes.graph.lift_quantized.tables import QuantisedFunction
from s2s.passes.rewrite import rewrite


@dataclass(frozen=True)
class LiftQuantizedPass(ModulePass):
    """Integer operators for quantised tensors."""

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
            QuantisedMean(store),
            QuantisedAveragePool(store),
            QuantisedFunction(store),
            Requantisation(store),
            QuantisedMove(store),
            QuantisedAddition(store),
        )
