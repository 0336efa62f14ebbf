"""Inputs that are outputs of the run before."""

import numpy as np
import onnx
import onnx.helper as oh
import pytest

from s2s.analysis.network.functions import input_numbers, main_of, output_numbers, state_arguments
from s2s.artifact import compile_artifact
from s2s.cli.options import parse_states
from s2s.errors import InputError
from s2s.frontends.model import read
from s2s.options import CompileOptions

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
    assert parse_states(["old=new", "h=next"]) == {"old": "new", "h": "next"}
    with pytest.raises(InputError, match="not of the form IN=OUT"):
        parse_states(["old"])
