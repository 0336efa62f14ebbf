"""Operands that a model computes at run time, where the shape that it declares for the result decides them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx.helper as oh
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.frontends.onnx.declared_shapes import declared_shapes
from s2s.types.dtypes import Array
from support.onnx_nodes import NodeCase, run_imported, run_reference
from support.reference import assert_close

RANDOM = np.random.default_rng(7)


def floats(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


X = floats(3, 4, 4)
ONE = np.array(1, np.int64)


def declared(case: NodeCase, shapes: Sequence[Sequence[int]] | None = None) -> tuple[onnx.ModelProto, list[Array]]:
    """The model of `case` with the shapes of its results, those of the reference by default; and the results."""
    model = case.model()
    expected = run_reference(model, case.inputs())
    for port, result, shape in zip(
        model.graph.output, expected, shapes or [each.shape for each in expected], strict=True
    ):
        port.CopyFrom(oh.make_tensor_value_info(port.name, oh.np_dtype_to_tensor_dtype(result.dtype), list(shape)))
    return model, expected


WEIGHED: dict[str, dict[str, Any]] = {
    "cubic": {"mode": "cubic"},
    "cubic inside": {"mode": "cubic", "exclude_outside": 1, "coordinate_transformation_mode": "align_corners"},
    "smoothed": {"mode": "linear", "antialias": 1},
    "smoothed cubic": {"mode": "cubic", "antialias": 1, "cubic_coeff_a": -0.5},
}
CASES = {
    "reshape": NodeCase("Reshape", [X, ints(2, -1)]),
    "expand": NodeCase("Expand", [floats(3, 1), ints(2, 1, 4)]),
    "tile": NodeCase("Tile", [X, ints(1, 2, 3)]),
    "squeeze": NodeCase("Squeeze", [floats(3, 1, 4, 1), ints(1)]),
    "unsqueeze": NodeCase("Unsqueeze", [X, ints(-1, 0)]),
    "constant": NodeCase("ConstantOfShape", [ints(2, 3)]),
    "top k": NodeCase("TopK", [X, ints(2)], outputs=2),
    "split": NodeCase("Split", [X, ints(1, 3)], {"axis": 1}, outputs=2),
    "one hot": NodeCase("OneHot", [ints(0, 2, -1), np.array(4, np.int64), np.array([0, 5], np.float32)]),
    "range": NodeCase("Range", [np.array(3, np.float32), np.array(-2, np.float32), np.array(-1.5, np.float32)]),
    "axes that are left": NodeCase("ReduceSum", [X, ints(-2)], {"keepdims": 1}),
    "one of two axes": NodeCase("ReduceL2", [X, ints(-1)], {"keepdims": 0}, 18),
    "the other of two axes": NodeCase("ReduceLogSumExp", [X, ints(1)], {"keepdims": 0}, 18),
    "two of three axes": NodeCase("ReduceMax", [floats(3, 3, 3), ints(0, -1)], {"keepdims": 0}, 20),
    "slice": NodeCase("Slice", [X, ints(1, -3), ints(3, 100)]),
    "slice backwards": NodeCase("Slice", [X, ints(-1, 100), ints(0, -100), ints(2, -2), ints(-2, -1)]),
    "pad": NodeCase("Pad", [X, ints(0, 2, 1, 1, 0, 3), np.array(0.5, np.float32)]),
    "pad some axes": NodeCase("Pad", [X, ints(2, 1), None, ints(-1)], {"mode": "reflect"}),
    "pad edges": NodeCase("Pad", [X, ints(0, 2, 1, 1, 0, 3)], {"mode": "edge"}),
    "pad around": NodeCase("Pad", [X, ints(0, 2, 1, 1, 0, 3)], {"mode": "wrap"}),
    **{
        f"resize, {name}": NodeCase("Resize", [X[None], None, np.array([1, 1, 2.3, 0.6], np.float32)], attributes, 19)
        for name, attributes in WEIGHED.items()
    },
    "resize to sizes": NodeCase("Resize", [X[None], None, None, ints(1, 3, 6, 5)], {"mode": "linear"}, 19),
    **{
        f"resize to sizes, {policy}": NodeCase(
            "Resize",
            [X[None], None, None, ints(8, 6)],
            {"axes": [3, 2], "mode": mode, "keep_aspect_ratio_policy": policy},
            19,
        )
        for policy, mode in (("not_larger", "nearest"), ("not_smaller", "linear"))
    },
    "resize by scales": NodeCase(
        "Resize", [X[None], None, np.array([1, 1, 2.3, 0.6], np.float32)], {"mode": "linear"}, 19
    ),
    "resize corners": NodeCase(
        "Resize",
        [X[None], None, np.array([1, 1, 2.3, 1.6], np.float32)],
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
        19,
    ),
    "resize to the nearest": NodeCase(
        "Resize",
        [X[None], None, np.array([1, 1, 2.5, 0.8], np.float32)],
        {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        19,
    ),
    "window": NodeCase("HannWindow", [np.array(9, np.int64)], {}, 17),
    "center": NodeCase("CenterCropPad", [X, ints(5, 3)], {"axes": [1, 2]}, 18),
    "grid": NodeCase("AffineGrid", [floats(2, 2, 3), ints(2, 3, 4, 5)], {}, 20),
}


@pytest.mark.parametrize("name", CASES)
def test_the_declared_shape_stands_for_the_operand(name: str):
    model, expected = declared(CASES[name])
    found = run_imported(import_model(model), CASES[name].inputs())
    for actual, wanted in zip(found, expected, strict=True):
        assert_close(actual, wanted, 1e-5)


def test_the_shape_is_looked_for_behind_elementwise_operators():
    case = NodeCase("ReduceSum", [np.abs(X), ints(1)], {"keepdims": 0})
    model, (expected,) = declared(case)
    model.graph.node[0].output[0] = "sum"
    model.graph.node.extend([oh.make_node("Sqrt", ["sum"], ["root"]), oh.make_node("Log", ["root"], ["y0"])])
    (found,) = run_imported(import_model(model), case.inputs())
    assert_close(found, np.log(np.sqrt(expected)), 1e-5)


REFUSED: dict[str, tuple[NodeCase, Any, type[Exception], str]] = {
    "axes that cannot be": (
        NodeCase("ReduceSum", [X, ints(1)], {"keepdims": 0}),
        [[5, 4]],
        InputError,
        r"no axes of \[3, 4, 4\] leave the declared shape \[5, 4\]",
    ),
    "much smoothed": (
        NodeCase(
            "Resize",
            [np.ones((1, 1, 99), np.float32), None, np.array([1, 1, 0.02], np.float32)],
            {"mode": "cubic", "antialias": 1},
            19,
        ),
        None,
        UnsupportedError,
        "smooths 396 elements at places of run time; smooth at most",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_shape_does_not_decide_is_refused(name: str):
    case, shapes, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        import_model(declared(case, shapes)[0])


def test_without_a_declared_shape_the_way_out_is_named():
    with pytest.raises(UnsupportedError, match=r"axes is computed at run time; make .* or declare the shape of y0"):
        import_model(NodeCase("ReduceSum", [X, ints(1)]).model())


@pytest.mark.parametrize(("sizes", "reason"), [(ints(8, 6), "sizes is computed"), (ints(8), "do not fit 2 axes")])
def test_sizes_that_keep_a_ratio_need_a_shape_and_one_for_each_axis(sizes: Array, reason: str):
    attributes = {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}
    with pytest.raises((UnsupportedError, InputError), match=reason):
        import_model(NodeCase("Resize", [X[None], None, None, sizes], attributes, 19).model())


def test_nodes_without_operands_or_results_are_left_to_the_importer():
    """Damaged files have them."""
    y = oh.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2])
    nodes = [oh.make_node("Relu", [], ["y"]), oh.make_node("Relu", ["x"], [])]
    assert declared_shapes(oh.make_graph(nodes, "damaged", [], [y])) == {"y": (2,)}
