"""Operators that move elements: shapes, slices, padding, indices, in the versions that differ."""

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from support.onnx_nodes import NodeCase, check, floats, known

X = floats(2, 3, 4)
IMAGE = floats(2, 8, 4, 6)
INDEX = np.array([[2, 0], [-1, 1]], np.int64)

CASES = {
    "reshape with -1 and 0": NodeCase("Reshape", [X, known([0, -1])]),
    "reshape of opset 5 and on": NodeCase("Reshape", [X, known([4, 6])], {}, 6),
    "reshape to a scalar": NodeCase("Reshape", [floats(1, 1), known([])]),
    "flatten": NodeCase("Flatten", [X], {"axis": 2}),
    "flatten from the back": NodeCase("Flatten", [X], {"axis": -1}),
    "flatten to a row": NodeCase("Flatten", [X], {"axis": 0}),
    "squeeze by attribute": NodeCase("Squeeze", [X[:, :1]], {"axes": [1]}, 11),
    "squeeze by operand": NodeCase("Squeeze", [X[:, :1], known([-2])]),
    "squeeze everything": NodeCase("Squeeze", [X[:1, :1]]),
    "unsqueeze by attribute": NodeCase("Unsqueeze", [X], {"axes": [0, 4]}, 11),
    "unsqueeze by operand": NodeCase("Unsqueeze", [X, known([-1, 0])]),
    "transpose": NodeCase("Transpose", [X], {"perm": [2, 0, 1]}),
    "transpose reverses by default": NodeCase("Transpose", [X]),
    "expand both ways": NodeCase("Expand", [X[:, :1], known([3, 1])]),
    "tile": NodeCase("Tile", [X, known([1, 2, 3])]),
    "concat": NodeCase("Concat", [X, X[:, :1], floats(2, 2, 4, seed=3)], {"axis": -2}),
    "concat of one": NodeCase("Concat", [X], {"axis": 0}),
    "split evenly": NodeCase("Split", [X], {"axis": 2}, 11, outputs=2),
    "split by attribute": NodeCase("Split", [X], {"axis": 2, "split": [1, 3]}, 11, outputs=2),
    "split by operand": NodeCase("Split", [X, known([1, 3])], {"axis": -1}, 13, outputs=2),
    "split with a smaller rest": NodeCase("Split", [X], {"axis": 1, "num_outputs": 2}, outputs=2),
    "slice by attributes": NodeCase("Slice", [X], {"starts": [1, -3], "ends": [9, -1], "axes": [0, 2]}, 9),
    "slice by operands": NodeCase("Slice", [X, known([0, 1]), known([2, 1000]), known([0, -1]), known([1, 2])]),
    "slice backwards": NodeCase("Slice", [X, known([-1]), known([-(2**63)]), known([1]), known([-1])]),
    "slice backwards by two": NodeCase("Slice", [X, known([100]), known([0]), known([2]), known([-2])]),
    "pad by attribute": NodeCase("Pad", [X], {"pads": [0, 1, 2, 1, 0, 0], "value": 1.5}, 10),
    "pad by operands": NodeCase("Pad", [X, known([0, 1, 2, 1, 0, 0]), known(2.5, np.float32)]),
    "pad along axes": NodeCase("Pad", [X, known([1, 0, 2, 1]), None, known([-1, 0])]),
    "pad with a value of run time": NodeCase("Pad", [X, known([0, 1, 2, 1, 0, 0]), np.array(2.5, np.float32)]),
    "pad by reflection": NodeCase("Pad", [X, known([0, 2, 3, 1, 1, 0])], {"mode": "reflect"}),
    "pad by the edge": NodeCase("Pad", [X, known([0, 5, 3, 1, 1, 0])], {"mode": "edge"}),
    "pad by wrapping": NodeCase("Pad", [X, known([0, 2, 3, 1, 1, 0])], {"mode": "wrap"}),
    "negative pads crop": NodeCase("Pad", [X, known([0, -1, 2, 0, 0, -2])], by_runtime=True),
    "depth to space": NodeCase("DepthToSpace", [IMAGE], {"blocksize": 2}),
    "depth to space by columns": NodeCase("DepthToSpace", [IMAGE], {"blocksize": 2, "mode": "CRD"}),
    "space to depth": NodeCase("SpaceToDepth", [IMAGE], {"blocksize": 2}),
    "gather": NodeCase("Gather", [X, INDEX], {"axis": 1}),
    "gather one": NodeCase("Gather", [X, known(-1)], {"axis": 1}),
    "gather of a list of one": NodeCase("Gather", [X, known([1])], {"axis": -1}),
    "gather elements": NodeCase("GatherElements", [X[0], INDEX], {"axis": 0}, by_runtime=True),
    "gather nd": NodeCase("GatherND", [X, known([[1, 2], [0, -1]])]),
    "gather nd in batches": NodeCase("GatherND", [X, known([[1], [2]])], {"batch_dims": 1}),
    "scatter elements": NodeCase("ScatterElements", [X[0], INDEX, floats(2, 2, seed=5)], {"axis": 0}),
    "scatter of opset 9": NodeCase("Scatter", [X[0], INDEX, floats(2, 2, seed=5)], {"axis": 0}, 10, by_runtime=True),
    "scatter elements adds": NodeCase(
        "ScatterElements", [X[0], known([[1, 1]]), floats(1, 2, seed=5)], {"axis": 1, "reduction": "add"}
    ),
    "scatter nd": NodeCase("ScatterND", [X, known([[1], [0]]), floats(2, 3, 4, seed=6)], {"reduction": "max"}),
    "one hot": NodeCase("OneHot", [INDEX, known(4), np.array([0.5, 2], np.float32)], {"axis": 1}),
    "upper triangle": NodeCase("Trilu", [X, known(1)]),
    "lower triangle, shifted at run time": NodeCase("Trilu", [X, np.array(-1)], {"upper": 0}),
    "reversed sequences": NodeCase("ReverseSequence", [X, np.array([1, 3])], {"batch_axis": 0, "time_axis": 1}),
    "reversed sequences of rows": NodeCase(
        "ReverseSequence", [floats(2, 3, 5), np.array([1, 3])], {"batch_axis": 0, "time_axis": 1}
    ),
    "reversed rows of sequences": NodeCase(
        "ReverseSequence", [floats(3, 2, 2, 5), np.array([3, 2])], {"batch_axis": 1, "time_axis": 0}
    ),
    "reversed rows by known lengths": NodeCase(
        "ReverseSequence", [floats(3, 2, 5), known([3, 2])], {"batch_axis": 1, "time_axis": 0}
    ),
    "compress": NodeCase("Compress", [X, known([0, 1, 1], np.bool_)], {"axis": 1}),
    "compress flat": NodeCase("Compress", [X, known([0, 1, 1], np.bool_)]),
    "eye": NodeCase("EyeLike", [X[0]], {"k": 1, "dtype": 7}, 22),
    "range": NodeCase("Range", [known(10, np.int32), known(1, np.int32), known(-3, np.int32)]),
    "range of floats": NodeCase("Range", [known(0.5, np.float32), known(2, np.float32), known(0.3, np.float32)]),
    "shape": NodeCase("Shape", [X], {"start": -2}),
    "size": NodeCase("Size", [X]),
    "constant of shape": NodeCase("ConstantOfShape", [known([2, 3])]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: NodeCase):
    check(case)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (NodeCase("Reshape", [X, known([5, -1])]), "does not fit the 24 elements"),
        (NodeCase("Reshape", [X, known([-1, -1])]), "more than one -1"),
        (NodeCase("Reshape", [X, known([7, 7])]), "cannot become"),
        (NodeCase("Reshape", [X, known([2, 3, 4, 0])]), "cannot be applied"),
        (NodeCase("Transpose", [X], {"perm": [0, 0, 1]}), "no permutation"),
        (NodeCase("Squeeze", [X, known([0])]), "not all of size 1"),
        (NodeCase("Concat", [X, X[0]], {"axis": 0}), "2 and 3 dimensions"),
        (NodeCase("Concat", [X, X], {"axis": 3}), "axis 3 is outside"),
        (NodeCase("Gather", [X, known([0, 3])], {"axis": 1}), "index is outside"),
        (NodeCase("Split", [X, known([1, 4])], {"axis": 2}, outputs=2), "do not add up"),
        (NodeCase("Slice", [X, known([0]), known([1, 2])]), "do not match"),
        (NodeCase("Slice", [X, known([0]), known([1]), known([0]), known([0])]), "no step 0"),
        (NodeCase("Pad", [X, known([1, 1])]), "do not fit axes"),
        (NodeCase("Pad", [X, known([0, 0, -3, 0, 0, -3])]), "cut more than"),
        (NodeCase("Expand", [X, known([2, 2, 4])]), "do not broadcast"),
        (NodeCase("Expand", [X, known([2**40, 1, 1, 1])]), "elements"),
        (NodeCase("Tile", [X, known([2**20, 2**20, 1])]), "elements"),
        (NodeCase("ConstantOfShape", [known([-1, 2])]), "negative"),
        (NodeCase("Range", [known(0), known(2**62), known(1)]), "the range has"),
        (NodeCase("Range", [known(0), known(4), known(0)]), "delta is 0"),
        (NodeCase("DepthToSpace", [IMAGE], {"blocksize": 3}), "do not divide"),
        (NodeCase("DepthToSpace", [IMAGE], {"blocksize": 0}), "blocksize"),
    ],
)
def test_what_does_not_fit_is_refused(case: NodeCase, message: str):
    with pytest.raises((InputError, UnsupportedError), match=message) as caught:
        import_model(case.model())
    assert str(caught.value).startswith("node (")


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (NodeCase("Reshape", [X, np.array([4, 6])]), "its shape is computed at run time"),
        (NodeCase("Expand", [X, np.array([2, 3, 4])]), "its shape is computed at run time"),
    ],
)
def test_shapes_that_depend_on_data_are_unsupported(case: NodeCase, message: str):
    with pytest.raises(UnsupportedError, match=message):
        import_model(case.model())
