"""Importers, and the modules of relay that they make, as TVM 0.12 documents them."""

from typing import Any

import numpy as np

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from support.onnx_text import onnx_model
from tests.tvm.mechanisms.networks import dense

MODEL = onnx_model(
    "(float[n, 4] x) => (float[n, 2] y) <float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { y = MatMul (x, w) }"
)
X = np.array([[1, -1, 2, 0.5]], np.float32)
PRODUCT = X @ np.arange(1, 9, dtype=np.float32).reshape(4, 2)


def test_an_onnx_model_is_read_and_built():
    mod, params = relay.frontend.from_onnx(MODEL, shape={"x": (1, 4)})
    lib = relay.build(mod, target="llvm", params=params)
    module = graph_executor.GraphModule(lib["default"](tvm.cpu()))
    module.run(x=X)
    tvm.testing.assert_allclose(module.get_output(0).numpy(), PRODUCT)


def test_parameters_of_an_importer_are_arrays():
    _, params = relay.frontend.from_onnx(MODEL, shape={"x": (1, 4)}, freeze_params=False)
    assert all(isinstance(each, tvm.nd.NDArray) for each in params.values())
    assert [each.numpy().tolist() for each in params.values()] == [[[1, 2], [3, 4], [5, 6], [7, 8]]]


def test_a_module_is_made_of_an_expression():
    x = relay.var("x", shape=(2, 3), dtype="float32")
    mod = tvm.IRModule.from_expr(relay.exp(x))
    main: Any = mod["main"]
    assert [each.name_hint for each in main.params] == ["x"]
    assert tvm.ir.structural_equal(mod, tvm.IRModule({"main": relay.Function([x], relay.exp(x))}))


def test_a_function_has_parameters_a_body_a_type_and_attributes():
    x = relay.var("x", shape=(2,))
    function: Any = relay.Function([x], relay.exp(x), relay.TensorType((2,), "float32"), None, None)
    marked = function.with_attr("Primitive", 1)
    assert (function.params[0].name_hint, function.body.op.name) == ("x", "exp")
    assert str(function.ret_type) == "Tensor[(2), float32]"
    assert marked.attrs["Primitive"] == 1


def test_a_module_holds_functions():
    mod, _ = dense()
    x = relay.var("x", shape=(2,))
    mod["other"] = relay.Function([x], relay.exp(x))
    assert sorted(each.name_hint for each in mod.get_global_vars()) == ["main", "other"]
    assert mod.get_global_var("other").name_hint == "other"
    more = tvm.IRModule({"third": relay.Function([x], x)})
    mod.update(more)
    assert sorted(each.name_hint for each in mod.functions) == ["main", "other", "third"]
