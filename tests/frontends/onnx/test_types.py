"""Element types that operators take beside float32, and operands of different types."""

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from s2s import api
from s2s.errors import InputError
from s2s.types.dtypes import Array


def computed(
    kind: str, operands: Mapping[str, Array], results: Mapping[str, Any], constants: int = 0, **attributes: Any
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The results of one node in C and by the reference evaluator; the last operands are constants."""
    names = list(operands)
    free = names[: len(names) - constants]
    node = helper.make_node(kind, names, list(results), "node", **attributes)
    element = helper.np_dtype_to_tensor_dtype
    inputs = [helper.make_tensor_value_info(name, element(operands[name].dtype), operands[name].shape) for name in free]
    outputs = [helper.make_tensor_value_info(name, element(np.dtype(dtype)), None) for name, dtype in results.items()]
    stored = [
        helper.make_tensor(
            name, element(operands[name].dtype), operands[name].shape, operands[name].reshape(-1).tolist()
        )
        for name in names[len(free) :]
    ]
    graph = helper.make_graph([node], "types", inputs, outputs, stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    given = {name: operands[name] for name in free}
    evaluator: Any = ReferenceEvaluator(model)
    expected = [np.asarray(each) for each in evaluator.run(None, given)]
    with api.compile(model, target="c") as artifact:
        return artifact.run(given), dict(zip(results, expected, strict=True))


GRID = np.random.default_rng(1).uniform(-1.1, 1.1, (1, 3, 5, 2)).astype(np.float32)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("mode", "dtype"),
    [
        ("linear", np.float16),
        ("linear", np.uint8),
        ("linear", np.int64),
        ("nearest", np.float64),
        ("nearest", np.bool_),
    ],
)
def test_samples_have_the_type_of_the_image_whatever_that_of_the_grid(mode: str, dtype: type[np.generic]):
    image = (np.random.default_rng(2).uniform(0, 1.9, (1, 2, 4, 6)) * (1 if dtype == np.bool_ else 50)).astype(dtype)
    found, _ = computed("GridSample", {"x": image, "grid": GRID}, {"y": dtype}, mode=mode)
    _, wide = computed("GridSample", {"x": image.astype(np.float32), "grid": GRID}, {"y": np.float32}, mode=mode)
    assert found["y"].dtype == dtype
    tolerance = 1e-3 if dtype == np.float16 else 1e-5
    expected = wide["y"].astype(dtype).astype(float)
    np.testing.assert_allclose(found["y"].astype(float), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16])
def test_patches_of_short_integers_add_up_in_their_type(dtype: type[np.generic]):
    x = np.random.default_rng(3).integers(0, 100, (1, 4, 9)).astype(dtype)
    shapes = {"image": np.array([4, 4]), "block": np.array([2, 2])}
    found, expected = computed("Col2Im", {"x": x, **shapes}, {"y": dtype}, 2)
    np.testing.assert_array_equal(found["y"], expected["y"].astype(dtype))


def test_patches_of_truth_values_are_true_where_one_is():
    x = np.zeros((1, 4, 9), np.bool_)
    x[0, 0, 0] = x[0, 3, 0] = x[0, 1, 4] = x[0, 0, 5] = True
    found, _ = computed("Col2Im", {"x": x, "i": np.array([4, 4]), "b": np.array([2, 2])}, {"y": np.bool_}, 2)
    assert np.argwhere(found["y"][0, 0]).tolist() == [[0, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
@pytest.mark.parametrize("kind", ["IsInf", "IsNaN"])
def test_bytes_of_floats_are_infinite_or_no_numbers(kind: str, dtype: Any):
    x = np.arange(256, dtype=np.uint8).view(dtype)
    found, _ = computed(kind, {"x": x}, {"y": np.bool_})
    wide = x.astype(np.float32)
    np.testing.assert_array_equal(found["y"], np.isinf(wide) if kind == "IsInf" else np.isnan(wide))


def test_a_root_mean_square_normalisation_has_the_type_of_its_scale():
    x = np.random.default_rng(4).standard_normal((3, 8)).astype(np.float16)
    scale = np.linspace(0.5, 2, 8, dtype=np.float32)
    found, _ = computed("RMSNormalization", {"x": x, "scale": scale}, {"y": np.float32})
    wide = x.astype(np.float64)
    expected = wide / np.sqrt(np.square(wide).mean(-1, keepdims=True) + 1e-5) * scale
    np.testing.assert_allclose(found["y"], expected, rtol=1e-3)


def test_a_normalisation_of_doubles_gives_its_mean_as_a_float():
    x = np.random.default_rng(5).standard_normal((3, 8))
    operands = {"x": x, "scale": np.ones(8), "bias": np.zeros(8)}
    results = {"y": np.float64, "mean": np.float32, "inverse": np.float32}
    found, _ = computed("LayerNormalization", operands, results)
    np.testing.assert_allclose(found["mean"], x.mean(-1, keepdims=True).astype(np.float32), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found["inverse"], 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5), rtol=1e-6)


TOLERANCES = {np.float16: 1e-3, ml_dtypes.bfloat16: 2.0**-8, np.float32: 1e-5, np.float64: 1e-12}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("axes", [None, [1, 3]])
def test_mean_and_variance_are_normalised_in_every_type_of_floats(dtype: Any, axes: list[int] | None):
    x = np.random.default_rng(6).uniform(280, 320, (2, 3, 4, 5)).astype(dtype)
    attributes: dict[str, Any] = {} if axes is None else {"axes": axes}
    wide, over = x.astype(np.float64), tuple(axes or (0, 2, 3))
    spread = wide - wide.mean(over, keepdims=True)
    expected = spread / (np.sqrt(np.square(spread).mean(over, keepdims=True)) + 1e-9)
    found = in_c("MeanVarianceNormalization", [x], 13, **attributes)
    assert found[0].dtype == dtype
    tolerance = TOLERANCES[dtype]
    np.testing.assert_allclose(found[0].astype(np.float64), expected, rtol=tolerance, atol=tolerance)


def test_the_mean_and_variance_of_a_constant_give_zero():
    x = np.full((2, 3, 4, 5), 1000, np.float16)
    np.testing.assert_array_equal(in_c("MeanVarianceNormalization", [x], 13)[0], np.zeros_like(x))


SCORES = np.random.default_rng(7).uniform(-3, 3, (2, 4, 3))
LABELS = np.array([[0, 3, 1], [2, 1, 3]])
WEIGHTS = np.array([0.5, 1.5, 2, 1])


@pytest.mark.sample(8)
@pytest.mark.parametrize("ignored", [None, -5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float64], ids=lambda each: np.dtype(each).name)
def test_the_loss_of_labels_is_computed_wide(dtype: Any, reduction: str, weighted: bool, ignored: int | None):
    scores, weights = SCORES.astype(dtype), WEIGHTS.astype(dtype)
    labels = LABELS if ignored is None else np.where(LABELS == 1, ignored, LABELS)
    attributes = {"reduction": reduction, **({} if ignored is None else {"ignore_index": ignored})}
    operands = [scores, labels, *([weights] if weighted else [])]
    wide = [each.astype(np.float64) if each.dtype == dtype else each for each in operands]
    expected = reference("SoftmaxCrossEntropyLoss", wide, 13, 2, **attributes)
    found = in_c("SoftmaxCrossEntropyLoss", operands, 13, 2, **attributes)
    for each, wanted in zip(found, expected, strict=True):
        assert each.dtype == dtype
        tolerance = 2.0**-8 if dtype == ml_dtypes.bfloat16 else 1e-12
        np.testing.assert_allclose(each.astype(np.float64), wanted, rtol=tolerance)


def test_labels_that_do_not_fit_the_scores_are_refused():
    with pytest.raises(InputError, match=r"labels \[3, 2\] do not fit scores \[2, 4, 3\]; give scores \[N, C, …\]"):
        in_c("SoftmaxCrossEntropyLoss", [SCORES, LABELS.T], 13)
    with pytest.raises(InputError, match=r"weights \[3\] are not one for each of 4 classes"):
        in_c("NegativeLogLikelihoodLoss", [SCORES, LABELS, WEIGHTS[:3]], 13)


@pytest.mark.parametrize(
    ("dtype", "operator"),
    [(np.bool_, "Xor"), (np.int8, "Add"), (np.int16, "Mul"), (np.uint8, "Add"), (np.uint16, "Max")],
    ids=["bool", "int8", "int16", "uint8", "uint16"],
)
def test_scans_carry_truth_values_and_short_integers(dtype: Any, operator: str):
    name = "bool" if dtype == np.bool_ else np.dtype(dtype).name
    text = f"""<ir_version: 8, opset_import: ["" : 16]>
    g ({name}[2] a, {name}[5, 2] x) => ({name}[2] y, {name}[5, 2] z) {{
        y, z = Scan <num_scan_inputs = 1, body = b ({name}[2] s, {name}[2] n) => ({name}[2] t, {name}[2] u) {{
            t = {operator} (s, n)
            u = Identity (t)
        }}> (a, x)
    }}"""
    model = onnx.parser.parse_model(text)
    rng = np.random.default_rng(8)
    given = {"a": rng.integers(0, 3, 2).astype(dtype), "x": rng.integers(0, 3, (5, 2)).astype(dtype)}
    evaluator: Any = ReferenceEvaluator(model)
    with api.compile(model, target="c") as artifact:
        for found, expected in zip(artifact.run(given).values(), evaluator.run(None, given), strict=True):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, expected)


def one_node(kind: str, operands: Sequence[Array], opset: int, outputs: int, **attributes: Any) -> onnx.ModelProto:
    names = [f"x{number}" for number in range(len(operands))]
    results = [f"y{number}" for number in range(outputs)]
    element = helper.np_dtype_to_tensor_dtype
    inputs = [
        helper.make_tensor_value_info(name, element(x.dtype), x.shape) for name, x in zip(names, operands, strict=True)
    ]
    node = helper.make_node(kind, names, results, "node", **attributes)
    graph = helper.make_graph([node], "types", inputs, [onnx.ValueInfoProto(name=name) for name in results])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def reference(kind: str, operands: Sequence[Array], opset: int, outputs: int = 1, **attributes: Any) -> list[Array]:
    """The results of one node by the reference evaluator."""
    model = one_node(kind, operands, opset, outputs, **attributes)
    evaluator: Any = ReferenceEvaluator(model)
    return [np.asarray(x) for x in evaluator.run(None, {f"x{number}": x for number, x in enumerate(operands)})]


def in_c(kind: str, operands: Sequence[Array], opset: int, outputs: int = 1, **attributes: Any) -> list[Array]:
    """The results of one node by the emitted C."""
    model = one_node(kind, operands, opset, outputs, **attributes)
    with api.compile(model, target="c") as artifact:
        return list(artifact.run({f"x{number}": x for number, x in enumerate(operands)}).values())
