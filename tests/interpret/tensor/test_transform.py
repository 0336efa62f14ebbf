"""The meaning of `tensor.transform`, against matrices written out."""

import numpy as np
from xdsl.dialects.func import FuncOp

from s2s.interpret.tensor import run_tensor
from support.parse import parse

TEXT = """
func.func private @k(%x: tensor<5x6xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = tensor.transform [2, 3] left dense<[[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]> : tensor<2x3xf32>
      right dense<[[1.0, 0.0, -1.0], [0.5, 1.0, 0.0]]> : tensor<2x3xf32>
      read(%x at #tensor.access<affine_map<(ty, tx, k, l) -> (2 * ty + k, 2 * tx + l - 1)>, guarded>)
      epilogue(%b at #tensor.access<affine_map<(ty, tx, i, j) -> (2 * ty + i, 2 * tx + j)>>)
      into #tensor.access<affine_map<(ty, tx, i, j) -> (2 * ty + i, 2 * tx + j)>, guarded> apply {
  ^bb0(%acc: f32, %bv: f32):
    %s = arith.addf %acc, %bv : f32
    tensor.yield %s : f32
  } : (tensor<5x6xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %y : tensor<3x5xf32>
}"""
LEFT = np.array([[1, 2, 0], [0, 1, 3]])
RIGHT = np.array([[1, 0, -1], [0.5, 1, 0]])


def test_tiles_are_multiplied_from_both_sides_and_clipped_at_the_end():
    rng = np.random.default_rng(1)
    x, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 6), (3, 5)))
    (function,) = parse(TEXT).body.block.ops
    assert isinstance(function, FuncOp)
    (found,) = run_tensor(function, [x, b])
    padded = np.pad(x.astype(np.float64), ((0, 1), (1, 2)))
    whole = np.empty((4, 6))
    for ty in range(2):
        for tx in range(3):
            tile = padded[2 * ty : 2 * ty + 3, 2 * tx : 2 * tx + 3]
            whole[2 * ty : 2 * ty + 2, 2 * tx : 2 * tx + 2] = LEFT @ tile @ RIGHT.T
    np.testing.assert_allclose(found, whole[:3, :5] + b, rtol=1e-6, atol=1e-6)
