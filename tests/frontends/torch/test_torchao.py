# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUnknownParameterType=false
"""Programs that torchao's quantisers make, against torch: per tensor, per channel, per group, and dynamic."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from xdsl.dialects.builtin import i32

from s2s import api
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions

pytest.importorskip("torchao", reason="torchao is not installed")

from torchao.quantization.granularity import PerGroup, PerToken
from torchao.quantization.pt2e import _affine_quantization as affine
from torchao.quantization.pt2e import quantizer as specs
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
from torchao.quantization.quant_primitives import MappingType
from torchao.testing.pt2e import _xnnpack_quantizer as xnnpack

ROUNDED_BIAS = 3e-5
"""A bias is an integer in steps of the sums here, which are products of two scales, and a float in torch; a step of the
quantised results is a hundred times as much."""
LAYERS = graph.ConvOp | graph.MatmulOp


class Images(nn.Module):
    """A convolution with its norm, a sum, a depthwise convolution, pooling and a linear layer.

    No mean: sums of integers over a count are ties often, which the rounding errors of torch decide.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.depthwise, self.last = nn.Conv2d(4, 4, 3, groups=4), nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.norm(self.first(x)))
        return self.last(nn.functional.max_pool2d(self.depthwise(x + torch.relu(x)), 6).flatten(1))


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4))


class ByGroups(specs.Quantizer):
    """Weights of linear layers of 4 bits in groups of 16, activations of 8 bits with a scale per token."""

    def annotate(self, model: Any) -> Any:
        activations = affine.AffineQuantizedPlaceholderObserver.with_args(
            mapping_type=MappingType.ASYMMETRIC, target_dtype=torch.int8, granularity=PerToken(), eps=1e-6
        )
        weights = affine.AffineQuantizedMinMaxObserver.with_args(
            mapping_type=MappingType.SYMMETRIC,
            target_dtype=torch.int8,
            quant_min=-8,
            quant_max=7,
            granularity=PerGroup(16),
            eps=1e-6,
        )
        dynamic = specs.QuantizationSpec(torch.int8, activations, -128, 127, is_dynamic=True)
        static = specs.QuantizationSpec(torch.int8, weights, -8, 7)
        for node in model.graph.nodes:
            if node.target == torch.ops.aten.linear.default:
                inputs: Any = {node.args[0]: dynamic, node.args[1]: static}
                node.meta["quantization_annotation"] = specs.QuantizationAnnotation(inputs, _annotated=True)
        return model

    def validate(self, model: Any) -> None:
        """Anything goes."""


def symmetric(**options: bool) -> Any:
    return xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config(**options))


def for_x86() -> Any:
    return x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())


STATIC: dict[str, Callable[[], Any]] = {
    "per tensor": lambda: symmetric(is_per_channel=False),
    "per channel": lambda: symmetric(is_per_channel=True),
    "per channel, unsigned activations": for_x86,
}


def quantised(maker: Callable[[], nn.Module], quantizer: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The module that torchao converts, and its program."""
    torch.manual_seed(5)
    prepared = prepare_pt2e(torch.export.export(maker().eval(), (torch.randn(shape),)).module(), quantizer)
    for _ in range(4):
        prepared(torch.randn(shape))
    converted: Any = convert_pt2e(prepared)
    return converted, frontend.export(converted, [torch.randn(shape)])


@pytest.mark.parametrize("name", STATIC)
def test_static_programs_give_the_integers_of_torch(name: str):
    converted, program = quantised(Images, STATIC[name](), (1, 2, 8, 8))
    state = Compilation(program, CompileOptions(target="c", name="net")).at("settle")
    layers = [op for op in state.module.walk() if isinstance(op, LAYERS)]
    assert [op.y.type.element_type for op in layers] == [i32] * 3
    for seed in range(8):
        torch.manual_seed(seed)
        x = torch.randn(1, 2, 8, 8)
        (found,) = run_graph(state.module, [x.numpy()], state.weights)
        np.testing.assert_allclose(found, converted(x).detach().numpy(), rtol=0, atol=ROUNDED_BIAS)


@pytest.mark.parametrize(
    ("quantizer", "shape"),
    [(lambda: symmetric(is_per_channel=True, is_dynamic=True), (1, 32)), (ByGroups, (3, 32))],
)
def test_c_of_dynamic_programs_gives_what_torch_gives(quantizer: Callable[[], Any], shape: tuple[int, ...]):
    converted, program = quantised(perceptron, quantizer(), shape)
    with api.compile(program, target="c") as artifact:
        for seed in range(4):
            torch.manual_seed(seed)
            x = torch.randn(shape)
            (found,) = artifact.run({artifact.info.inputs[0].name: x.numpy()}).values()
            np.testing.assert_allclose(found, converted(x).detach().numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("most", "bits"), [(7, 4), (127, 8)])
def test_weights_by_groups_have_one_scale_for_each_group(most: int, bits: int):
    """They take as many bytes as in `MatMulNBits`: the integers, and four for each group of 16."""

    class Groups(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("weight", torch.randint(-most - 1, most + 1, (24, 64), dtype=torch.int8))
            self.register_buffer("scales", torch.rand(24, 4) / most)

        def forward(self, x: Tensor) -> Tensor:
            arguments: Any = ([1, 16], self.scales, None, torch.int8, -most - 1, most)
            return nn.functional.linear(x, torch.ops.torchao.dequantize_affine(self.weight, *arguments))

    torch.manual_seed(7)
    module, x = Groups(), torch.randn(2, 64)
    with api.compile(frontend.export(module, [x]), target="cortex-m4") as artifact:
        products = [op for op in artifact.compilation.at("settle").module.walk() if isinstance(op, LAYERS)]
        assert products == []
        assert artifact.report().weights == 24 * (64 * bits // 8 + 4 * 4)
    with api.compile(frontend.export(module, [x]), target="c") as artifact:
        (found,) = artifact.run({artifact.info.inputs[0].name: x.numpy()}).values()
    np.testing.assert_allclose(found, module(x).numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"])
def test_scales_of_blocks_are_those_of_torch(kind: str):
    class Blocks(nn.Module):
        def forward(self, x: Tensor) -> list[Tensor]:
            ops: Any = torch.ops.torchao
            found: list[Tensor] = []
            for block in ([4, 12], [1, 12], [2, 3]):
                scale, zero = ops.choose_qparams_affine(x, kind, block, torch.int8, -8, 7)
                q = ops.quantize_affine(x, block, scale, zero, torch.int8, -8, 7)
                y = ops.dequantize_affine(q, block, scale, zero, torch.int8, -8, 7)
                found += [scale, zero, q, y, ops.choose_qparams_affine(x, kind, block, torch.int8, keepdim=True)[0]]
            return found

    torch.manual_seed(6)
    x = torch.randn(4, 12)
    imported = frontend.import_model(frontend.load_model(frontend.export(Blocks(), [x])))
    for ours, theirs in zip(run_graph(imported.module, [x.numpy()], imported.weights), Blocks()(x), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("quantizer", [STATIC["per channel"], ByGroups])
def test_a_saved_program_is_read_by_a_process_that_knows_no_quantiser(quantizer: Callable[[], Any], tmp_path: Path):
    _, program = quantised(perceptron, quantizer(), (1, 32))
    torch.export.save(program, tmp_path / "net.pt2")
    code = "import sys; from s2s.frontends import torch; print(torch.load_model(sys.argv[1]).program.name)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "net.pt2")], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "net", done.stderr
