"""Operators of ai.onnx.ml on numbers, held against onnxruntime."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from benchmarks.conformance_adapters import run
from s2s.errors import InputError
from s2s.frontends.onnx import import_model
from s2s.types.dtypes import Array
from support.onnx_nodes import run_imported, run_onnxruntime

ML = "ai.onnx.ml"
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((7, 5)).astype(np.float32)
INTEGERS = RANDOM.integers(-3, 4, (7, 5))


@dataclass(frozen=True)
class Case:
    kind: str
    inputs: Sequence[Array]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    outputs: int = 1
    version: int = 3

    def model(self) -> onnx.ModelProto:
        names = [f"x{number}" for number in range(len(self.inputs))]
        results = [f"y{number}" for number in range(self.outputs)]
        given = {name: value for name, value in self.attributes.items() if value is not None}
        node = helper.make_node(self.kind, names, results, name="node", domain=ML, **given)
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, self.inputs, strict=True)
        ]
        graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name=name) for name in results])
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ML, self.version)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def forest(
    trees: int, depth: int, targets: Sequence[int], kind: str, modes: Sequence[str] = ("BRANCH_LEQ",), low: float = -1
) -> dict[str, Any]:
    """Attributes of random trees; some branches end early."""
    random = np.random.default_rng(trees * 100 + depth)
    nodes: dict[str, list[Any]] = {
        name: [] for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    }
    missing: list[int] = []
    found: dict[str, list[Any]] = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(trees):
        waiting, count = [(0, 0)], 1
        while waiting:
            number, level = waiting.pop(0)
            is_leaf = level == depth or (level and random.random() < 0.2)
            row = (tree, number, int(random.integers(5)), "LEAF" if is_leaf else str(random.choice(modes)))
            children = (0, 0) if is_leaf else (count, count + 1)
            split = float(np.float32(X[random.integers(7), row[2]] if random.random() < 0.5 else random.normal()))
            for name, value in zip(nodes, (*row, split, *children), strict=True):
                nodes[name].append(value)
            missing.append(int(random.integers(2)))
            if is_leaf:
                for target in targets:
                    entry = (tree, number, target, float(np.float32(random.uniform(low, 1))))
                    for name, value in zip(found, entry, strict=True):
                        found[name].append(value)
            else:
                waiting += [(count, level + 1), (count + 1, level + 1)]
                count += 2
    attributes = {f"nodes_{name}": values for name, values in nodes.items()}
    attributes["nodes_missing_value_tracks_true"] = missing
    return attributes | {f"{kind}_{name}": values for name, values in found.items()}


def machine(classes: int, supports: int, kernel: str, *, likely: bool = False) -> dict[str, Any]:
    """Attributes of a random classifier with so many support vectors of each class."""
    random = np.random.default_rng(classes)
    pairs = classes * (classes - 1) // 2

    def numbers(count: int) -> list[float]:
        return random.standard_normal(count).astype(np.float32).tolist()

    parameters = {"prob_a": (-np.abs(numbers(pairs))).tolist(), "prob_b": numbers(pairs)} if likely else {}
    return {
        "classlabels_ints": [10 + number for number in range(classes)],
        "coefficients": numbers((classes - 1) * classes * supports),
        "kernel_type": kernel,
        "kernel_params": [0.3, 0.5, 3.0],
        "rho": numbers(pairs),
        "support_vectors": numbers(classes * supports * 5),
        "vectors_per_class": [supports] * classes,
    } | parameters


REGRESSION = {
    "coefficients": [0.5, -1.0, 0.25],
    "rho": [0.125],
    "support_vectors": X[:3].reshape(-1).tolist(),
    "n_supports": 3,
    "kernel_params": [0.3, 0.5, 2.0],
}
PLAIN = {"kernel_type": "LINEAR", "kernel_params": [0.0, 0.0, 0.0], "rho": [0.5]}
MIXED = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
HOLES = np.where(RANDOM.random(X.shape) < 0.3, np.float32(np.nan), X)
LINEAR = {"coefficients": RANDOM.standard_normal(15).tolist(), "intercepts": [0.5, -0.25, 1.0]}
CASES = {
    "trees": Case("TreeEnsembleRegressor", [X], {"n_targets": 2, **forest(5, 4, [0, 1], "target")}),
    "trees of one sample": Case("TreeEnsembleRegressor", [X[:1]], {"n_targets": 1, **forest(9, 3, [0], "target")}),
    "trees with a base": Case(
        "TreeEnsembleRegressor", [X], {"n_targets": 1, "base_values": [0.5], **forest(3, 2, [0], "target")}
    ),
    "average": Case(
        "TreeEnsembleRegressor", [X], {"aggregate_function": "AVERAGE", "n_targets": 1, **forest(4, 3, [0], "target")}
    ),
    "largest": Case(
        "TreeEnsembleRegressor", [X], {"aggregate_function": "MAX", "n_targets": 1, **forest(4, 3, [0], "target")}
    ),
    "smallest": Case(
        "TreeEnsembleRegressor", [X], {"aggregate_function": "MIN", "n_targets": 1, **forest(4, 3, [0], "target")}
    ),
    "mixed comparisons": Case("TreeEnsembleRegressor", [X], {"n_targets": 1, **forest(6, 4, [0], "target", MIXED)}),
    "missing values": Case("TreeEnsembleRegressor", [HOLES], {"n_targets": 1, **forest(6, 4, [0], "target")}),
    "leaves alone": Case("TreeEnsembleRegressor", [X], {"n_targets": 1, **forest(2, 0, [0], "target")}),
    "classes": Case(
        "TreeEnsembleClassifier",
        [X],
        {"classlabels_int64s": [4, 7, 9], "post_transform": "SOFTMAX", **forest(5, 3, [0, 1, 2], "class")},
        2,
    ),
    **{
        f"two classes of one {sign} score of class {number}, {how}": Case(
            "TreeEnsembleClassifier",
            [X],
            {
                "classlabels_int64s": [3, 8],
                "post_transform": how,
                **forest(5, 3, [number], "class", low=0 if sign == "positive" else -1),
            },
            2,
        )
        for sign in ("positive", "any")
        for number in (0, 1)
        for how in ("NONE", "LOGISTIC")
    },
    "linear": Case("LinearRegressor", [X], {"targets": 3, **LINEAR}),
    "linear classes": Case(
        "LinearClassifier", [X], {"classlabels_ints": [5, 3, 1], "post_transform": "SOFTMAX", **LINEAR}, 2
    ),
    "linear classes, each by itself": Case(
        "LinearClassifier", [X], {"classlabels_ints": [5, 3, 1], "post_transform": "LOGISTIC", **LINEAR}, 2
    ),
    "scaler": Case("Scaler", [X], {"offset": [1.0, 2.0, 3.0, 4.0, 5.0], "scale": [0.5, 1.0, 2.0, 3.0, 4.0]}),
    "scaler of one": Case("Scaler", [X], {"offset": [1.5], "scale": [0.25]}),
    "scaler of integers": Case("Scaler", [INTEGERS], {"offset": [1.5], "scale": [0.25]}),
    **{f"normalizer {norm}": Case("Normalizer", [np.abs(X)], {"norm": norm}) for norm in ("MAX", "L1", "L2")},
    "imputer": Case(
        "Imputer", [HOLES], {"imputed_value_floats": [1.0, 2.0, 3.0, 4.0, 5.0], "replaced_value_float": float("nan")}
    ),
    "imputer of integers": Case("Imputer", [INTEGERS], {"imputed_value_int64s": [9], "replaced_value_int64": 2}),
    "one hot": Case("OneHotEncoder", [INTEGERS[:, 0]], {"cats_int64s": [-1, 0, 2, 1], "zeros": 1}),
    "labels of integers": Case(
        "LabelEncoder",
        [INTEGERS],
        {"keys_int64s": [1, -2, 0], "values_floats": [0.5, 1.5, 2.5], "default_float": -1.0},
        1,
        2,
    ),
    "labels of floats": Case(
        "LabelEncoder",
        [INTEGERS.astype(np.float32)],
        {"keys_floats": [1.0, -2.0], "values_int64s": [10, 20], "default_int64": -5},
        1,
        2,
    ),
    **{
        f"machine of two classes, {how}": Case(
            "SVMClassifier", [X], {"post_transform": how, **machine(2, 3, "RBF")}, 2
        )
        for how in ("NONE", "LOGISTIC")
    },
    **{
        f"machine, {kernel}": Case("SVMClassifier", [X], machine(3, 2, kernel), 2)
        for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID")
    },
    **{
        f"machine with probabilities of {classes}": Case(
            "SVMClassifier", [X], machine(classes, 2, "RBF", likely=True), 2
        )
        for classes in (2, 4)
    },
    "machine without vectors": Case(
        "SVMClassifier", [X], {"classlabels_ints": [3, 1, 2], "coefficients": LINEAR["coefficients"], **PLAIN}, 2
    ),
    "machine without vectors, two classes": Case(
        "SVMClassifier", [X], {"classlabels_ints": [3, 1], "coefficients": LINEAR["coefficients"][:10], **PLAIN}, 2
    ),
    **{
        f"regression, {kernel}": Case("SVMRegressor", [X], {"kernel_type": kernel, **REGRESSION})
        for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID")
    },
    "regression without vectors": Case("SVMRegressor", [X], {"coefficients": LINEAR["coefficients"][:5], **PLAIN}),
    "one class": Case("SVMRegressor", [X], {"one_class": 1, "kernel_type": "RBF", **REGRESSION}),
    "features": Case("FeatureVectorizer", [X, INTEGERS[:, :2].astype(np.float32)], {"inputdimensions": [5, 2]}),
}  # fmt: skip


def same(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    assert len(found) == len(wanted)
    for actual, expected in zip(found, wanted, strict=True):
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_as_onnxruntime(case: Case):
    model = case.model()
    same(run_imported(import_model(model), case.inputs), run_onnxruntime(model, case.inputs))


def test_the_larger_of_two_scores_decides():
    """As ONNX's reference has it, and whoever trained the trees; onnxruntime takes the second class if above zero."""
    attributes = {"classlabels_int64s": [0, 1], **forest(5, 3, [0, 1], "class", low=0)}
    case = Case("TreeEnsembleClassifier", [X], attributes, 2)
    label, scores = run_imported(import_model(case.model()), [X])
    np.testing.assert_array_equal(label, np.argmax(scores, axis=1))
    same([scores], run_onnxruntime(case.model(), [X])[1:])


def test_trees_in_c(tmp_path: Any):
    case = CASES["missing values"]
    model, file = case.model(), tmp_path / "model.onnx"
    file.write_bytes(model.SerializeToString())
    same(run(str(file), case.inputs), run_onnxruntime(model, case.inputs))


def test_a_map_of_scores_is_the_scores():
    case = Case("ZipMap", [X], {"classlabels_int64s": [0, 1, 2, 3, 4]})
    same(run_imported(import_model(case.model()), [X]), [X])


LOOP = forest(1, 2, [0], "target")
BROKEN = {
    "a tree that runs in circles": (
        {"nodes_falsenodeids": [0] * len(LOOP["nodes_modes"])},
        "roots; export the model again",
    ),
    "a child that is not there": (
        {"nodes_truenodeids": [99] * len(LOOP["nodes_modes"])},
        "tree 0 has no node 99; export the model again",
    ),
    "a feature that is not there": (
        {"nodes_featureids": [5] * len(LOOP["nodes_modes"])},
        "a tree looks at a feature beyond the 5 of its input; fix the ids of features",
    ),
    "a target that is not there": (
        {"target_ids": [1] * len(LOOP["target_ids"])},
        "a leaf speaks of a target beyond 1; export the model again",
    ),
    "columns of different length": (
        {"nodes_values": [1.0]},
        "the attributes of its nodes differ in length, or are empty; export the model again",
    ),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_trees_are_refused(change: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        import_model(Case("TreeEnsembleRegressor", [X], {"n_targets": 1, **LOOP, **change}).model())
