"""Programs of PT2E quantisers: pairs of quantise and dequantise become integer kernels."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Any

import numpy as np
import pytest
import torch
import torch.ao.quantization.fx._decomposed  # pyright: ignore[reportUnusedImport]  # registers the operators
from torch import Tensor, nn
from xdsl.dialects.builtin import i32

from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions

OPS: Any = torch.ops.quantized_decomposed
RANGE = (-128, 127, torch.int8)


class Quantised(nn.Module):
    """What a quantiser makes of a convolution and a linear layer."""

    conv: Tensor
    linear: Tensor

    def __init__(self, per_channel: bool) -> None:
        super().__init__()
        self.per_channel = per_channel
        self.register_buffer("conv", torch.randint(-127, 128, (4, 2, 3, 3), dtype=torch.int8))
        self.register_buffer("linear", torch.randint(-127, 128, (3, 4), dtype=torch.int8))
        self.bias = nn.Parameter(torch.randn(4) * 0.1)

    def weight(self, values: Tensor) -> Tensor:
        if not self.per_channel:
            return OPS.dequantize_per_tensor(values, 0.01, 0, *RANGE)
        scales, zeros = torch.linspace(0.005, 0.02, values.shape[0]), torch.zeros(values.shape[0], dtype=torch.int64)
        return OPS.dequantize_per_channel(values, scales, zeros, 0, *RANGE)

    def step(self, x: Tensor, scale: float, zero: int) -> Tensor:
        return OPS.dequantize_per_tensor(OPS.quantize_per_tensor(x, scale, zero, *RANGE), scale, zero, *RANGE)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.nn.functional.conv2d(self.step(x, 0.03, 5), self.weight(self.conv), self.bias)
        x = self.step(torch.relu(self.step(x, 0.05, -3)), 0.05, -3).mean((2, 3))
        return self.step(torch.nn.functional.linear(self.step(x, 0.04, 0), self.weight(self.linear)), 0.1, 7)


def settled(module: nn.Module, x: Tensor) -> Any:
    exported = frontend.export(module, [x])
    return Compilation(exported, CompileOptions(target="c", name="net")).at("settle")


def test_layers_between_pairs_compute_with_integers():
    for per_channel in (False, True):
        module = settled(Quantised(per_channel), torch.randn(1, 2, 6, 6)).module
        layers = [op for op in module.walk() if isinstance(op, graph.ConvOp | graph.MatmulOp)]
        assert [op.y.type.element_type for op in layers] == [i32, i32]


def test_integers_are_those_of_torch_within_one_step():
    torch.manual_seed(3)
    for per_channel in (False, True):
        module, x = Quantised(per_channel), torch.randn(1, 2, 6, 6)
        state = settled(module, x)
        (found,) = run_graph(state.module, [x.numpy()], state.weights)
        steps = np.abs(found - module(x).detach().numpy()) / 0.1
        assert np.round(steps).max() <= 1


def test_dynamic_quantisation_gives_what_torch_gives():
    class Dynamic(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            scale, zero = OPS.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
            y = OPS.quantize_per_tensor.tensor(x, scale, zero, *RANGE)
            return OPS.dequantize_per_tensor.tensor(y, scale, zero, *RANGE)

    x = torch.randn(2, 5)
    imported = frontend.import_model(frontend.load_model(frontend.export(Dynamic(), [x])))
    (found,) = run_graph(imported.module, [x.numpy()], imported.weights)
    np.testing.assert_allclose(found, Dynamic()(x).numpy(), rtol=1e-4, atol=1e-5)


class Chosen(nn.Module):
    """Parameters that are chosen at run time, from all elements or from each row."""

    def __init__(self, operator: str) -> None:
        super().__init__()
        self.operator = operator

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if self.operator == "choose_qparams_symmetric":
            scale, zero = OPS.choose_qparams_symmetric.tensor(x, -127, 127, 1e-6, torch.int8)
            y = OPS.quantize_per_tensor.tensor(x, scale, zero, *RANGE)
            return OPS.dequantize_per_tensor.tensor(y, scale, zero, *RANGE), scale, zero
        scale, zero = getattr(OPS, self.operator)(x, torch.int8)
        y = OPS.quantize_per_token(x, scale, zero, *RANGE)
        return OPS.dequantize_per_token(y, scale, zero, *RANGE, torch.float32), scale, zero


@pytest.mark.parametrize(
    "operator", ["choose_qparams_symmetric", "choose_qparams_per_token", "choose_qparams_per_token_asymmetric"]
)
def test_parameters_chosen_at_run_time_are_those_of_torch(operator: str):
    torch.manual_seed(4)
    x, module = torch.randn(3, 2, 7), Chosen(operator)
    imported = frontend.import_model(frontend.load_model(frontend.export(module, [x])))
    found = run_graph(imported.module, [x.numpy()], imported.weights)
    for ours, wanted in zip(found, module(x), strict=True):
        assert ours.shape == wanted.shape
        np.testing.assert_allclose(ours, wanted.numpy(), rtol=1e-6, atol=1e-6)


def test_conversions_that_are_not_fused_are_casts():
    class Halves(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return OPS.convert_element_type.no_fuse(x, torch.float16)

    x = torch.randn(5)
    imported = frontend.import_model(frontend.load_model(frontend.export(Halves(), [x])))
    (found,) = run_graph(imported.module, [x.numpy()], imported.weights)
    np.testing.assert_array_equal(found, x.half().numpy())


def test_weights_with_a_scale_for_each_group_stay_packed():
    class Grouped(nn.Module):
        weight: Tensor
        scales: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("weight", torch.randint(-8, 8, (24, 64), dtype=torch.int8))
            self.register_buffer("scales", torch.rand(24, 4) + 0.1)

        def forward(self, x: Tensor) -> Tensor:
            arguments = self.scales, torch.ones(24, 4), -8, 7, torch.int8, 16, torch.float32
            return nn.functional.linear(x, OPS.dequantize_per_channel_group(self.weight, *arguments))

    torch.manual_seed(6)
    module, x = Grouped(), torch.randn(3, 64)
    state = settled(module, x)
    assert "(tensor<3x64xf32>, tensor<24x4x8xi8>, tensor<24x4xf32>, tensor<24x4xi8>)" in str(state.module)
    (found,) = run_graph(state.module, [x.numpy()], state.weights)
    np.testing.assert_allclose(found, module(x).numpy(), rtol=1e-5, atol=1e-4)
