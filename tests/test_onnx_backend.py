"""The interface that ONNX defines for engines."""

import numpy as np
import onnx
import onnx.helper as oh
import pytest
from onnx.backend.base import Backend

from s2s import onnx_backend
from s2s.errors import InputError, UnsupportedError

FLOAT = onnx.TensorProto.FLOAT


def model(operator: str = "Sub") -> onnx.ModelProto:
    names = ["a", "b"]
    graph = oh.make_graph(
        [oh.make_node(operator, names, ["y"])],
        "net",
        [oh.make_tensor_value_info(name, FLOAT, [3]) for name in names],
        [oh.make_tensor_value_info("y", FLOAT, [3])],
    )
    return oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)])


A, B = np.array([1, 2, 3], np.float32), np.array([3, 2, 2], np.float32)


def test_a_prepared_model_runs_on_inputs_in_order_and_by_name():
    prepared = onnx_backend.prepare(model(), target="c")
    assert prepared.run([A, B])[0].tolist() == [-2.0, 0.0, 1.0]
    assert prepared.run({"b": A, "a": B})[0].tolist() == [2.0, 0.0, -1.0]


def test_inputs_that_are_missing_are_named():
    with pytest.raises(InputError, match="1 inputs given, the model has 2: a, b; give one for each"):
        onnx_backend.prepare(model(), target="c").run([A])


def test_it_is_a_backend_of_onnx():
    assert issubclass(onnx_backend.S2SBackend, Backend)
    assert onnx_backend.supports_device("CPU")
    assert not onnx_backend.supports_device("CUDA:0")
    with pytest.raises(InputError, match="device CUDA: is not supported; use CPU"):
        onnx_backend.prepare(model(), "CUDA")


def test_a_model_that_cannot_be_imported_is_not_compatible():
    assert onnx_backend.is_compatible(model())
    assert not onnx_backend.is_compatible(model("Nothing"))


def test_operands_that_set_sizes_are_constants_until_they_change():
    nodes = [oh.make_node("Reshape", ["x", "shape"], ["y"])]
    inputs = [
        oh.make_tensor_value_info("x", FLOAT, [2, 3]),
        oh.make_tensor_value_info("shape", onnx.TensorProto.INT64, [2]),
    ]
    graph = oh.make_graph(nodes, "net", inputs, [oh.make_tensor_value_info("y", FLOAT, None)])
    found = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)])
    assert onnx_backend.is_compatible(found)
    late = onnx_backend.prepare(found, target="c")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for shape in ([3, 2], [3, 2], [1, 6]):
        assert late.run([x, np.array(shape)])[0].tolist() == x.reshape(shape).tolist()


def test_a_model_that_no_value_makes_possible_is_refused_in_the_run():
    nodes = [oh.make_node("SequenceConstruct", ["a", "b"], ["s"]), oh.make_node("SequenceLength", ["s"], ["y"])]
    inputs = [oh.make_tensor_value_info(name, FLOAT, [3]) for name in "ab"]
    graph = oh.make_graph(nodes, "net", inputs, [oh.make_tensor_value_info("y", onnx.TensorProto.INT64, [])])
    found = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)])
    assert not onnx_backend.is_compatible(found)
    late = onnx_backend.prepare(found, target="c")
    with pytest.raises(UnsupportedError, match="sequences, optionals and maps are not supported"):
        late.run([A, B])
