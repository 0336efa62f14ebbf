# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Programs of PyTorch that `s2s quantize` takes: pairs of PT2E, integers in C, and the report."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import i32

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import Tensor, nn

from s2s.cli.main import run
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.quantization import Quantized, quantize
from s2s.types.dtypes import Array
from support.torch_networks import NETWORKS

SAMPLES = {"x": np.random.default_rng(0).standard_normal((12, 2, 8, 8)).astype(np.float32)}


class Images(nn.Module):
    """Convolutions with a norm, a residual, pooling, a linear layer, and a softmax that stays in floats."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.depthwise, self.last = nn.Conv2d(4, 4, 3, groups=4, padding=1), nn.Linear(16, 3)
        self.norm.running_mean = torch.linspace(-0.3, 0.4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.norm(self.first(x)))
        x = nn.functional.max_pool2d(torch.relu_(x + self.depthwise(x)), 4)
        return self.last(x.flatten(1)).softmax(-1)


@pytest.fixture(scope="module")
def program() -> Any:
    torch.manual_seed(2)
    return frontend.export(Images().eval(), [torch.randn(1, 2, 8, 8)])


def quantised(program: Any, **options: Any) -> Quantized:
    return quantize(program, SAMPLES, **options)


def through_torch(program: Any, x: Array) -> Array:
    with torch.no_grad():
        return program.module()(torch.from_numpy(x)).numpy()


def test_layers_compute_with_integers_as_torch_does(program: Any):
    made = quantised(program).model
    state = Compilation(made, CompileOptions(target="c", name="net")).at("settle")
    layers = [op for op in state.module.walk() if isinstance(op, graph.ConvOp | graph.MatmulOp)]
    assert [op.y.type.element_type for op in layers] == [i32] * 3
    for x in SAMPLES["x"][:4, None]:
        (found,) = run_graph(state.module, [x], state.weights)
        np.testing.assert_allclose(found, through_torch(made, x), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(found, through_torch(program, x), atol=0.03)


PARAMETRISATIONS = {
    "weight norm": nn.utils.parametrizations.weight_norm,
    "older weight norm": nn.utils.weight_norm,
    "spectral norm": nn.utils.parametrizations.spectral_norm,
    "orthogonal": nn.utils.parametrizations.orthogonal,
}


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", PARAMETRISATIONS)
def test_weights_that_are_computed_from_parameters_are_folded(name: str):
    torch.manual_seed(3)
    parametrised = PARAMETRISATIONS[name]
    module = nn.Sequential(
        parametrised(nn.Conv2d(2, 4, 3)), nn.ReLU(), parametrised(nn.Conv2d(4, 3, 3)), nn.Flatten(), nn.Linear(48, 5)
    )
    program = frontend.export(module.eval(), [torch.randn(1, 2, 8, 8)])
    made = quantize(program, {"input": SAMPLES["x"]})
    assert made.floats == ()
    x = SAMPLES["x"][:1]
    np.testing.assert_allclose(through_torch(made.model, x), through_torch(program, x), atol=0.1)


def test_what_stays_in_floats_has_a_reason():
    class Dynamic(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.sin(nn.functional.conv2d(x, x[:, :, :3, :3])).relu()

    made = quantize(frontend.export(Dynamic(), [torch.randn(1, 2, 8, 8)]), SAMPLES)
    assert [(node.operator, node.reason) for node in made.floats] == [
        ("conv2d", "its weights are computed in the run"),
        ("sin", "the quantiser has no integer form of it"),
        ("relu", "it reads floats of sin"),
    ]


class Attention(nn.Module):
    """Transposed convolutions, and products of activations."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.grouped = nn.ConvTranspose2d(2, 3, 3, stride=2), nn.ConvTranspose2d(2, 4, 2, groups=2)

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.up(x).flatten(2), self.grouped(x).flatten(2)
        return torch.matmul(torch.softmax(torch.matmul(values.transpose(1, 2), values), -1), keys[:, :, :81].mT)


def test_transposed_convolutions_and_products_of_activations_compute_with_integers():
    torch.manual_seed(2)
    program = frontend.export(Attention().eval(), [torch.randn(1, 2, 8, 8)])
    made = quantize(program, SAMPLES)
    assert [node.operator for node in made.floats] == []
    state = Compilation(made.model, CompileOptions(target="c", name="net")).at("settle")
    layers = [op for op in state.module.walk() if isinstance(op, graph.ConvTransposeOp | graph.MatmulOp)]
    assert [op.y.type.element_type for op in layers] == [i32] * 4
    for x in SAMPLES["x"][:2, None]:
        (found,) = run_graph(state.module, [x], state.weights)
        step = np.diff(np.unique(found)).min()
        assert np.abs(found - through_torch(made.model, x)).max() <= 1.01 * step
        np.testing.assert_allclose(found, through_torch(program, x), atol=0.05)


@pytest.mark.parametrize("name", ["vit", "bert", "llama"])
def test_transformers_have_no_product_of_activations_in_floats(name: str):
    module, inputs = NETWORKS[name]()
    program = frontend.export(module, list(inputs))
    ports = frontend.load_model(program).program.inputs
    random = np.random.default_rng(0)
    samples: dict[str, Array] = {}
    for port, x in zip(ports, inputs, strict=True):
        shape = (4, *x.shape)
        real = x.dtype.is_floating_point
        samples[port.name] = random.normal(size=shape).astype(np.float32) if real else random.integers(0, 2, shape)
    made = quantize(program, samples)
    assert {"scaled_dot_product_attention", "linear", "softmax"}.isdisjoint(node.operator for node in made.floats)
    assert min(layer.sqnr for layer in made.layers) > 28
    state = Compilation(made.model, CompileOptions(target="c", name="net")).at("settle")
    products = [op for op in state.module.walk() if isinstance(op, graph.MatmulOp)]
    kinds = [op.y.type.element_type for op in products]
    assert len(kinds) >= 7
    assert kinds == [i32] * len(kinds)
    given = [samples[port.name][0] for port in ports]
    found = run_graph(state.module, given, state.weights)[0]
    with torch.no_grad():
        result: Any = module(*(torch.from_numpy(each) for each in given))
    wanted = (result["logits"] if isinstance(result, dict) else result).numpy()
    assert np.square(found - wanted).sum() < 10**-2.8 * np.square(wanted).sum()


def test_biases_are_integers_in_the_scale_of_the_sums_so_that_torch_rounds_as_integers_do():
    """Of 32,000 results one lies so near the middle between two steps that the order of sums decides; 37 differed where
    C alone had rounded the biases."""
    torch.manual_seed(5)
    x = np.random.default_rng(0).normal(size=(1, 2000, 16)).astype(np.float32)
    program = frontend.export(nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 16)).eval(), [torch.tensor(x)])
    made = quantize(program, {frontend.load_model(program).program.inputs[0].name: x[None]})
    state = Compilation(made.model, CompileOptions(target="c", name="net")).at("settle")
    (found,) = run_graph(state.module, [x], state.weights)
    assert np.count_nonzero(np.abs(found - through_torch(made.model, x)) > 1e-5) <= 3


class Tied(nn.Module):
    """Products with constant matrices, the last one the table of the embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.inner = nn.Embedding(50, 16), nn.Linear(16, 16)
        self.matrix, self.bias = nn.Parameter(torch.randn(16, 16) * 0.3), nn.Parameter(torch.randn(16))

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.relu(self.inner(self.table(tokens)) @ self.matrix)
        x = torch.addmm(self.bias, x.view(-1, 16), self.matrix).view(1, -1, 16)
        return x @ self.table.weight.T


def test_products_with_constants_are_layers_and_a_tied_table_is_stored_once():
    torch.manual_seed(4)
    module = Tied().eval()
    tokens = np.random.default_rng(0).integers(0, 50, (20, 1, 6))
    program = frontend.export(module, [torch.from_numpy(tokens[0])])
    made = quantize(program, {"tokens": tokens})
    assert made.floats == ()
    assert min(layer.sqnr for layer in made.layers) > 30
    assert made.weights_after < 0.6 * made.weights_before
    compilation = Compilation(made.model, CompileOptions(target="c", name="net"))
    state = compilation.at("settle")
    products = [op for op in state.module.walk() if isinstance(op, graph.MatmulOp)]
    assert [op.y.type.element_type for op in products] == [i32] * 4
    for sample in tokens[:4]:
        (found,) = run_graph(state.module, [sample], state.weights)
        step = np.diff(np.unique(found)).min()
        assert np.abs(found - through_torch(made.model, sample)).max() <= 1.01 * step
    table = [state.weights.get(name) for name in state.weights.names() if state.weights.get(name).shape == (50, 16)]
    assert [each.dtype for each in table] == [np.int8]


def test_the_report_has_each_activation_and_what_stays_in_floats(program: Any):
    made = quantised(program)
    assert [layer.operator for layer in made.layers] == ["relu", "conv2d", "relu", "max_pool2d", "view", "linear"]
    assert min(layer.sqnr for layer in made.layers) > 30
    assert [node.operator for node in made.floats] == ["softmax"]
    assert made.weights_after < made.weights_before
    assert made.as_dict()["samples"] == 12


@pytest.mark.parametrize("method", ["percentile", "entropy"])
def test_ranges_without_rare_values(program: Any, method: Any):
    assert min(layer.sqnr for layer in quantised(program, method=method).layers) > 10


def test_a_module_is_exported_on_samples_and_ports_may_be_integers():
    torch.manual_seed(3)
    module = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU()).eval()
    made = quantize(module, {"input": SAMPLES["x"]}, ports="int8")
    imported = frontend.import_model(frontend.load_model(made.model))
    assert "tensor<1x2x8x8xi8>" in str(imported.module).partition("func.func @main")[2].partition("{")[0]
    x = np.random.default_rng(1).integers(-128, 128, (1, 2, 8, 8), np.int8)
    (found,) = run_graph(imported.module, [x], imported.weights)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, through_torch(made.model, x))


@pytest.mark.parametrize("suffix", ["onnx", "tflite"])
def test_a_program_gets_no_name_of_another_format(
    suffix: str, program: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    torch.export.save(program, tmp_path / "net.pt2")
    np.savez(tmp_path / "samples.npz", x=SAMPLES["x"])
    target = tmp_path / f"small.{suffix}"
    given = ["--data", str(tmp_path / "samples.npz"), "-o", str(target)]
    assert run(["quantize", str(tmp_path / "net.pt2"), *given]) == 2
    assert "and PyTorch is written; end it in .pt2" in capsys.readouterr().err
    assert not target.exists()


def test_command_writes_a_program_that_compiles(program: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    torch.export.save(program, tmp_path / "net.pt2")
    np.savez(tmp_path / "samples.npz", x=SAMPLES["x"])
    data, target = str(tmp_path / "samples.npz"), tmp_path / "small.pt2"
    assert run(["quantize", str(tmp_path / "net.pt2"), "--data", data, "-o", str(target), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == str(target)
    calls = [call.target for call in frontend.load_model(target).program.graph.calls]
    assert "quantized_decomposed.quantize_per_tensor.default" in calls
    with pytest.raises(InputError, match="is quantised already; quantise the program of floats it was made of"):
        quantize(target, SAMPLES)


def test_ranges_are_cut_where_rare_values_take_the_steps_of_all_others():
    torch.manual_seed(3)
    net = nn.Sequential(nn.Conv2d(2, 6, 3), nn.ReLU(), nn.Conv2d(6, 4, 3), nn.Flatten(), nn.Linear(64, 3, bias=False))
    with torch.no_grad():
        next(net.parameters())[:, 1] = 0
    images = np.random.default_rng(1).standard_normal((24, 2, 8, 8)).astype(np.float32)
    images[3, 1, 4, 4] = 60
    program = frontend.export(net.eval(), [torch.from_numpy(images[:1])])
    plain, made = (quantize(program, {"input": images}, refine=refine) for refine in (False, True))
    steps = " ".join(made.refinements)
    assert "cut" in steps
    assert "weights rounded together in" in steps
    assert made.layers[-1].sqnr > plain.layers[-1].sqnr + 3
    state = Compilation(made.model, CompileOptions(target="c", name="net")).at("settle")
    for image in images[:4, None]:
        (found,) = run_graph(state.module, [image], state.weights)
        np.testing.assert_allclose(found, through_torch(made.model, image), rtol=1e-5, atol=1e-6)
