"""Products of matrices by the real BLAS: right in all forms, and chosen where our kernels are plain C."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.decisions.decision import Decision
from support.c_compilers import require_header

FORMS = {
    "matrices": ([7, 12], [12, 5], [7, 5]),
    "one row": ([1, 12], [12, 5], [1, 5]),
    "batch of rows": ([2, 3, 12], [12, 5], [2, 3, 5]),
    "batch of pairs": ([4, 3, 12], [4, 12, 5], [4, 3, 5]),
}


LARGE = ([64, 64], [64, 64], [64, 64])


def network(form: str, *, constant: bool) -> onnx.ModelProto:
    """y = a b"""
    a, b, y = FORMS.get(form, LARGE)
    values = numpy_helper.from_array(np.random.default_rng(0).normal(size=b).astype(np.float32), "b")
    inputs = {"a": a} if constant else {"a": a, "b": b}
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]
    result = [helper.make_tensor_value_info("y", TensorProto.FLOAT, y)]
    node = helper.make_node("MatMul", ["a", "b"], ["y"], "product")
    graph = helper.make_graph([node], "net", ports, result, [values] if constant else [])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def decision(**options: Any) -> Decision:
    found = api.compile(network("large", constant=True), **options).decisions
    return next(each for each in found if each.kind == "external")


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_products_are_right(form: str, constant: bool):
    require_header("cblas.h", "libopenblas-dev")
    random = np.random.default_rng(1)
    a, b, _ = FORMS[form]
    inputs = {"a": random.normal(size=a).astype(np.float32)}
    if not constant:
        inputs["b"] = random.normal(size=b).astype(np.float32)
    model = network(form, constant=constant)
    factor = inputs["b"] if not constant else numpy_helper.to_array(model.graph.initializer[0])
    with api.compile(model, target="host", external="blas=always") as artifact:
        assert "cblas_sgemm" in artifact.tree().text("src/net_blas.c")
        np.testing.assert_allclose(artifact.run(inputs)["y"], inputs["a"] @ factor, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("swapped", [(1, 0), (0, 1), (1, 1)])
def test_transposed_factors_are_right(swapped: tuple[int, int]):
    require_header("cblas.h", "libopenblas-dev")
    random = np.random.default_rng(1)
    a, b = random.normal(size=(6, 4)).astype(np.float32), random.normal(size=(4, 5)).astype(np.float32)
    stored = a.T if swapped[0] else a, b.T if swapped[1] else b
    node = helper.make_node("Gemm", ["a", "b"], ["y"], "product", transA=swapped[0], transB=swapped[1])
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape)
        for name, value in zip("ab", stored, strict=True)
    ]
    result = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [6, 5])]
    graph = helper.make_graph([node], "net", ports, result)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with api.compile(model, target="host", external="blas=always") as artifact:
        found = artifact.run({name: np.asarray(v, order="C") for name, v in zip("ab", stored, strict=True)})["y"]
    np.testing.assert_allclose(found, a @ b, rtol=1e-5, atol=1e-5)


def test_vectors_of_our_kernels_win_and_plain_c_loses_large_products():
    assert decision(target="x86-64-v4", external="blas").chosen == "s2s"
    assert decision(target="c", external="blas").chosen == "blas"


def test_both_estimates_are_recorded():
    found = decision(target="x86-64-v3", external="blas")
    costs = {each.note: each.cost for each in found.candidates}
    assert costs["s2s"] is not None
    assert costs["blas"] is not None
    assert (costs["s2s"].cycles or 0) < (costs["blas"].cycles or 0)


def test_microcontrollers_have_no_such_library():
    found = decision(target="cortex-m4", external="blas=always")
    assert found.chosen == "s2s"
    assert [each.refused for each in found.candidates if each.note == "blas"] == [
        "target cortex-m4 is no host: there is no such library for it"
    ]
