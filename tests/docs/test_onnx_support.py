"""What `docs/onnx_support.json` says of element types is what the frontend reads."""

import json
from typing import Any

import onnx
import pytest
from onnx import helper

from benchmarks.support import Support, retyped, variants
from docs.onnx_support import FOUND, types_of
from s2s.errors import S2SError
from s2s.frontends.onnx import import_model

OPERATORS: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))["operators"]
OPSET = 23
NEEDS_MORE = frozenset(
    [
        "BitCast",
        "CenterCropPad",
        "ConstantOfShape",
        "DFT",
        "Det",
        "EyeLike",
        "GlobalLpPool",
        "Resize",
        "BlackmanWindow",
        "HammingWindow",
        "HannWindow",
    ]
)
"""Operators that need more than one operand of the shape that the test gives."""


def of_one_operand() -> list[str]:
    """Operators that take one operand of any shape and no attribute."""
    schemas = {name: onnx.defs.get_schema(name, OPSET) for name in OPERATORS if onnx.defs.has(name, OPSET)}
    found: list[str] = []
    for name, schema in schemas.items():
        needs_attributes = any(attribute.required for attribute in schema.attributes.values())
        alone = schema.min_input == schema.min_output == schema.max_output == 1
        if alone and not needs_attributes and name not in NEEDS_MORE:
            found.append(name)
    return found


@pytest.mark.parametrize("name", of_one_operand())
def test_types_that_the_page_names_are_read_and_others_refused(name: str):
    node = helper.make_node(name, ["x"], ["y"])
    operand = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3, 4, 5])
    graph = helper.make_graph([node], "types", [operand], [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    read = Support()
    for kind, made in variants(model):
        try:
            import_model(made.SerializeToString())
        except S2SError:
            continue
        read.types.add(kind)
    allowed = {kind for kind, _ in variants(model)}
    assert sorted(read.types) == [kind for kind in OPERATORS[name]["types"] if kind in allowed]


def test_a_value_gets_another_type_in_its_declaration_and_its_data():
    stored = helper.make_tensor("c", onnx.TensorProto.FLOAT, [2], [1.0, 2.0])
    graph = helper.make_graph(
        [helper.make_node("Neg", ["c"], ["y"])], "g", [], [onnx.ValueInfoProto(name="y")], [stored]
    )
    made = retyped(helper.make_model(graph), {"c"}, onnx.TensorProto.INT8)
    assert made.graph.initializer[0].data_type == onnx.TensorProto.INT8


def test_what_a_body_computes_does_not_decide_on_the_types_of_the_operator_that_runs_it():
    text = """<ir_version: 4, opset_import: ["" : 9]> g (float[2] a, float[3, 2] x) => (float[2] y, float[3, 2] z) {
        y, z = Scan <num_scan_inputs = 1, body = b (float[2] s, float[2] n) => (float[2] t, float[2] u) {
            t = Add (s, n)
            u = Identity (t)
        }> (a, x)
    }"""
    read = dict(variants(onnx.parser.parse_model(text)))
    for kind in ("bool", "int8", "float"):
        import_model(read[kind].SerializeToString())
    bodies = {kind: made.graph.node[0].attribute for kind, made in read.items()}
    operators = {kind: [node.op_type for each in found for node in each.g.node] for kind, found in bodies.items()}
    assert operators["bool"] == ["Identity", "Identity"]
    assert operators["int32"] == ["Add", "Identity"]


def test_refused_types_are_struck_out_and_texts_left_out():
    assert types_of({"types": ["float", "int8"], "refused": {"float6e2m3": "…", "string": "…"}}) == "i8 f32 ~~f6e2m3~~"
