"""Inputs that are indices, and are out of range, are refused before a run writes anything."""

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from s2s.api import compile
from s2s.artifact import Artifact
from s2s.errors import InputError
from s2s.options import Executor
from s2s.types.dtypes import Array

torch: Any = pytest.importorskip("torch")

LENGTH, WIDTH = 6, 4
INT64, FLOAT = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
EXECUTORS: list[Executor] = ["aot", "graph"]


class Cached(torch.nn.Module):
    """A static cache, as exporters write decoders: a row of it is written in each run."""

    def __init__(self, write: Callable[[Any, Any, Any], object]) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.write = write
        self.register_buffer("cache", torch.zeros(1, 2, LENGTH, WIDTH))

    def forward(self, x: Any, position: Any) -> Any:
        self.write(self.cache, position, x)
        return self.cache.sum(2)


def _put(cache: Any, at: Any, x: Any) -> None:
    cache[:, :, at] = x


def _put_elements(cache: Any, at: Any, x: Any) -> None:
    cache[0, torch.tensor([[0], [1]]), at] = x[0]


WRITES: dict[str, Callable[[Any, Any, Any], object]] = {
    "index_copy": lambda cache, at, x: cache.index_copy_(2, at, x),
    "index_put": _put,
    "index_put of elements": _put_elements,
    "scatter": lambda cache, at, x: cache.scatter_(2, at.reshape(1, 1, 1, 1).expand(1, 2, 1, WIDTH), x),
    "index_add": lambda cache, at, x: cache.index_add_(2, at, x),
}
TABLE = np.arange(20, dtype=np.float32).reshape(10, 2)
COUNT_FROM_THE_END = {"index_put", "index_put of elements"}


def _exported(how: str, executor: Executor) -> Artifact:
    example = torch.ones(1, 2, 1, WIDTH), torch.tensor([0])
    return compile(torch.export.export(Cached(WRITES[how]), example), target="c", executor=executor)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("how", WRITES)
def test_positions_behind_a_cache_of_torch_change_nothing(how: str, executor: Executor):
    with _exported(how, executor) as network:

        def step(position: int) -> Array:
            x = np.ones((1, 2, 1, WIDTH), np.float32)
            return next(iter(network.run({"x": x, "position": np.array([position])}).values()))

        assert step(0).sum() == 2 * WIDTH
        for outside in (LENGTH, -LENGTH - 1, 1 << 32, *([] if how in COUNT_FROM_THE_END else [-1])):
            with pytest.raises(InputError, match="out of range"):
                step(outside)
        assert step(LENGTH - 1).sum() == 4 * WIDTH


def _scatter(op: str, indices: list[int], **attributes: Any) -> onnx.ModelProto:
    """A network that puts `rows` into its state at `at`, and sums it up."""
    operands = ["old", "rows", "at"] if op == "TensorScatter" else ["old", "at", "rows"]
    nodes = [
        helper.make_node(op, operands, ["new"], **attributes),
        helper.make_node("ReduceSum", ["new"], ["y"], keepdims=0),
    ]
    rows = indices if op == "ScatterElements" else [indices[0], WIDTH] if op == "ScatterND" else [1, 1, WIDTH]
    state = [1, LENGTH, WIDTH] if op == "TensorScatter" else [LENGTH, WIDTH]
    ports = [("at", INT64, indices), ("rows", FLOAT, rows), ("old", FLOAT, state)]
    graph = helper.make_graph(
        nodes,
        "cache",
        [helper.make_tensor_value_info(*each) for each in ports],
        [helper.make_tensor_value_info("new", FLOAT, state), helper.make_tensor_value_info("y", FLOAT, [])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24 if op == "TensorScatter" else 18)])


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (_scatter("ScatterElements", [2, WIDTH], axis=0), [2, WIDTH]),
        (_scatter("ScatterND", [2, 1]), [2, WIDTH]),
        (_scatter("TensorScatter", [1], axis=1), [1, 1, WIDTH]),
    ],
    ids=["ScatterElements", "ScatterND", "TensorScatter"],
)
def test_each_index_into_a_state_of_onnx_is_checked(model: onnx.ModelProto, rows: list[int], executor: Executor):
    at = next(value.type.tensor_type.shape.dim for value in model.graph.input if value.name == "at")
    indices = np.zeros([dim.dim_value for dim in at], np.int64)
    with compile(model, target="c", executor=executor, states={"old": "new"}) as network:
        before = network.run({"at": indices, "rows": np.ones(rows, np.float32)})["y"]
        for element in (0, indices.size - 1):
            outside = indices.copy()
            outside.flat[element] = LENGTH
            with pytest.raises(InputError, match="out of range"):
                network.run({"at": outside, "rows": np.full(rows, 9, np.float32)})
        np.testing.assert_array_equal(network.run({"at": indices, "rows": np.ones(rows, np.float32)})["y"], before)


class Counting(torch.nn.Module):
    """A cache whose position is a state, too."""

    position: Any

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.register_buffer("cache", torch.zeros(LENGTH, WIDTH))
        self.register_buffer("position", torch.zeros(1, dtype=torch.int64))

    def forward(self, x: Any) -> Any:
        self.cache.index_copy_(0, self.position, x)
        self.position += 1
        return self.cache.sum(0)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_state_that_counts_positions_is_checked(executor: Executor):
    x = np.ones((1, WIDTH), np.float32)
    with compile(torch.export.export(Counting(), (torch.from_numpy(x),)), target="c", executor=executor) as network:
        for _ in range(LENGTH):
            network.run({"x": x})
        with pytest.raises(InputError, match="out of range"):
            network.run({"x": x})
        network.reset()
        assert network.run({"x": x})["output"].sum() == WIDTH


def _lookup(shape: list[int | str], kind: int = INT64) -> onnx.ModelProto:
    table = numpy_helper.from_array(TABLE, "table")
    ids, y = helper.make_tensor_value_info("ids", kind, shape), helper.make_tensor_value_info("y", FLOAT, None)
    graph = helper.make_graph([helper.make_node("Gather", ["table", "ids"], ["y"])], "lookup", [ids], [y], [table])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(("shape", "given"), [([2, 3], [2, 3]), ([2, "n"], [2, 3]), (["n", 3, 1], [2, 3, 1])])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_each_token_is_checked(
    shape: list[int | str], given: list[int], executor: Executor, kind: type[np.integer[Any]]
):
    model = _lookup(shape, helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
    dims = {"n": (1, 5)} if "n" in shape else {}
    ids = np.array([0, 9, -10, 3, 1, -1], kind).reshape(given)
    with compile(model, target="c", executor=executor, dims=dims) as network:
        y = network.run({"ids": ids})["y"]
        np.testing.assert_array_equal(y, TABLE[ids])
        for element, value in ((0, 10), (5, -11), (5, np.iinfo(kind).max)):
            outside = ids.copy()
            outside.flat[element] = value
            with pytest.raises(InputError, match="out of range"):
                network.run({"ids": outside})


def test_torch_does_not_count_tokens_from_the_end():
    exported = torch.export.export(torch.nn.Embedding(10, 2), (torch.tensor([3]),))
    with compile(exported, target="c") as network, pytest.raises(InputError, match="out of range"):
        network.run({"input": np.array([-1])})
