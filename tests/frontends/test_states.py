"""Inputs that are outputs of the run before."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
import onnx.helper as oh
import pytest

from s2s.analysis.network.functions import input_numbers, main_of, output_numbers, state_arguments
from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError
from s2s.frontends.model import read
from s2s.options import CompileOptions
from s2s.options.values import states_of
from s2s.types.dtypes import Array
from s2s.verify.engines import EngineName

FLOAT = onnx.TensorProto.FLOAT


def accumulator(new_shape: tuple[int, ...] = (2,)) -> onnx.ModelProto:
    """`new = old + x`, `y = new * new`."""
    nodes = [oh.make_node("Add", ["old", "x"], ["new"]), oh.make_node("Mul", ["new", "new"], ["y"])]
    graph = oh.make_graph(
        nodes,
        "accumulator",
        [oh.make_tensor_value_info("x", FLOAT, new_shape), oh.make_tensor_value_info("old", FLOAT, [2])],
        [oh.make_tensor_value_info("new", FLOAT, new_shape), oh.make_tensor_value_info("y", FLOAT, new_shape)],
    )
    return oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)])


def test_a_state_is_neither_passed_nor_returned():
    main = main_of(read(accumulator(), CompileOptions(states={"old": "new"})).module)
    assert [state.name for state in state_arguments(main)] == ["old"]
    assert (len(input_numbers(main)), len(output_numbers(main))) == (1, 1)


def test_c_keeps_the_state_and_reset_clears_it():
    with compile_artifact(accumulator(), CompileOptions(target="c", states={"old": "new"})) as artifact:
        runs = [artifact.run({"x": np.full(2, value, np.float32)})["y"].tolist() for value in (1, 2)]
        artifact.reset()
        again = artifact.run({"x": np.ones(2, np.float32)})["y"].tolist()
    assert (runs, again) == ([[1.0, 1.0], [9.0, 9.0]], [1.0, 1.0])


def ones(value: float) -> dict[str, np.ndarray[Any, Any]]:
    return {"x": np.full(2, value, np.float32)}


@pytest.fixture(scope="module", params=["aot", "graph"])
def artifact(request: pytest.FixtureRequest) -> Iterator[Artifact]:
    options = CompileOptions(target="c", states={"old": "new"}, executor=request.param)
    with compile_artifact(accumulator(), options) as built:
        yield built


def test_streams_have_states_of_their_own(artifact: Artifact):
    first, second = artifact.stream(), artifact.stream()
    assert first.run(ones(3))["y"].tolist() == [9.0, 9.0]
    assert second.run(ones(1))["y"].tolist() == [1.0, 1.0]
    assert first.run(ones(1))["y"].tolist() == [16.0, 16.0]
    first.reset()
    assert first.run(ones(1))["y"].tolist() == [1.0, 1.0]


def test_a_snapshot_is_restored_in_any_stream(artifact: Artifact):
    first, second = artifact.stream(), artifact.stream()
    first.run(ones(3))
    snapshot = first.snapshot()
    expected = first.run(ones(1))["y"].tolist()
    second.restore(snapshot)
    first.restore(snapshot)
    assert expected == first.run(ones(1))["y"].tolist() == second.run(ones(1))["y"].tolist() == [16.0, 16.0]
    assert len(snapshot) == 8
    with pytest.raises(InputError, match="a snapshot of 3 bytes given, its state has 8"):
        first.restore(b"abc")


def test_a_network_without_state_has_no_streams():
    stateless = compile_artifact(accumulator(), CompileOptions(target="c"))
    with stateless, pytest.raises(InputError, match="keeps no state from run to run"):
        stateless.stream()


def test_the_header_tells_the_place_of_the_state(artifact: Artifact):
    header = artifact.tree().text("include/accumulator.h")
    assert re.search(r"#define ACCUMULATOR_STATE_SIZE +8u ", header)
    if artifact.info.executor == "aot":
        assert "s2s_status accumulator_reset(void *arena);" in header
    else:
        assert "goes on from the state that the run before has left in its arena" in header
    assert "`ACCUMULATOR_STATE_SIZE` bytes of the arena are the state" in artifact.tree().text("README.md")


@pytest.mark.parametrize("engine", ["onnxruntime", "reference", "interpreter"])
def test_verification_hands_the_state_from_run_to_run(artifact: Artifact, engine: EngineName):
    if engine == "onnxruntime":
        pytest.importorskip("onnxruntime")
    found = artifact.verify(against=engine)
    assert (found.passed, found.vectors) == (True, 4)


def test_verification_sees_a_state_that_is_not_kept(artifact: Artifact, monkeypatch: pytest.MonkeyPatch):
    run = artifact.run

    def forgetful(inputs: Mapping[str, Array]) -> dict[str, Array]:
        artifact.reset()
        return run(inputs)

    monkeypatch.setattr(artifact, "run", forgetful)
    assert not artifact.verify(against="reference").passed


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({"hidden": "new"}, r"--state hidden=new: the model has no input 'hidden'; its inputs are 'x', 'old'"),
        ({"old": "next"}, r"--state old=next: the model has no output 'next'; its outputs are 'new', 'y'"),
        ({"old": "new", "x": "new"}, r"--state x=new: the output is the state of another input; name it once"),
        ({"old": "new", "x": "y"}, r"--state: ties all outputs of the model; leave one for the caller"),
    ],
)
def test_states_that_do_not_fit_are_refused(states: dict[str, str], message: str):
    with pytest.raises(InputError, match=message):
        read(accumulator(), CompileOptions(states=states))


def test_a_state_of_another_type_is_refused():
    with pytest.raises(InputError, match="tie tensors of one type"):
        read(accumulator((3, 2)), CompileOptions(states={"old": "new"}))


def test_the_option_names_input_and_output():
    assert states_of(["old=new", "h=next"]) == {"old": "new", "h": "next"}
    with pytest.raises(InputError, match="not of the form IN=OUT"):
        states_of(["old"])
