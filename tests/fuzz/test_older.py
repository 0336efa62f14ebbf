"""Nodes of random models in earlier opsets, in which lists of numbers were attributes."""

from random import Random
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.fuzz.draw import OPSETS
from s2s.fuzz.network import Network, Rejected
from s2s.fuzz.older import check_types, in_opset
from s2s.fuzz.operators import OPERATORS
from s2s.types.dtypes import Array

X = np.zeros([2, 1, 3], np.float32)
AXES = np.asarray([1])


@pytest.mark.parametrize(
    ("op", "opset", "operands", "attributes"),
    [
        ("Squeeze", 11, [X, AXES], {"axes": [1]}),
        ("Pad", 9, [X, np.asarray([0, 0, 1, 0, 0, 1]), X[0, 0, 0]], {"pads": [0, 0, 1, 0, 0, 1], "value": 0.0}),
        ("Clip", 9, [X, None, np.float32(6)], {"max": 6.0}),
        ("TopK", 9, [X, np.asarray([2])], {"k": 2}),
    ],
)
def test_operands_become_attributes(op: str, opset: int, operands: list[Array | None], attributes: dict[str, Any]):
    constant = [position > 0 for position in range(len(operands))]
    assert in_opset(op, opset, operands, constant, {}) == (1, attributes)


def test_an_attribute_that_an_opset_lacks_is_not_given_if_it_is_the_default():
    assert in_opset("ArgMax", 11, [X], [False], {"axis": 1, "select_last_index": 0}) == (1, {"axis": 1})
    with pytest.raises(InputError, match="has no select_last_index"):
        in_opset("ArgMax", 11, [X], [False], {"select_last_index": 1})


def test_operands_of_the_run_time_cannot_become_attributes():
    with pytest.raises(InputError, match="takes no axes"):
        in_opset("Squeeze", 11, [X, AXES], [False, False], {})


def test_operands_that_were_not_optional_are_given():
    with pytest.raises(InputError, match="at least 3 operands"):
        in_opset("Gemm", 9, [X[0], X[0], None], [False] * 3, {})


def test_types_are_those_of_the_opset():
    check_types("Clip", 12, [X.astype(np.int32)], [X.astype(np.int32)])
    with pytest.raises(InputError, match="takes no int32 as input"):
        check_types("Clip", 11, [X.astype(np.int32)], [X.astype(np.int32)])


@pytest.mark.parametrize(
    ("op", "opset"), [("Squeeze", 11), ("ReduceSum", 11), ("Slice", 9), ("Upsample", 9), ("Scatter", 9)]
)
def test_earlier_forms_are_drawn(op: str, opset: int):
    assert opset in OPSETS
    found = [node for seed in range(20) for node in drawn(op, opset, seed)]
    assert any(len(node.input) == {"Upsample": 2, "Scatter": 3}.get(op, 1) and node.attribute for node in found)


def drawn(op: str, opset: int, seed: int) -> list[Any]:
    """The nodes of an operator that a seed draws in an opset; none where it is rejected."""
    net = Network(Random(seed), opset, "")
    try:
        net.attempt(OPERATORS["ScatterElements" if op == "Scatter" else op])
    except Rejected:
        return []
    return [node for node in net.model().graph.node if node.op_type == op]
