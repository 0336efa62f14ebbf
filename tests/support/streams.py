"""Networks over sliding windows, run on new frames by the graph interpreter and compared with the whole network."""

from collections.abc import Mapping

import onnx

from s2s.analysis.network.functions import NAME, input_numbers, main_of, text
from s2s.dialects.graph.base import type_of
from s2s.frontends.model import Model, read
from s2s.fuzz.streams.check import difference, runs_of
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from s2s.types.sliding import Sliding


def shapes_of_inputs(model: Model) -> dict[str, tuple[int, ...]]:
    """The shapes of the inputs that a caller passes, by name."""
    main = main_of(model.module)
    return {
        text(list(main.arg_attrs or ())[each], NAME) or "": type_of(main.body.block.args[each]).get_shape()
        for each in input_numbers(main)
    }


def check_on_graph(model: onnx.ModelProto, streams: Mapping[str, Sliding], states: Mapping[str, str]) -> Model:
    """Assert that all runs on new frames give what the whole network gives for the windows; returns the network."""
    streamed = read(model, CompileOptions(streams=streams, states=states))
    streamed.module.verify()
    shapes, state = shapes_of_inputs(streamed), initial_state(streamed.module, streamed.weights)
    steps = {name: shapes[name][axis] for name, (axis, _) in streams.items()}
    for number, run in enumerate(runs_of(model, streams, states, steps)):
        results = run_graph(streamed.module, [run.inputs[name] for name in shapes], streamed.weights, state=state)
        for expected, result in zip(run.outputs.values(), results, strict=True):
            assert difference(expected, result) == "", f"run {number}"
    return streamed
