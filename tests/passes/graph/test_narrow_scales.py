"""Scales that products and lookups share become float16 for both."""

import numpy as np
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.narrow_scales import NarrowScalesPass
from support.kernels import rand

TEXT = """func.func @main(%x: tensor<1x96xf32>, %t: tensor<1xi64>) -> (tensor<1x32xf32>, tensor<1x3xf32>) {
  %w = graph.weight "w" {hash = "w"} : tensor<32x3x32xi8>
  %s = graph.weight "s" {hash = "s"} : tensor<32x3xf32>
  %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64}
    : (tensor<1x96xf32>, tensor<32x3x32xi8>, tensor<32x3xf32>) -> tensor<1x32xf32>
  %z = graph.gather %s, %t {axis = 0 : i64} : (tensor<32x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  func.return %y, %z : tensor<1x32xf32>, tensor<1x3xf32>
}"""


def test_lookups_read_the_scales_that_products_read():
    ctx, scales = CompilerContext(), rand(32, 3, seed=2).astype(np.float16).astype(np.float32)
    ctx.weights.add("w", rand(32, 3, 32, dtype=np.int8, seed=1))
    ctx.weights.add("s", scales)
    module, inputs = Parser(ctx, TEXT).parse_module(), [rand(1, 96), np.array([7])]
    expected = run_graph(module, inputs, ctx.weights)
    NarrowScalesPass().apply(ctx, module)
    module.verify()
    read = [op for op in module.walk() if isinstance(op, graph.BlockwiseMatmulOp | graph.GatherOp)]
    hashes = {
        each.hash.data for op in read for each in (v.owner for v in op.operands) if isinstance(each, graph.WeightOp)
    }
    assert len(hashes - {"w"}) == 1
    for found, wanted in zip(run_graph(module, inputs, ctx.weights), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
