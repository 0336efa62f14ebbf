"""Relay's expressions, workloads and operators as TVM 0.12 documents them."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.contrib import graph_executor
from tests.tvm.mechanisms.networks import dense


def evaluated(expression: Any, *arrays: Any) -> Any:
    evaluate: Any = relay.create_executor("graph", device=tvm.cpu(), target="llvm").evaluate(expression)
    return evaluate(*arrays).numpy()


def test_layers_have_the_shapes_of_the_documentation():
    data = relay.var("data", relay.TensorType((1, 3, 224, 224), "float32"))
    weight = relay.var("weight")
    y = relay.nn.conv2d(data, weight, kernel_size=(7, 7), strides=(2, 2), padding=(3, 3), channels=64)
    y = relay.nn.max_pool2d(relay.nn.relu(y), pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    y = relay.nn.global_avg_pool2d(y)
    mod = relay.transform.InferType()(tvm.IRModule.from_expr(relay.nn.batch_flatten(y)))
    main: Any = mod["main"]
    assert str(main.ret_type) == "Tensor[(1, 64), float32]"
    assert [tuple(each.checked_type.shape) for each in main.params] == [(1, 3, 224, 224), (64, 3, 7, 7)]


@pytest.mark.parametrize("name", ["mlp", "resnet", "mobilenet"])
def test_a_workload_is_a_module_with_parameters(name: str):
    mod, params = getattr(relay.testing, name).get_workload(batch_size=1)
    main: Any = mod["main"]
    assert {each.name_hint for each in main.params} - {"data"} == set(params)
    assert all(isinstance(each, tvm.nd.NDArray) for each in params.values())


def test_a_workload_is_made_of_a_function():
    mod, _ = dense()
    made, params = relay.testing.create_workload(mod["main"])
    assert sorted(params) == ["bias", "weight"]
    lib = relay.build(made, "llvm", params=params)
    module = graph_executor.GraphModule(lib["default"](tvm.cpu()))
    module.run(data=np.ones((1, 8), np.float32))
    assert module.get_output(0).numpy().shape == (1, 4)


def test_operators_of_python_are_those_of_relay():
    x, y = relay.var("x", shape=(3,)), relay.var("y", shape=(3,))
    a, b = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
    tvm.testing.assert_allclose(evaluated(relay.Function([x, y], (x + y) * x - y / x), a, b), (a + b) * a - b / a)


def test_a_tuple_has_fields():
    x = relay.var("x", shape=(2, 6))
    parts: Any = relay.split(x, 3, axis=1)
    array = np.arange(12, dtype=np.float32).reshape(2, 6)
    tvm.testing.assert_allclose(evaluated(relay.Function([x], parts[1]), array), array[:, 2:4])
    assert len(parts) == 3


def test_a_text_is_read_and_printed():
    text = "def @main(%x: Tensor[(1, 4), float32]) -> Tensor[(1, 4), float32] {\n  nn.relu(%x)\n}"
    mod = tvm.parser.fromtext(f'#[version = "0.0.5"]\n{text}')
    assert text in mod.astext(show_meta_data=False)
    assert str(mod).strip().endswith(text)
