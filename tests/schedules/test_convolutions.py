"""The choice between a convolution as it is and by tiles, as measured on a core with vectors of 512 bits."""

import pytest
from xdsl.dialects.func import FuncOp

from s2s.analysis.structure.convolutions import Convolution, convolution_of
from s2s.dialects import tensor
from s2s.schedules.convolutions import cycles_by_outputs
from s2s.targets import get_target
from support.parse import parse


def convolution(size: int, in_channels: int, out_channels: int) -> Convolution:
    """A square image in blocks of 16 channels."""
    ic, oc = in_channels // 16, out_channels // 16
    x, w = f"tensor<{ic}x{size}x{size}x16xf32>", f"tensor<{out_channels}x{in_channels}x3x3xf32>"
    y = f"tensor<{oc}x{size}x{size}x16xf32>"
    module = parse(f"""
    func.func private @k(%x: {x}, %w: {w}) -> {y} {{
      %y = tensor.compute [{oc}, {size}, {size}, 16 | {ic}, 16, 3, 3]
        reads(%x at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (i, h + r - 1, w + s - 1, q)>, guarded>,
              %w at #tensor.access<affine_map<(o, h, w, p, i, q, r, s) -> (o * 16 + p, i * 16 + q, r, s)>>)
        inits [0.0 : f32] reduce {{
      ^bb0(%xv: f32, %wv: f32, %acc: f32):
        %p = arith.mulf %xv, %wv : f32
        %s = arith.addf %acc, %p : f32
        tensor.yield %s : f32
      }} apply {{
      ^bb0(%acc: f32):
        tensor.yield %acc : f32
      }} : ({x}, {w}) -> {y}
      func.return %y : {y}
    }}""")
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    first = function.body.block.first_op
    assert isinstance(first, tensor.ComputeOp)
    found = convolution_of(first)
    assert found is not None
    return found


SMALL, LARGE = 4 << 20, 64 << 20
"""Bytes of constants of networks that stay in the last cache, and that do not."""


@pytest.mark.parametrize(
    ("network", "size", "in_channels", "out_channels", "expected"),
    [
        (LARGE, 56, 64, 64, 4),
        (LARGE, 28, 128, 128, 4),
        (LARGE, 14, 256, 256, 2),
        (LARGE, 7, 512, 512, 1),
        (SMALL, 14, 256, 256, 4),
        (SMALL, 14, 64, 64, 4),
        (SMALL, 7, 256, 256, 2),
        (SMALL, 4, 512, 512, 1),
        (SMALL, 55, 16, 64, 4),
        (SMALL, 27, 32, 128, 4),
        (SMALL, 13, 64, 256, 4),
        (SMALL, 32, 16, 16, 4),
        (SMALL, 16, 32, 32, 4),
    ],
)
def test_the_model_chooses_what_was_measured_to_be_fastest(
    network: int, size: int, in_channels: int, out_channels: int, expected: int
):
    conv = convolution(size, in_channels, out_channels)
    cycles = cycles_by_outputs(conv, get_target("x86-64-v4"), network)
    assert min(cycles, key=lambda outputs: cycles[outputs]) == (expected, expected)
