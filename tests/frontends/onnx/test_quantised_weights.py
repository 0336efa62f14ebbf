"""Weights that a model dequantises stay integers in the IR; passes decide what becomes of them."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.func import ReturnOp

from s2s.dialects import graph
from s2s.frontends.onnx import import_model
from s2s.frontends.onnx.load import load_model
from s2s.types.dtypes import as_tensor_type

INTEGERS = np.arange(-4, 4, dtype=np.int8).reshape(4, 2)


def model(nodes: list[onnx.NodeProto]) -> onnx.ModelProto:
    """A model of `nodes` on `x[1, 4]` and the quantised weight `w[4, 2]`."""
    parameters = {"w": INTEGERS, "scale": np.array([0.5, 2], np.float32), "zero": np.array([0, 0], np.int8)}
    made = helper.make_graph(
        nodes,
        "weights",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in parameters.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])


def test_dequantised_weight_reaches_its_layer_through_its_integers():
    dequantize = helper.make_node("DequantizeLinear", ["w", "scale", "zero"], ["d"], axis=1)
    imported = import_model(load_model(model([dequantize, helper.make_node("MatMul", ["x", "d"], ["y"])])))
    [product] = [op for op in imported.module.walk() if isinstance(op, graph.MatmulOp)]
    scaled = product.b.owner
    assert isinstance(scaled, graph.MulOp)
    cast = scaled.a.owner
    assert isinstance(cast, graph.CastOp)
    weight = cast.x.owner
    assert isinstance(weight, graph.WeightOp)
    np.testing.assert_array_equal(imported.weights.get(weight.weight_name.data), INTEGERS)


def test_dequantised_constant_is_known_where_an_importer_wants_its_value():
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale", "zero"], ["d"], axis=1),
        helper.make_node("Reshape", ["x", "shape_of_x"], ["r"]),
        helper.make_node("ReduceMax", ["d"], ["m"], keepdims=0),
        helper.make_node("Cast", ["m"], ["k"], to=TensorProto.INT64),
        helper.make_node("Unsqueeze", ["k", "axes"], ["shape_of_x"]),
        helper.make_node("Identity", ["r"], ["y"]),
    ]
    given = model([nodes[0], *nodes[2:5], nodes[1], nodes[5]])
    given.graph.initializer.append(numpy_helper.from_array(np.array([0], np.int64), "axes"))
    given.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.full((4, 2), 2, np.int8), "w"))
    imported = import_model(load_model(given))
    [end] = [op for op in imported.module.walk() if isinstance(op, ReturnOp)]
    assert as_tensor_type(end.arguments[0].type).get_shape() == (4,)
