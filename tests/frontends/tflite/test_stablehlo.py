"""Operators of StableHLO where LiteRT has no answer: composites, places outside a tensor, what is refused.

A composite stands for the graph that decomposes it, as it does for kernels that know no better. LiteRT reads beyond the
indices where `index_vector_dim` is their rank, and writes beyond the result at negative places: the specification says
that such updates are left out.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph.run import run_graph
from s2s.types.dtypes import Array
from support.tflite_case import Case, Operand


def test_a_composite_is_its_decomposition():
    tensors = [TensorSpec("x", (2, 3)), TensorSpec("y", (2, 3))]
    options = {"name": "square", "decomposition_subgraph_index": 1}
    composite = OperatorSpec("STABLEHLO_COMPOSITE", ["x"], ["y"], "StableHLOCompositeOptions", options)
    decomposition = OperatorSpec("MUL", ["x", "x"], ["y"], "MulOptions")
    data = model([GraphSpec(tensors, [composite], ["x"], ["y"]), GraphSpec(tensors, [decomposition], ["x"], ["y"])])
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    imported = import_model(data)
    [found] = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_array_equal(found, x * x)


def run(case: Case) -> Array:
    imported = import_model(case.model)
    return run_graph(imported.module, case.inputs, imported.weights)[0]


def gather(x: Array, places: Array, shape: tuple[int, ...], **options: Any) -> Case:
    return Case("STABLEHLO_GATHER", [Operand(x), Operand(places)], shape, "float32", None, options)


def scatter(x: Array, places: Array, updates: Array, body: str = "", **options: Any) -> Case:
    computation = "update_computation_subgraph_index", body
    operands = [Operand(x), Operand(places), Operand(updates)]
    return Case("STABLEHLO_SCATTER", operands, x.shape, "float32", None, options, computation=computation)


ROWS: dict[str, Any] = {
    "offset_dims": [1],
    "collapsed_slice_dims": [0],
    "start_index_map": [0],
    "slice_sizes": [1, 3],
    "index_vector_dim": 1,
}
TO_ROWS: dict[str, Any] = {
    "update_window_dims": [1],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_rows_are_gathered_at_the_nearest_place_inside():
    found = run(gather(TABLE, np.array([3, 0, 9, -5], np.int32), (4, 3), **ROWS))
    np.testing.assert_array_equal(found, TABLE[[3, 0, 3, 0]])


@pytest.mark.parametrize("constant", [False, True])
def test_updates_outside_of_the_tensor_are_left_out(constant: bool):
    places, updates = np.array([2, -1, 4, 2], np.int32), -np.arange(12, dtype=np.float32).reshape(4, 3)
    operands = [Operand(TABLE), Operand(places, constant=constant), Operand(updates)]
    computation = "update_computation_subgraph_index", "STABLEHLO_ADD"
    case = Case("STABLEHLO_SCATTER", operands, (4, 3), "float32", None, TO_ROWS, computation=computation)
    expected = TABLE.copy()
    expected[2] += updates[0] + updates[3]
    np.testing.assert_array_equal(run(case), expected)


def test_a_window_that_leaves_the_tensor_writes_what_lies_inside():
    options: dict[str, Any] = {
        "update_window_dims": [0],
        "inserted_window_dims": np.empty(0, np.int64),
        "scatter_dims_to_operand_dims": [0],
        "index_vector_dim": 0,
    }
    x, updates = np.zeros(5, np.float32), np.array([1, 2, 3], np.float32)
    found = run(scatter(x, np.array([-1], np.int32), updates, **options))
    np.testing.assert_array_equal(found, [2, 3, 0, 0, 0])


def test_shifts_of_the_width_give_zero():
    a, b = np.array([1, -1, 3], np.int8), np.array([7, 8, 100], np.int8)
    found = run(Case("STABLEHLO_SHIFT_LEFT", [Operand(a), Operand(b)], (3,), "int8"))
    np.testing.assert_array_equal(found, np.array([-128, 0, 0], np.int8))


def test_padding_may_cut_the_whole_tensor_off():
    options = {"edge_padding_low": [3], "edge_padding_high": [-4], "interior_padding": [0]}
    fill = Operand(np.array(7, np.float32))
    found = run(Case("STABLEHLO_PAD", [Operand(np.ones(2, np.float32)), fill], (1,), "float32", None, options))
    np.testing.assert_array_equal(found, [7])


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"start_index_map": [0, 1]}, "1 coordinates for 2 dimensions"),
        ({"start_index_map": [5]}, "start_index_map"),
        ({"slice_sizes": [1, 4]}, "do not fit its dimensions"),
        ({"offset_dims": [2]}, "offset_dims"),
        ({"index_vector_dim": 3}, "index_vector_dim"),
    ],
)
def test_gathers_that_do_not_fit_are_refused(options: dict[str, Any], fact: str):
    with pytest.raises(InputError, match=fact):
        import_model(gather(TABLE, np.zeros(4, np.int32), (4, 3), **{**ROWS, **options}).model)


@pytest.mark.parametrize(("body", "fact"), [("SUB", "combines numbers by SUB"), ("LOGICAL_AND", "combines bools")])
def test_scatters_by_other_computations_are_refused(body: str, fact: str):
    with pytest.raises(UnsupportedError, match=fact):
        import_model(scatter(TABLE, np.zeros(4, np.int32), TABLE, body, **TO_ROWS).model)


@pytest.mark.parametrize("inputs", [["a", "a"], ["b", "b"]])
def test_a_computation_of_one_number_is_refused(inputs: Sequence[str]):
    tensors = [TensorSpec("x", (3,)), TensorSpec("s", ()), TensorSpec("y", (2,))]
    options = {"window_dimensions": [2], "body_subgraph_index": 1}
    window = OperatorSpec("STABLEHLO_REDUCE_WINDOW", ["x", "s"], ["y"], "StablehloReduceWindowOptions", options)
    body = GraphSpec(
        [TensorSpec(name, ()) for name in "abc"],
        [OperatorSpec("ADD", inputs, ["c"], "AddOptions")],
        ["a", "b"],
        ["c"],
    )
    with pytest.raises(UnsupportedError, match="combines numbers by ADD"):
        import_model(model([GraphSpec(tensors, [window], ["x", "s"], ["y"]), body]))
