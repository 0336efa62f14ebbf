"""Products of activations that are quantised by blocks stay within the stated bound of the exact ones."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.blockwise import unpack_blocks
from s2s.passes.context import CompilerContext
from s2s.passes.graph.quantize_activations import QuantizeActivationsPass
from s2s.types.dtypes import Array, type_of_array
from support.kernels import rand


def bound(x: Array, w: Array, scales: Array, zero: Array | None, bits: int) -> Array:
    """The bound of the docstring of the pass, for each result."""
    q = unpack_blocks(w, bits) - (0 if zero is None else zero[..., None].astype(np.float64))
    blocks = np.zeros((len(x), w.shape[1], q.shape[-1]))
    blocks.reshape(len(x), -1)[:, : x.shape[-1]] = x
    largest = np.abs(blocks).max(axis=-1)
    return np.einsum("ib,jb->ij", largest / 254, np.abs(q * scales[..., None]).sum(axis=-1))


def product(x: Array, constants: list[Array], bits: int) -> tuple[CompilerContext, ModuleOp]:
    """A module with one product of `x` with weights in blocks."""
    ctx = CompilerContext()
    names = [ctx.weights.add(f"c{number}", array) for number, array in enumerate(constants)]
    types = [str(type_of_array(array)) for array in constants]
    weights = "".join(
        f'%{name} = graph.weight "{name}" {{hash = "{name}"}} : {type}\n'
        for name, type in zip(names, types, strict=True)
    )
    y = f"tensor<{len(x)}x{len(constants[0])}xf32>"
    text = f"""func.func @main(%x: {type_of_array(x)}) -> {y} {{
      {weights}
      %y = graph.blockwise_matmul %x, {", ".join("%" + name for name in names)} {{bits = {bits} : i64}}
        : ({", ".join([str(type_of_array(x)), *types])}) -> {y}
      func.return %y : {y}
    }}"""
    return ctx, Parser(ctx, text).parse_module()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("columns", [64, 50])
@pytest.mark.parametrize("zero", [None, rand(5, 2, dtype=np.int8, seed=3) >> 4, rand(5, 2, seed=3)], ids=repr)
def test_results_move_by_no_more_than_the_bound(bits: int, columns: int, zero: Array | None):
    x = rand(3, columns) * np.asarray([[1], [1e3], [0]], np.float32)
    w, scales = rand(5, 2, 4 * bits, dtype=np.int8, seed=1), rand(5, 2, seed=2)
    constants = [w, scales, *([] if zero is None else [zero])]
    ctx, module = product(x, constants, bits)
    (exact,) = run_graph(module, [x], ctx.weights)
    QuantizeActivationsPass().apply(ctx, module)
    module.verify()
    (found,) = run_graph(module, [x], ctx.weights)
    assert not any(isinstance(op, graph.BlockwiseMatmulOp) for op in module.walk())
    assert (np.abs(found - exact) <= bound(x, w, scales, zero, bits) * 1.001 + 1e-6).all()
