"""STABLEHLO_CASE: the graph that runs has the number of the first operand, or is the last one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.newer import StablehloCaseOptions
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.engines import run_litert
from s2s.interpret.graph.run import run_graph
from s2s.options import CompileOptions
from support.compiled import run_c

T, Op = TensorSpec, OperatorSpec
BODIES = ("ADD", "MUL", "SUB", "MAXIMUM")
INDICES = (-1, 0, 1, 2, 3, 4, 100)


def body(builtin: str) -> GraphSpec:
    options = {"MAXIMUM": "MaximumMinimumOptions"}.get(builtin, f"{builtin.capitalize()}Options")
    return GraphSpec(
        [T(name, (4,), "INT32") for name in "abr"], [Op(builtin, ["a", "b"], ["r"], options)], ["a", "b"], ["r"]
    )


def network(index: TensorSpec, numbers: Sequence[int] = (1, 2, 3, 4), bodies: Sequence[str] = BODIES) -> bytes:
    tensors = [index, *(T(name, (4,), "INT32") for name in "xyz")]
    options: dict[str, Any] = {"branch_subgraph_indices": np.array(numbers, np.int32)}
    operator = Op("STABLEHLO_CASE", ["index", "x", "y"], ["z"], "StablehloCaseOptions", options)
    free = [spec.name for spec in tensors[:3] if spec.data is None]
    return model([GraphSpec(tensors, [operator], free, ["z"]), *map(body, bodies)])


def operands() -> list[Any]:
    return list(np.random.default_rng(3).integers(-99, 99, (2, 4)).astype(np.int32))


@pytest.mark.parametrize("number", INDICES)
@pytest.mark.parametrize("known", [False, True], ids=["computed", "constant"])
def test_a_case_is_the_graph_of_its_number(number: int, known: bool):
    index = np.asarray(number, np.int32)
    data = network(T("index", (), data=index) if known else T("index", (), "INT32"))
    imported, (x, y) = import_model(data), operands()
    inputs = [x, y] if known else [index, x, y]
    expected = (x + y, x * y, x - y, np.maximum(x, y))[number if 0 <= number < len(BODIES) else -1]
    np.testing.assert_array_equal(run_graph(imported.module, inputs, imported.weights)[0], expected)
    np.testing.assert_array_equal(run_litert(data, inputs, optimized=True)[0], expected)


def test_a_case_in_c():
    data = network(T("index", (1,), "INT32"), (3, 1, 2), BODIES[:3])
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        x, y = operands()
        for number, expected in enumerate((x - y, x + y, x * y)):
            np.testing.assert_array_equal(run_c(artifact, [np.array([number], np.int32), x, y])[0], expected)


@pytest.mark.parametrize(
    ("index", "numbers", "fact"),
    [
        (T("index", (2,), "INT32"), (1, 2), "the number of its graph"),
        (T("index", (), "INT32"), (), "no graphs"),
        (T("index", (), "INT32"), (1, 9), "sub-graph 9 of 5"),
    ],
)
def test_a_case_that_is_wrong_is_refused(index: TensorSpec, numbers: Sequence[int], fact: str):
    with pytest.raises((InputError, UnsupportedError), match=fact):
        import_model(network(index, numbers))


@pytest.mark.parametrize("vector", [2**31, 2**32 - 1])
def test_damaged_options_are_noticed(vector: int):
    table = np.array([8, 0], "<u2").tobytes()
    data = np.concatenate([np.frombuffer(np.array([6, 8, 4], "<u2").tobytes(), np.uint8)]).tobytes() + b"\0\0"
    data += np.array([8, 4, vector], "<u4").tobytes() + table
    options = StablehloCaseOptions()
    options.Init(data, 8)
    with pytest.raises(ValueError, match="buffer"):
        options.BranchSubgraphIndicesAsNumpy()
