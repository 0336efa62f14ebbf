"""Models of scikit-learn and LightGBM, converted by skl2onnx and onnxmltools, give in C what they give in Python."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from s2s.api import compile
from s2s.types.dtypes import Array

ROWS, FEATURES = 8, 6
OPSETS = {"": 18, "ai.onnx.ml": 3}


def _data(classes: int) -> tuple[Array, Array]:
    random = np.random.default_rng(0)
    x = random.normal(size=(150, FEATURES)).astype(np.float32)
    score = x[:, 0] + 0.5 * x[:, 1] * x[:, 2] - 0.7 * np.abs(x[:, 3])
    if not classes:
        return x, score.astype(np.float32)
    return x, np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))


def _package(name: str) -> Any:
    """A package without types; the test is skipped where it is not installed."""
    return pytest.importorskip(name)


def _by_sklearn(model: Any, x: Array) -> onnx.ModelProto:
    options = {"zipmap": False} if hasattr(model, "predict_proba") else None
    return _package("skl2onnx").to_onnx(model, x[:ROWS], options=options, target_opset=OPSETS)


def _by_lightgbm(model: Any, x: Array) -> onnx.ModelProto:
    floats = _package("onnxmltools.convert.common.data_types").FloatTensorType([ROWS, FEATURES])
    return _package("onnxmltools").convert_lightgbm(model, initial_types=[("x", floats)], zipmap=False, target_opset=15)


def _linear() -> Any:
    scaler = _package("sklearn.preprocessing").StandardScaler()
    return _package("sklearn.pipeline").make_pipeline(scaler, _package("sklearn.linear_model").LogisticRegression())


def _support_vectors() -> Any:
    return _package("sklearn.svm").SVC()


def _forest() -> Any:
    return _package("sklearn.ensemble").RandomForestClassifier(5, max_depth=6, random_state=0)


def _boosted() -> Any:
    return _package("sklearn.ensemble").GradientBoostingRegressor(n_estimators=5, random_state=0)


def _perceptron() -> Any:
    return _package("sklearn.neural_network").MLPRegressor(hidden_layer_sizes=(8,), max_iter=30, random_state=0)


def _neighbours() -> Any:
    return _package("sklearn.neighbors").KNeighborsClassifier(3)


def _lightgbm_classes() -> Any:
    return _package("lightgbm").LGBMClassifier(n_estimators=5, max_depth=4, verbose=-1)


def _lightgbm_numbers() -> Any:
    return _package("lightgbm").LGBMRegressor(n_estimators=5, max_depth=4, verbose=-1)


Convert = Callable[[Any, Array], onnx.ModelProto]
MODELS: dict[str, tuple[Callable[[], Any], int, Convert]] = {
    "linear": (_linear, 3, _by_sklearn),
    "support vectors": (_support_vectors, 3, _by_sklearn),
    "forest": (_forest, 3, _by_sklearn),
    "boosted trees": (_boosted, 0, _by_sklearn),
    "perceptron": (_perceptron, 0, _by_sklearn),
    "neighbours": (_neighbours, 3, _by_sklearn),
    "LightGBM classes": (_lightgbm_classes, 2, _by_lightgbm),
    "LightGBM numbers": (_lightgbm_numbers, 0, _by_lightgbm),
}


@pytest.mark.sample(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_c_gives_what_python_gives(name: str):
    make, classes, convert = MODELS[name]
    x, y = _data(classes)
    model = make().fit(x, y)
    source = convert(model, x)
    given = source.graph.input[0].name
    with compile(source, target="c", shapes={given: (ROWS, FEATURES)}) as artifact:
        found = list(artifact.run({given: x[:ROWS]}).values())
    expected = model.predict(x[:ROWS])
    np.testing.assert_allclose(found[0].reshape(expected.shape), expected, rtol=1e-5, atol=1e-5)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(found[1], model.predict_proba(x[:ROWS]), rtol=1e-4, atol=1e-5)


def test_probabilities_by_label_are_compared_with_onnxruntime():
    pytest.importorskip("onnxruntime")
    x, y = _data(3)
    model = _package("skl2onnx").to_onnx(_linear().fit(x, y), x[:ROWS], target_opset=OPSETS)
    found = compile(model, target="c", shapes={"X": (ROWS, FEATURES)}).verify()
    assert found.passed
    assert found.outputs["output_probability"].comparison.elements == 3 * ROWS


def test_labels_of_text_are_numbers_of_a_list_in_the_header(tmp_path: Path):
    x, y = _data(3)
    names = np.array(["mid", "low?", "h\u00f6chst"])
    source = _linear().fit(x, names[y])
    model = _package("skl2onnx").to_onnx(source, x[:ROWS], target_opset=OPSETS)
    with compile(model, target="c", name="net", shapes={"X": (ROWS, FEATURES)}) as artifact:
        assert artifact.verify().passed
        labels = artifact.run({"X": x[:ROWS]})["output_label"]
        artifact.write(tmp_path)
    np.testing.assert_array_equal(np.array(artifact.info.outputs[0].texts)[labels], source.predict(x[:ROWS]))
    header = (tmp_path / "include" / "net.h").read_text()
    assert '#define NET_OUTPUT_LABEL_TEXTS {"h\\303\\266chst", "low\\?", "mid"}' in header
    record = json.loads((tmp_path / "metadata.json").read_text())
    assert record["outputs"][0]["texts"] == ["h\u00f6chst", "low?", "mid"]
