"""Products in blocks whose constants lose their sign: the same numbers at every level."""

from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from s2s.dialects import graph, loop
from s2s.interpret.graph import run_graph
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor import run_tensor
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.passes.graph.quantize_activations import QuantizeActivationsPass
from s2s.pipeline import pipeline
from s2s.targets import Target, get_target
from s2s.targets.intrinsics import VNNI_BY_UNSIGNED, VNNI_SIGNED
from s2s.types.dtypes import Array
from support.kernels import rand

BY_UNSIGNED = replace(get_target("x86-64-v4"), name="vnni", intrinsics=(VNNI_BY_UNSIGNED, VNNI_SIGNED))


def product(rows: int, zero_points: bool) -> tuple[CompilerContext, ModuleOp, Array]:
    """A product with 32 rows of constants in three blocks of 32, and its input."""
    ctx = CompilerContext()
    arrays = {"w": rand(32, 3, 32, dtype=np.int8, seed=1), "s": rand(32, 3, seed=2)}
    arrays |= {"z": rand(32, 3, dtype=np.int8, seed=3)} if zero_points else {}
    types = {"w": "tensor<32x3x32xi8>", "s": "tensor<32x3xf32>", "z": "tensor<32x3xi8>"}
    for name, array in arrays.items():
        ctx.weights.add(name, array)
    weights = "\n".join(f'%{name} = graph.weight "{name}" {{hash = "{name}"}} : {types[name]}' for name in arrays)
    text = f"""func.func @main(%x: tensor<{rows}x96xf32>) -> tensor<{rows}x32xf32> {{
      {weights}
      %y = graph.blockwise_matmul %x, {", ".join(f"%{name}" for name in arrays)} {{bits = 8 : i64, int8_activations}}
        : (tensor<{rows}x96xf32>, {", ".join(types[name] for name in arrays)}) -> tensor<{rows}x32xf32>
      func.return %y : tensor<{rows}x32xf32>
    }}"""
    return ctx, Parser(ctx, text).parse_module(), rand(rows, 96)


def levels(target: Target, rows: int, *, zero_points: bool = False) -> tuple[ModuleOp, list[Array]]:
    """The module at loop level, and the results at graph, tensor and loop level."""
    ctx, module, x = product(rows, zero_points)
    ctx.targets[target.name] = target
    QuantizeActivationsPass().apply(ctx, module)
    passes, found = pipeline(CompileOptions(target=target)), [run_graph(module, [x], ctx.weights)[0]]
    for level in ("graph", "tensor", "loop"):
        for each in passes[level]:
            each.apply(ctx, module)
            module.verify()
        if level == "tensor":
            found.append(run_tensor(module, [x], ctx.weights)[0])
    found.append(run_loop(module, [x], ctx.weights)[0].reshape(rows, 32))
    return module, found


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("zero_points", [False, True], ids=["symmetric", "zero points"])
def test_all_levels_give_the_same_sums(rows: int, zero_points: bool):
    module, (expected, *found) = levels(BY_UNSIGNED, rows, zero_points=zero_points)
    for numbers in found:
        np.testing.assert_allclose(numbers, expected, rtol=1e-5, atol=1e-3)
    (dot,) = {op.intrinsic.entry.data for op in module.walk() if isinstance(op, loop.IntrinsicOp)}
    assert dot == "vnni-by-unsigned"


def test_constants_keep_their_sign_without_such_an_instruction():
    module, _ = levels(get_target("x86-64-v4"), 1)
    assert not any(isinstance(op, arith.ExtUIOp) for op in module.walk())


def test_lookups_read_the_constant_without_sign_and_flip_it_back():
    """The last layer and the embedding are one weight."""
    ctx, w = CompilerContext(), rand(32, 3, 32, dtype=np.int8, seed=1)
    for name, array in (("w", w), ("s", rand(32, 3, seed=2))):
        ctx.weights.add(name, array)
    text = """func.func @main(%x: tensor<1x96xf32>, %t: tensor<1xi64>) -> (tensor<1x32xf32>, tensor<1x3x32xf32>) {
      %w = graph.weight "w" {hash = "w"} : tensor<32x3x32xi8>
      %s = graph.weight "s" {hash = "s"} : tensor<32x3xf32>
      %y = graph.blockwise_matmul %x, %w, %s {bits = 8 : i64, int8_activations}
        : (tensor<1x96xf32>, tensor<32x3x32xi8>, tensor<32x3xf32>) -> tensor<1x32xf32>
      %rows = graph.gather %w, %t {axis = 0 : i64} : (tensor<32x3x32xi8>, tensor<1xi64>) -> tensor<1x3x32xi8>
      %z = graph.cast %rows : (tensor<1x3x32xi8>) -> tensor<1x3x32xf32>
      func.return %y, %z : tensor<1x32xf32>, tensor<1x3x32xf32>
    }"""
    module = Parser(ctx, text).parse_module()
    ctx.targets[BY_UNSIGNED.name] = BY_UNSIGNED
    QuantizeActivationsPass().apply(ctx, module)
    passes, inputs = pipeline(CompileOptions(target=BY_UNSIGNED)), [rand(1, 96), np.array([7])]
    for level in ("graph", "tensor"):
        for each in passes[level]:
            each.apply(ctx, module)
            module.verify()
    weights = [op.weight_name.data for op in module.walk() if isinstance(op, graph.WeightOp)]
    assert [name for name in weights if name.startswith("w")] == ["w_unsigned_packed"]
    _, found = run_tensor(module, inputs, ctx.weights)
    np.testing.assert_array_equal(found, w[7:8].astype(np.float32))
