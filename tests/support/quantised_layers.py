"""Modules of one quantised layer, at graph level, with random weights, and their kernels as compiled C."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.parser import Parser

from s2s.decisions.decision import Prefer, Table
from s2s.decisions.given import Given
from s2s.dialects import loop
from s2s.interpret.graph import run_graph
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.pipeline import pipeline
from s2s.targets import Target
from s2s.types.dtypes import Array
from support.c_kernels import FLAGS, CompiledKernels

MAX_SCRATCH = 10_000
"""Elements of 16 bits that a kernel of these layers needs at most."""


@dataclass(frozen=True)
class Layer:
    """A convolution with channels last: its input, its window and its zero points."""

    image: tuple[int, int, int]
    outputs: int
    kernel: tuple[int, int] = (1, 1)
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1
    input_zp: int = -7
    output_zp: int = -128
    weight_zp: int = 0

    @property
    def out(self) -> tuple[int, int]:
        """Height and width of the output."""
        return self._out(0), self._out(1)

    def _out(self, k: int) -> int:
        room = self.image[k] + self.pads[k] + self.pads[k + 2] - self.dilations[k] * (self.kernel[k] - 1)
        return (room - 1) // self.strides[k] + 1

    def text(self) -> str:
        """The module."""
        h, w, c = self.image
        o, kh, kw = self.outputs, *self.kernel
        oh, ow = self.out
        x, y = f"tensor<1x{h}x{w}x{c}xi8>", f"tensor<1x{oh}x{ow}x{o}xi8>"
        acc, weight = f"tensor<1x{oh}x{ow}x{o}xi32>", f"tensor<{o}x{c // self.groups}x{kh}x{kw}xi8>"
        return f"""
func.func @main(%x: {x} {{name = "x"}}) -> ({y} {{name = "y"}}) {{
  %w = graph.weight "w" {{hash = "0"}} : {weight}
  %b = graph.weight "b" {{hash = "1"}} : tensor<{o}xi32>
  %m = graph.weight "m" {{hash = "2"}} : tensor<{o}xi32>
  %s = graph.weight "s" {{hash = "3"}} : tensor<{o}xi8>
  %sum = graph.conv %x, %w, %b {{strides = array<i64: {_ints(self.strides)}>, pads = array<i64: {_ints(self.pads)}>,
    dilations = array<i64: {_ints(self.dilations)}>, groups = {self.groups} : i64, layout = "NHWC",
    input_zp = {self.input_zp} : i64, weight_zp = {self.weight_zp} : i64}} : ({x}, {weight}, tensor<{o}xi32>) -> {acc}
  %y = graph.rescale %sum, %m, %s {{output_zp = {self.output_zp} : i64, rounding = "double", axis = 3 : i64}}
    : ({acc}, tensor<{o}xi32>, tensor<{o}xi8>) -> {y}
  func.return %y : {y}
}}"""

    def build(self, seed: int = 0, least: int = -127) -> tuple[CompilerContext, ModuleOp, Array]:
        """A context with weights from `least` on, the module, and an input."""
        rng = np.random.default_rng(seed)
        o, channels = self.outputs, self.image[2] // self.groups
        ctx = CompilerContext()
        terms = channels * self.kernel[0] * self.kernel[1]
        ctx.weights.add("w", rng.integers(least, 128, (o, channels, *self.kernel), dtype=np.int8))
        ctx.weights.add("b", rng.integers(-3000, 3000, o, dtype=np.int32))
        ctx.weights.add("m", rng.integers(2**30, 2**31 - 1, o, dtype=np.int32))
        ctx.weights.add("s", rng.integers(-3, 0, o, dtype=np.int8) - np.int8(5 + terms.bit_length() // 2))
        x = rng.integers(-128, 128, (1, *self.image), dtype=np.int8)
        module = Parser(ctx, self.text()).parse_module()
        module.verify()
        return ctx, module, x


def run_as_c(ctx: CompilerContext, module: ModuleOp, x: Array, size: int, folder: Path, *flags: str) -> Array:
    """The `size` bytes that the one kernel of `module`, which is at loop level, makes of `x`."""
    main = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    (call,) = [op for op in main.walk() if isinstance(op, CallOp)]
    buffers: list[Array] = []
    for argument in call.arguments:
        match argument.owner:
            case loop.WeightOp() as weight:
                buffers.append(np.asarray(ctx.weights.get(weight.weight.data), order="C"))
            case loop.ViewOp():
                buffers.append(np.zeros(MAX_SCRATCH, np.int16))
            case _:
                buffers.append(np.zeros(size, np.int8) if not buffers else x.reshape(-1))
    main.detach()
    CompiledKernels(module, folder, flags or FLAGS).run(call.callee.root_reference.data, buffers)
    return buffers[0]


def _ints(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))


def levels(
    layer: Layer,
    target: str | Target,
    *,
    least: int = -127,
    prefer: Prefer | None = None,
    choices: Table | None = None,
) -> tuple[CompilerContext, ModuleOp, list[Array]]:
    """The module at loop level, and the outputs found at graph, tensor and loop level; weights are `least` or more, and
    `choices` are the decisions of a user."""
    ctx, module, x = layer.build(least=least)
    ctx.given = Given(choices or {}, prefer=prefer)
    if isinstance(target, Target):
        ctx.targets[target.name] = target
    passes = pipeline(CompileOptions(target=target, prefer=prefer))
    found = [run_graph(module, [x], ctx.weights)[0]]
    for level in ("graph", "tensor", "loop"):
        for each in passes[level]:
            each.apply(ctx, module)
            module.verify()
        if level == "tensor":
            found.append(run_tensor(module, [x], ctx.weights)[0])
    found.append(run_loop(module, [x], ctx.weights)[0].reshape(found[0].shape))
    return ctx, module, found
