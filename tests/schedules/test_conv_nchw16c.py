"""The schedule of `conv_nchw16c.mlir`, compiled by gcc, gives the numbers of the graph dialect's convolution."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from s2s.data.samples import sample
from s2s.dialects import graph
from s2s.interpret.graph import evaluate
from s2s.passes.context import CompilerContext
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.types.dtypes import tensor_type
from support.c_kernels import CompiledKernels

TEXT = Path(__file__).with_name("conv_nchw16c.mlir")
X, W, B = (1, 64, 8, 8), (64, 64, 3, 3), (64,)


def lowered(ctx: CompilerContext) -> ModuleOp:
    module = Parser(ctx, TEXT.read_text(encoding="utf-8")).parse_module()
    PackConstantsPass().apply(ctx, module)
    LowerToLoopPass().apply(ctx, module)
    module.verify()
    return module


@pytest.mark.parametrize("flags", [("-O1", "-DS2S_SIMD_PORTABLE"), ("-O2", "-march=native", "-ffp-contract=fast")])
def test_compiled_schedule_gives_the_numbers_of_the_operator(tmp_path: Path, flags: tuple[str, ...]) -> None:
    x, w, b = (sample(name, tensor_type(f32, shape)) for name, shape in (("x", X), ("w", W), ("b", B)))
    values = test.TestOp(result_types=[tensor_type(f32, shape) for shape in (X, W, B)]).results
    conv = graph.ConvOp(*values, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1)
    (expected,) = evaluate(conv, [x, w, b])
    ctx = CompilerContext()
    ctx.weights.add("w", w)
    ctx.weights.add("b", b)
    module = lowered(ctx)
    for main in [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"]:
        main.detach()
    kernels = CompiledKernels(module, tmp_path, flags)
    blocked = np.asarray(x.reshape(1, 4, 16, 8, 8).transpose(0, 1, 3, 4, 2), order="C")
    y = np.zeros_like(blocked)
    kernels.run("conv_3x3", [y, blocked, ctx.weights.get("w_packed"), b])
    found = y.transpose(0, 1, 4, 2, 3).reshape(1, 64, 8, 8)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
