"""Operators and inputs that no network has: maps, texts, files of images."""

import re

import onnx
import pytest
from onnx import TensorProto, helper

from docs.onnx_support import status_of, versions_of_operators
from s2s.errors import UnsupportedError
from s2s.frontends.limits import MAX_OPSET, MIN_OPSET
from s2s.frontends.onnx import import_model
from s2s.frontends.onnx.table import REFUSALS


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (("ai.onnx.ml", "CastMap"), "takes a map, and networks take tensors; make a tensor of it outside the network"),
        (("ai.onnx.ml", "CategoryMapper"), "converts between text and numbers, .*; convert outside the network"),
        (("", "ImageDecoder"), "decodes files of images, .*; decode them outside the network"),
    ],
)
def test_the_page_says_why_an_operator_is_refused(key: tuple[str, str], reason: str):
    assert re.fullmatch(f"refused: {reason}", status_of(key, 1))


def test_a_node_that_makes_text_of_numbers_is_refused():
    text = """<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]> g (int64[3] x) => (string[3] y) {
        [node] y = ai.onnx.ml.CategoryMapper <cats_int64s = [1, 2], cats_strings = ["a", "b"]> (x)
    }"""
    with pytest.raises(
        UnsupportedError, match=r"node \(ai.onnx.ml.CategoryMapper\): converts between text and numbers"
    ):
        import_model(onnx.parser.parse_model(text))


def test_every_refused_operator_of_onnx_has_a_reason_of_its_own():
    for key, versions in versions_of_operators(MIN_OPSET, MAX_OPSET).items():
        if status_of(key, versions[-1]).startswith("refused"):
            assert key in REFUSALS


def test_an_input_that_is_a_map_is_refused():
    info = onnx.ValueInfoProto(name="x")
    info.type.map_type.key_type = TensorProto.INT64
    graph = helper.make_graph([], "g", [info], [])
    with pytest.raises(UnsupportedError, match=r"input x: is no dense tensor \(map\); give the model tensors"):
        import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9))
