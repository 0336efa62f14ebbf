"""Texts that are known while a model is read: labels by name, which become numbers of a list of texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from s2s.analysis.network.functions import main_of
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.types.interface import texts_of
from support.onnx_nodes import run_imported, run_onnxruntime

ML = "ai.onnx.ml"
X = np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32)
CLASSES = ["mid", "low", "high"]
CLASSIFIER = helper.make_node(
    "LinearClassifier",
    ["x"],
    ["label", "scores"],
    domain=ML,
    coefficients=np.random.default_rng(1).standard_normal(9).tolist(),
    intercepts=[0.5, 0.0, -0.5],
    classlabels_strings=CLASSES,
)
WORDS = TensorProto(name="words", data_type=TensorProto.STRING, dims=[2], string_data=[b"other", b"low"])
PLACES = helper.make_tensor("places", TensorProto.INT64, [2], [4, 1])


def node(kind: str, inputs: Sequence[str], output: str = "y", domain: str = "", **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, [output], domain=domain, **attributes)


def model(*nodes: onnx.NodeProto, output: str = "y", type: int = TensorProto.STRING) -> onnx.ModelProto:
    """Nodes behind a classifier that names its classes."""
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)
    found = helper.make_tensor_value_info(output, type, None)
    graph = helper.make_graph([CLASSIFIER, *nodes], "g", [given], [found], [WORDS, PLACES])
    opsets = [helper.make_opsetid("", 19), helper.make_opsetid(ML, 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def texts(given: onnx.ModelProto) -> list[np.ndarray[Any, Any]]:
    """The texts that the results number."""
    imported = import_model(given)
    results = main_of(imported.module).res_attrs
    assert results is not None
    words = [np.array(texts_of(each.data), object) for each in results]
    numbers = run_imported(imported, [X])
    assert all(array.dtype == np.int64 for array in numbers)
    return [of[array] for of, array in zip(words, numbers, strict=True)]


MOVED = {
    "label": [node("Identity", ["label"])],
    "other shape": [node("Unsqueeze", ["label", "axis"]), node("Constant", [], "axis", value_ints=[1])][::-1],
    "some": [node("Gather", ["label", "places"])],
    "features": [node("ArrayFeatureExtractor", ["label", "places"], domain=ML)],
    "cast": [node("Cast", ["label"], to=TensorProto.STRING)],
    "beside others": [node("Concat", ["label", "words"], axis=0)],
    "chosen of a constant": [
        node("ArgMax", ["scores"], "best", axis=1, keepdims=0),
        node("Constant", [], "names", value_strings=["a", "b", "a"]),
        node("Gather", ["names", "best"]),
    ],
    "other names": [
        node(
            "LabelEncoder",
            ["label"],
            domain=ML,
            keys_strings=["low", "mid"],
            values_strings=["L", "M"],
            default_string="?",
        )
    ],
}


@pytest.mark.parametrize("nodes", MOVED.values(), ids=MOVED)
def test_texts_are_those_of_onnxruntime(nodes: list[onnx.NodeProto]):
    given = model(*nodes)
    (expected,) = run_onnxruntime(given, [X])
    (found,) = texts(given)
    np.testing.assert_array_equal(found, expected)


def test_numbers_of_texts_are_looked_up():
    encoder = node(
        "LabelEncoder", ["label"], domain=ML, keys_strings=["low", "mid"], values_int64s=[5, 7], default_int64=-3
    )
    given = model(encoder, type=TensorProto.INT64)
    (expected,) = run_onnxruntime(given, [X])
    np.testing.assert_array_equal(run_imported(import_model(given), [X])[0], expected)


def test_names_come_in_the_order_of_the_classes():
    results = main_of(import_model(model(output="label")).module).res_attrs
    assert results is not None
    assert texts_of(results.data[0].data) == tuple(CLASSES)


REFUSED = {
    "compared": ([node("Equal", ["label", "label"])], "an operand is text, which it does not move alone; use numbers"),
    "made a number": ([node("Cast", ["label"], to=TensorProto.FLOAT)], "its input is text; use numbers"),
}


@pytest.mark.parametrize(("nodes", "message"), REFUSED.values(), ids=REFUSED)
def test_what_computes_with_texts_is_refused(nodes: list[onnx.NodeProto], message: str):
    with pytest.raises(UnsupportedError, match=message):
        import_model(model(*nodes, type=0))


def test_a_branch_does_not_give_texts():
    branch = helper.make_graph([node("Identity", ["label"], "z")], "b", [], [onnx.ValueInfoProto(name="z")])
    chosen = [
        node("ReduceSum", ["scores"], "sum", keepdims=0),
        node("Cast", ["sum"], "is", to=TensorProto.BOOL),
        node("If", ["is"], then_branch=branch, else_branch=branch),
    ]
    with pytest.raises(UnsupportedError, match="is text; choose it outside of the body"):
        import_model(model(*chosen))


@pytest.mark.parametrize(
    ("output", "type", "message"),
    [
        ("label", TensorProto.INT64, "output label: is declared as int64 and computed as string; fix the declaration"),
        ("scores", TensorProto.STRING, "output scores: is declared as string and computed as float32"),
    ],
)
def test_outputs_are_of_the_declared_type(output: str, type: int, message: str):
    with pytest.raises(InputError, match=message):
        import_model(model(output=output, type=type))
