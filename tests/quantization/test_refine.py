"""Refinements change no network of floats, and bring networks of 8 bits closer to it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.quantization.channels import observed
from s2s.quantization.equalize import equalize, watched
from s2s.quantization.noise import least_ratio, tensor_values
from s2s.quantization.onnx_network import OnnxNetwork
from s2s.types.dtypes import Array

pytest.importorskip("onnxruntime")

HEAD = '<ir_version: 8, opset_import: ["" : 17]> n (float[2, 3, 8, 8] x) => (float[2, 5] y)'
CHAINS = {
    "depthwise": """{ a = Conv <pads = [1, 1, 1, 1]> (x, first, b) r = Relu (a)
        c = Conv <group = 6, pads = [1, 1, 1, 1]> (r, deep, b6) s = Relu (c) p = GlobalAveragePool (s)
        f = Flatten (p) y = Gemm (f, dense) }""",
    "groups, leaky, pools": """{ a = Conv <pads = [1, 1, 1, 1]> (x, first, b) l = LeakyRelu (a)
        m = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (l) c = Conv <group = 2> (m, grouped, b4)
        p = GlobalMaxPool (c) f = Flatten (p) y = MatMul (f, four) }""",
    "blocks of a flattened tensor": """{ a = Conv <strides = [4, 4]> (x, first) r = Relu (a) f = Flatten (r)
        y = Gemm <transB = 1> (f, blocks) }""",
    "two readers": """{ a = Conv (x, first, b) r = Relu (a) c = Conv (r, second) d = Conv <strides = [1, 1]> (r, third)
        e = Add (c, d) p = GlobalAveragePool (e) f = Flatten (p) y = Gemm (f, four) }""",
    "normalisation": """{ p = GlobalAveragePool (x) f = Flatten (p) m = MatMul (f, three)
        k = LayerNormalization (m, b, b6) s = MatMul (k, dense) t = MatMul (k, further) y = Add (s, t) }""",
    "products with biases": """{ p = GlobalAveragePool (x) f = Flatten (p) m = MatMul (f, three) a = Add (m, b)
        r = Relu (a) n = MatMul (r, dense) y = Add (n, five) }""",
}
SHAPES = {
    "first": (6, 3, 3, 3),
    "deep": (6, 1, 3, 3),
    "grouped": (4, 3, 2, 2),
    "second": (4, 6, 3, 3),
    "b": (6,),
    "third": (4, 6, 3, 3),
    "dense": (6, 5),
    "further": (6, 5),
    "four": (4, 5),
    "blocks": (5, 24),
    "three": (3, 6),
    "b4": (4,),
    "five": (5,),
    "b6": (6,),
}
BEHIND = {"depthwise": 2, "groups, leaky, pools": 2, "blocks of a flattened tensor": 1, "two readers": 1}


def network(text: str, seed: int) -> onnx.ModelProto:
    """The model of a text with drawn weights, whose channels differ in size, and its shapes."""
    random = np.random.default_rng(seed)
    model: Any = onnx.parser.parse_model(f"{HEAD} {text}")
    helper: Any = onnx.numpy_helper
    for name in [name for name in SHAPES if any(name in node.input for node in model.graph.node)]:
        sizes = np.exp(random.uniform(-4, 4, SHAPES[name][0])).reshape(-1, *[1] * (len(SHAPES[name]) - 1))
        values = (random.standard_normal(SHAPES[name]) * sizes).astype(np.float32)
        model.graph.initializer.append(helper.from_array(values, name))
    for number, node in enumerate(model.graph.node):
        node.name = f"n{number}"
    return onnx.shape_inference.infer_shapes(model)


def drawn(count: int, shape: tuple[int, ...]) -> list[dict[str, Array]]:
    """Samples of an input `x`."""
    random = np.random.default_rng(0)
    return [{"x": random.standard_normal(shape).astype(np.float32)} for _ in range(count)]


def equalized(model: onnx.ModelProto, samples: list[dict[str, Array]]) -> int:
    """Equalise a model in place, and return behind how many layers."""
    seen = OnnxNetwork(model)
    tensors = watched(seen)
    return equalize(seen, observed(tensor_values(model, list(tensors), samples), tensors))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", CHAINS)
def test_equalised_channels_compute_the_same(kind: str, seed: int):
    model, samples = network(CHAINS[kind], seed), drawn(4, (2, 3, 8, 8))
    equal = onnx.ModelProto()
    equal.CopyFrom(model)
    assert equalized(equal, samples) == BEHIND.get(kind, 1)
    runs = zip(*(tensor_values(each, ["y"], samples) for each in (model, equal)), strict=True)
    assert least_ratio(("y", x["y"], y["y"]) for x, y in runs) > 100


@pytest.mark.parametrize(
    "between",
    [
        pytest.param("s = Sigmoid (a)", id="no factor passes"),
        pytest.param("s = Transpose <perm = [0, 1, 3, 2]> (a)", id="unknown"),
        pytest.param("s = Clip (a, low, high)", id="a lower bound"),
        pytest.param("s = Relu (a) k = Mul (s, s)", id="a reader that multiplies"),
    ],
)
def test_other_operators_stop_factors(between: str):
    text = f"""<float low = {{-1.0}}, float high = {{6.0}}> {{ a = Conv (x, first, b) {between} c = Conv (s, second)
        p = GlobalAveragePool (c) f = Flatten (p) y = Gemm (f, four) }}"""
    [first, *_] = (model := network(text, 0)).graph.node
    assert first.output[0] not in watched(OnnxNetwork(model))


def test_channels_at_the_bound_of_a_clip_stay_as_they_are():
    text = """<float zero = {0.0}, float six = {6.0}> { a = Conv (x, first, b) s = Clip (a, zero, six)
        c = Conv <group = 6> (s, deep, b6) p = GlobalAveragePool (c) f = Flatten (p) y = Gemm (f, dense) }"""
    model, samples = network(text, 1), drawn(8, (2, 3, 8, 8))
    before = OnnxNetwork(model).constant("first")
    reached = np.max([each["s"].max(axis=(0, 2, 3)) for each in tensor_values(model, ["s"], samples)], axis=0)
    equal = onnx.ModelProto()
    equal.CopyFrom(model)
    equalized(equal, samples)
    factors = np.abs(before).sum(axis=(1, 2, 3)) / np.abs(OnnxNetwork(equal).constant("first")).sum(axis=(1, 2, 3))
    at_bound = reached == 6
    assert 0 < at_bound.sum() < 6
    np.testing.assert_allclose(factors[at_bound], 1, rtol=1e-5)
    assert (factors[~at_bound & (reached > 0)] < 1).all()
    runs = zip(*(tensor_values(each, ["y"], samples) for each in (model, equal)), strict=True)
    assert least_ratio(("y", x["y"], y["y"]) for x, y in runs) > 100


def ratios(model: Any, samples: Mapping[str, Array]) -> tuple[list[float], tuple[str, ...]]:
    """The signal to noise ratio of the last layer, plain and refined, and what was refined."""
    made = [api.quantize(model, samples, refine=refine) for refine in (False, True)]
    return [each.layers[-1].sqnr for each in made], made[1].refinements


def of_all_sizes() -> tuple[onnx.ModelProto, Array]:
    """A network, and its samples: what makes channels large in front of an activation makes them small behind it."""
    model, random = network(CHAINS["depthwise"], 0), np.random.default_rng(0)
    sizes = np.exp(np.linspace(-4, 4, 6)).reshape(-1, 1, 1, 1)
    held = OnnxNetwork(model)
    for name in ("first", "deep", "dense"):
        held.replace(name, random.standard_normal(SHAPES[name]) * {"first": sizes, "deep": 1 / sizes}.get(name, 1))
    held.replace("b", np.zeros(6))
    held.replace("b6", np.zeros(6))
    return model, np.stack([sample["x"] for sample in drawn(16, (2, 3, 8, 8))])


def test_one_scale_serves_channels_of_all_sizes():
    model, samples = of_all_sizes()
    (plain, refined), steps = ratios(model, {"x": samples})
    assert refined > plain + 6
    assert steps[0] == "channels equalised behind 2 layers"


def test_sums_keep_bits_for_two_roundings():
    """However small the values of a channel are, a step of the sums is at most 1/32 of one of the result."""
    model, samples = of_all_sizes()
    made = api.quantize(model, {"x": samples})
    held = OnnxNetwork(made.model)
    scales = {name: held.constant(name) for name in ("x_scale", "first_scale", "r_scale")}
    assert (scales["x_scale"] * scales["first_scale"] / scales["r_scale"]).max() <= 1 / 32


def test_programs_of_torch_are_refined():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layers = torch.nn.Sequential(
        *(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, groups=8), torch.nn.ReLU6()),
        *(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 5)),
    )
    sizes = torch.exp(torch.linspace(-4, 4, 8))
    with torch.no_grad():
        layers[0].weight *= sizes.reshape(-1, 1, 1, 1)
        layers[0].bias *= sizes
        layers[2].weight /= sizes.reshape(-1, 1, 1, 1)
    x = np.stack([each["x"] for each in drawn(16, (1, 3, 8, 8))])
    program = torch.export.export(layers.eval(), (torch.from_numpy(x[0]),))
    (plain, refined), steps = ratios(program, {program.graph_signature.user_inputs[0]: x})
    assert refined > plain + 6
    assert steps[0] == "channels equalised behind 2 layers"


@pytest.mark.parametrize("kind", CHAINS)
def test_no_refined_network_is_worse(kind: str):
    samples = {"x": np.stack([each["x"] for each in drawn(6, (2, 3, 8, 8))])}
    (plain, refined), _ = ratios(network(CHAINS[kind], 5), samples)
    assert refined >= plain


def test_corrected_biases_remove_the_mean_error():
    """Every weight is rounded down by nearly half a step, and every input is positive."""
    weights = np.full((4, 64), 0.4, np.float32)
    weights[:, 0] = 127
    model: Any = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> n (float[1, 64] x) => (float[1, 4] y)'
        "{ y = Gemm <transB = 1> (x, w, b) }"
    )
    helper: Any = onnx.numpy_helper
    model.graph.initializer.extend([helper.from_array(weights, "w"), helper.from_array(np.zeros(4, np.float32), "b")])
    x = np.random.default_rng(0).uniform(0, 1, (32, 1, 64)).astype(np.float32)
    plain, corrected = (api.quantize(model, {"x": x}, refine=refine) for refine in (False, True))
    assert "biases corrected in 1 layer" in corrected.refinements
    expected = x @ weights.T
    samples = [{"x": each} for each in x]
    error = [
        np.mean([y["y"] - e for y, e in zip(tensor_values(made.model, ["y"], samples), expected, strict=True)])
        for made in (plain, corrected)
    ]
    assert abs(error[0]) > 10
    assert abs(error[1]) < 0.5


def test_command_says_what_was_refined(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, data = tmp_path / "m.onnx", tmp_path / "x.npz"
    model, samples = of_all_sizes()
    path.write_bytes(model.SerializeToString())
    np.savez(data, x=samples)
    shown: list[str] = []
    for option in ("--refine", "--no-refine"):
        assert run(["quantize", str(path), "--data", str(data), "-o", str(tmp_path / "q.onnx"), option]) == 0
        shown.append(capsys.readouterr().out)
    assert "closer to floats than without: channels equalised behind 2 layers" in shown[0]
    assert "closer to floats" not in shown[1]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            """{ a = Conv (x, first, b) r = Relu (a) k = If (on) <
                then_branch = t () => (float[2, 4, 4, 4] u) { u = Conv (r, second) },
                else_branch = e () => (float[2, 4, 4, 4] v) { v = Conv (r, third) } >
            c = Conv (r, fourth) e = Add (c, k) p = GlobalAveragePool (e) f = Flatten (p) y = Gemm (f, four) }""",
            id="a branch reads them",
        ),
        pytest.param(
            """{ p = GlobalAveragePool (x) f = Flatten (p) r = MatMul (f, three) a = Add (r, b)
            y = MatMul (a, dense) }""",
            id="an output holds them",
        ),
    ],
)
def test_channels_that_something_else_reads_stay_as_they_are(text: str):
    head = HEAD.replace("x)", "x, bool on)").replace("float[2, 5] y)", "float[2, 5] y, float[2, 6] r)")
    head = head if "three" in text else head.replace(", float[2, 6] r)", ")")
    model: Any = onnx.parser.parse_model(f"{head} {text}")
    helper: Any = onnx.numpy_helper
    for name in ("first", "b", "four", "three", "dense"):
        model.graph.initializer.append(helper.from_array(np.ones(SHAPES[name], np.float32), name))
    for name in ("second", "third", "fourth"):
        model.graph.initializer.append(helper.from_array(np.ones((4, 6, 3, 3), np.float32), name))
    assert {"a", "r"}.isdisjoint(watched(OnnxNetwork(model)))
