"""Indices that a network computes, and that are out of range, end the run with an error, wherever they stand."""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.api import compile
from s2s.artifact import Artifact
from s2s.errors import InputError
from s2s.types.dtypes import Array
from support.threads import one_thread

Nodes = list[onnx.NodeProto]
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
ROWS, COLUMNS, COUNT, STEPS = 5, 3, 2, 3
FEWEST = 2
"""The least number of rows where it varies."""
SHAPE = [COUNT, COLUMNS]
CONSTANTS = {
    "four": np.float32(4),
    "zero": np.float32(0),
    "beside": np.array([0, 1]),
    "first": np.array([0]),
    "some": np.array([COUNT]),
    "one": np.array(1),
    "columns": np.array([[0], [1]]),
    "pair": np.array([COUNT, 1]),
    "elements": np.array([COUNT, COLUMNS]),
    "ends": np.array([4, 9, -6, 2, 0]),
    "low": np.array(-5),
    "high": np.array(4),
    "steps": np.array(STEPS),
    "true": np.array(True),
    "updates": np.full((COUNT, COLUMNS), 0.5, np.float32),
}


def node(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], **attributes)


def renamed(nodes: Nodes, **names: str) -> Nodes:
    """Nodes with other names of some values."""
    made: Nodes = []
    for each in nodes:
        new = onnx.NodeProto()
        new.CopyFrom(each)
        del new.input[:], new.output[:]
        new.input.extend(names.get(name, name) for name in each.input)
        new.output.extend(names.get(name, name) for name in each.output)
        made.append(new)
    return made


CAST = [
    node("Mul", "x four", "times"),
    node("Slice", "times first some", "part"),
    node("Cast", "part", "at", to=INT64),
]
WHOLE = renamed(CAST, at="n")
COMPUTED: dict[str, Nodes] = {
    "cast": CAST,
    "count": [
        node("Greater", "x zero", "mask"),
        node("Cast", "mask", "ones", to=INT64),
        node("ReduceSum", "ones", "number", keepdims=1),
        node("Add", "number beside", "at"),
    ],
    "argmax": [node("ArgMax", "x", "largest", axis=0), node("Add", "largest beside", "at")],
    "looked up": [*WHOLE, node("Clip", "n low high", "in"), node("Gather", "ends in", "at")],
    "product": [*WHOLE, node("Mul", "n n", "at")],
}  # fmt: skip
"""What computes two indices `at` from `x`."""
USES: dict[str, Nodes] = {
    "gather": [node("Gather", "data at", "rows"), node("Add", "rows updates", "y")],
    "gather elements": [
        node("Reshape", "at pair", "column"),
        node("Expand", "column elements", "every"),
        node("GatherElements", "data every", "y", axis=0),
    ],
    "gather of coordinates": [
        node("Reshape", "at pair", "column"),
        node("Concat", "column columns", "place", axis=1),
        node("GatherND", "data place", "found"),
        node("Reshape", "found pair", "tall"),
        node("Add", "tall updates", "y"),
    ],
    "scatter elements": [
        node("Reshape", "at pair", "column"),
        node("Expand", "column elements", "every"),
        node("ScatterElements", "data every updates", "wide", axis=0, reduction="add"),
        node("Slice", "wide first some", "y"),
    ],
    "scatter of rows": [
        node("Reshape", "at pair", "column"),
        node("ScatterND", "data column updates", "wide", reduction="add"),
        node("Slice", "wide first some", "y"),
    ],
}
"""What reads or writes `data` at `at`, and gives `y`, a matrix."""


def value(name: str, kind: int, shape: Sequence[int | str] = ()) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def _graph(nodes: Nodes, name: str, inputs: list[Any], outputs: list[Any]) -> onnx.GraphProto:
    return helper.make_graph(nodes, name, inputs, outputs)


def _loop(condition: str, last: Nodes, steps: str) -> Nodes:
    """Add what `use` gives to a sum, in each step at indices that are one further."""
    body = _graph(
        last,
        "body",
        [value("step", INT64), value("before", BOOL), value("sum", FLOAT, SHAPE), value("now", INT64, [COUNT])],
        [value(condition, BOOL), value("total", FLOAT, SHAPE), value("next", INT64, [COUNT])],
    )  # fmt: skip
    return [helper.make_node("Loop", [steps, "true", "updates", "at"], ["y", "end"], body=body)]


def main(use: Nodes) -> Nodes:
    return use


def branch(use: Nodes) -> Nodes:
    matrix = value("y", FLOAT, SHAPE)
    then = _graph(renamed(use), "then", [], [matrix])
    otherwise = _graph([node("Identity", "updates", "z")], "otherwise", [], [value("z", FLOAT, SHAPE)])
    return [
        node("Not", "skip", "taken"),
        helper.make_node("If", ["taken"], ["y"], then_branch=then, else_branch=otherwise),
    ]


STEP = [node("Add", "sum y", "total"), node("Add", "now one", "next")]


def scan(use: Nodes) -> Nodes:
    return _loop("before", [*renamed(use, at="now"), *STEP], "steps")


def loop(use: Nodes) -> Nodes:
    """Goes on while the first row that it reads is below 2, at most a few steps."""
    test = [node("ReduceMax", "y", "most", keepdims=0), node("Less", "most four", "go")]
    return _loop("go", [*renamed(use, at="now"), *STEP, *test], "steps")


def branch_in_loop(use: Nodes) -> Nodes:
    inner = renamed(branch(renamed(use, at="now")), skip="skip")
    return _loop("before", [*inner, *STEP], "steps")


PLACES = {"main": main, "branch": branch, "scan": scan, "loop": loop, "branch in loop": branch_in_loop}


def model(computed: str, use: str, place: str, rows: int | str) -> onnx.ModelProto:
    inputs = [value("x", FLOAT, [6]), value("data", FLOAT, [rows, COLUMNS]), value("skip", BOOL)]
    nodes = [*COMPUTED[computed], *PLACES[place](USES[use])]
    read = {name for each in nodes for name in each.input} | {"updates", "columns", "pair", "elements", "first", "some"}
    read |= {"four", "one", "true", "steps"}
    graph = helper.make_graph(
        nodes,
        "net",
        inputs,
        [value("y", FLOAT, SHAPE)],
        [numpy_helper.from_array(np.asarray(each), name) for name, each in CONSTANTS.items() if name in read],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def _expected(session: Any, inputs: dict[str, Array]) -> Array | None:
    """What onnxruntime gives; None for an index out of range."""
    names = {each.name for each in session.get_inputs()}
    try:
        return session.run(None, {name: each for name, each in inputs.items() if name in names})[0]
    except Exception as error:
        if not re.search("out of|invalid ind", str(error), re.IGNORECASE):
            raise
        return None


def _compare(network: Artifact, session: Any, seed: int, fewest: int = ROWS) -> int:
    """Compare runs on random inputs, of as many rows or more; return how many of them were errors."""
    random, errors = np.random.default_rng(seed), 0
    for run in range(12):
        x = random.uniform(-1.6, 1.6, 6).astype(np.float32) * (0.3 if run % 2 else 1)
        inputs: dict[str, Array] = {
            "x": x,
            "data": random.uniform(-1, 1, (random.integers(fewest, ROWS + 1), COLUMNS)).astype(np.float32),
            "skip": np.array(random.random() < 0.3),
        }
        expected = _expected(session, inputs)
        if expected is None:
            errors += 1
            with pytest.raises(InputError, match="out of range"):
                network.run(inputs)
        else:
            np.testing.assert_allclose(next(iter(network.run(inputs).values())), expected, atol=1e-5)
    return errors


CASES = list(product(COMPUTED, USES, PLACES))


def _check(computed: str, use: str, place: str, rows: int | str) -> None:
    proto = model(computed, use, place, rows)
    session: Any = onnxruntime.InferenceSession(
        proto.SerializeToString(), one_thread(), providers=["CPUExecutionProvider"]
    )
    fewest, dims = (ROWS, {}) if isinstance(rows, int) else (FEWEST, {rows: (FEWEST, ROWS)})
    with compile(proto, target="c", dims=dims) as network:
        _compare(network, session, CASES.index((computed, use, place)), fewest)


@pytest.mark.sample(8)
@pytest.mark.parametrize(("computed", "use", "place"), CASES, ids=map(" ".join, CASES))
def test_a_run_ends_with_an_error_if_and_only_if_an_index_is_out_of_range(computed: str, use: str, place: str):
    _check(computed, use, place, ROWS)


@pytest.mark.sample(6)
@pytest.mark.parametrize(("computed", "use", "place"), CASES, ids=map(" ".join, CASES))
def test_an_index_is_out_of_range_where_the_rows_of_the_run_end(computed: str, use: str, place: str):
    _check(computed, use, place, "N")
