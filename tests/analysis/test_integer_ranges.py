"""Bounds of sums at tensor level: never below what inputs can reach, and no larger than the weights say."""

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.network.constants import calls_of
from s2s.analysis.numbers.integer_ranges import sum_interval
from s2s.dialects import graph, tensor
from s2s.options import CompileOptions
from s2s.pipeline import pipeline
from s2s.types.dtypes import Array
from support.quantised_layers import Layer

LAYERS = {
    "pointwise": Layer((3, 3, 16), 8),
    "window": Layer((5, 5, 3), 4, (3, 3), pads=(1, 1, 1, 1)),
    "depthwise": Layer((5, 5, 4), 4, (3, 3), pads=(1, 1, 1, 1), groups=4),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
@pytest.mark.parametrize("target", ["cortex-m4", "c"])
def test_sum_is_bounded_by_the_weights(layer: Layer, target: str) -> None:
    ctx, module, _ = layer.build()
    weights = ctx.weights.get("w").astype(np.int64)
    for level in ("graph", "tensor"):
        for each in pipeline(CompileOptions(target=target))[level]:
            each.apply(ctx, module)
    ((name, (call,)),) = calls_of(module).items()
    (func,) = [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name]
    (compute,) = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
    owners = zip(func.body.block.args, (operand.owner for operand in call.operands), strict=True)
    constants: dict[SSAValue, list[Array]] = {
        argument: [ctx.weights.get(owner.weight_name.data)]
        for argument, owner in owners
        if isinstance(owner, graph.WeightOp)
    }
    interval = sum_interval(compute, constants)
    per_channel = np.abs(weights).reshape(weights.shape[0], -1).sum(axis=1).max()
    with_zero_point, without = 127 - layer.input_zp, 128
    assert interval is not None
    assert interval[1] in (per_channel * with_zero_point, per_channel * without)
    assert interval[0] == -interval[1]
