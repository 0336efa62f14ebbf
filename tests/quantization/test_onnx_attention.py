"""ONNX's operator of attention under `s2s quantize`: two products of integers, masked scores in floats."""
# pyright: reportUnknownMemberType=false

from collections.abc import Mapping

import numpy as np
import onnx
import onnx.helper as oh
import pytest
from onnx import TensorProto, numpy_helper
from xdsl.dialects.builtin import i32

from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.quantization import quantize
from s2s.quantization.onnx_attention import masked_scores, with_products
from s2s.types.dtypes import Array
from support.onnx_nodes import run_onnxruntime

pytest.importorskip("onnxruntime")

BATCH, LENGTH, FEATURES, HEADS, PAST = 2, 6, 16, 4, 3
SAMPLES = 12


def mask_of(kind: str, total: int, rng: np.random.Generator) -> Array:
    """A mask in which one row of queries sees no key."""
    seen = rng.random((BATCH, 1, LENGTH, total)) > 0.3
    seen[0, 0, 2] = False
    if kind == "bool":
        return seen
    return np.where(seen, rng.normal(size=seen.shape), -np.inf).astype(np.float32)


class Case:
    """A network with one attention between linear layers."""

    def __init__(
        self, *, groups: int = HEADS, mask: str = "", constant: bool = False, past: bool = False, **given: float
    ) -> None:
        rng = np.random.default_rng(0)
        size, total = FEATURES // HEADS, LENGTH + PAST * past
        wide = {"query": FEATURES, "key": size * groups, "value": size * groups}
        self.inputs: dict[str, Array] = {"x": rng.normal(size=(BATCH, LENGTH, FEATURES)).astype(np.float32)}
        held = {f"{name}_w": rng.normal(0, 0.3, (FEATURES, each)).astype(np.float32) for name, each in wide.items()}
        held["last_w"] = rng.normal(0, 0.3, (FEATURES, FEATURES)).astype(np.float32)
        operands, results = [*wide, "", "", ""], ["y"]
        if mask:
            (held if constant else self.inputs)["mask"] = mask_of(mask, total, rng)
            operands[3] = "mask"
        if past:
            shape = BATCH, groups, PAST, size
            self.inputs |= {name: rng.normal(size=shape).astype(np.float32) for name in ("past_k", "past_v")}
            operands[4:], results = ["past_k", "past_v"], ["y", "new_k", "new_v"]
        while not operands[-1]:
            operands.pop()
        nodes = [oh.make_node("MatMul", ["x", f"{name}_w"], [name], name) for name in wide]
        heads = {"q_num_heads": HEADS, "kv_num_heads": groups}
        attention = oh.make_node("Attention", operands, ["seen", *results[1:]], "attention")
        attention.attribute.extend(oh.make_attribute(name, value) for name, value in {**heads, **given}.items())
        nodes.append(attention)
        nodes.append(oh.make_node("MatMul", ["seen", "last_w"], ["y"], "last"))
        ports = [
            oh.make_tensor_value_info(name, oh.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in self.inputs.items()
        ]
        outputs = [oh.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
        tensors = [numpy_helper.from_array(value, name) for name, value in held.items()]
        made = oh.make_graph(nodes, "net", ports, outputs, tensors)
        self.model = oh.make_model(made, opset_imports=[oh.make_opsetid("", 23)], ir_version=10)

    def samples(self) -> Mapping[str, Array]:
        """The inputs, varied, one after the other."""
        rng = np.random.default_rng(1)
        return {
            name: np.stack(
                [value + rng.normal(size=value.shape).astype(np.float32) for _ in range(SAMPLES)]
                if value.dtype == np.float32 and name != "mask"
                else [np.maximum(value, -1e9) if value.dtype == np.float32 else value] * SAMPLES
            )
            for name, value in self.inputs.items()
        }


CASES: Mapping[str, Case] = {
    "plain": Case(),
    "causal": Case(is_causal=1),
    "scaled": Case(scale=0.3),
    "a mask": Case(mask="bool"),
    "an added mask": Case(mask="float"),
    "a known mask, causal": Case(mask="bool", constant=True, is_causal=1),
    "a known added mask": Case(mask="float", constant=True),
    "groups": Case(groups=2, mask="bool"),
    "groups, causal": Case(groups=1, mask="float", is_causal=1),
    "a cache": Case(past=True, groups=2, is_causal=1),
}


@pytest.mark.parametrize("name", CASES)
def test_products_give_what_the_operator_gives(name: str):
    case = CASES[name]
    made = with_products(case.model)
    assert "Attention" not in {node.op_type for node in made.graph.node}
    given = list(case.inputs.values())
    for found, wanted in zip(run_onnxruntime(made, given), run_onnxruntime(case.model, given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["plain", "causal", "a mask", "an added mask", "groups", "a cache"])
def test_all_products_compute_with_integers(name: str):
    case = CASES[name]
    made = quantize(case.model, case.samples())
    assert {"Attention", "MatMul", "Softmax"}.isdisjoint(node.operator for node in made.floats)
    assert min(layer.sqnr for layer in made.layers) > 25
    assert made.weights_after < 0.45 * made.weights_before
    state = Compilation(made.model, CompileOptions(target="c", name="net")).at("settle")
    products = [op for op in state.module.walk() if isinstance(op, graph.MatmulOp)]
    assert [op.y.type.element_type for op in products] == [i32] * 6
    given = [values[0] for values in case.samples().values()]
    found, wanted = run_graph(state.module, given, state.weights)[0], run_onnxruntime(case.model, given)[0]
    assert np.square(found - wanted).sum() < 10**-2.5 * np.square(wanted).sum()


@pytest.mark.parametrize("case", [Case(softcap=2.0), Case(softmax_precision=TensorProto.DOUBLE)])
def test_what_has_no_products_stays_an_operator(case: Case):
    model = case.model
    assert [node.op_type for node in with_products(model).graph.node].count("Attention") == 1


def test_scores_are_found_where_a_mask_changes_them():
    found = {name: masked_scores(with_products(CASES[name].model)) for name in ("plain", "causal", "an added mask")}
    assert {name: len(nodes) for name, nodes in found.items()} == {"plain": 0, "causal": 3, "an added mask": 6}


def test_a_model_without_attention_is_not_changed():
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 23]> f (float[3] x) => (float[3] y) { y = Relu (x) }'
    )
    assert with_products(model) is model
