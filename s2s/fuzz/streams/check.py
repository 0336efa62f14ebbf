"""Run a network on new frames, and compare each run with the whole network on the windows that end with them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import onnx

from s2s.errors import CompilerBug, InputError, ToolchainError, UnsupportedError
from s2s.frontends.model import read
from s2s.fuzz.check import Failure, loaded, text_of
from s2s.fuzz.check import difference as spread_difference
from s2s.fuzz.compiled import compile_drawn
from s2s.fuzz.onnx_model import OnnxModel
from s2s.fuzz.spread import PAIRS_IN_DOUBT
from s2s.fuzz.streams.network import GRID, STATES, STREAMS
from s2s.fuzz.variants import Variant
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.types.sliding import Sliding
from s2s.verify.build import LoadedNetwork

MIN_RUNS = 12
TOLERANCE = 2e-4
"""The largest difference of floats, as a share of the largest number of the output."""


class Run(NamedTuple):
    """The inputs of one run, what it should give, and the inputs of the whole network."""

    inputs: dict[str, Array]
    outputs: dict[str, Array]
    whole: dict[str, Array]


def check_stream(model: onnx.ModelProto, variant: Variant) -> list[Failure]:
    """The failures of a network over sliding windows in one variant, at the first run that has any."""
    streams, states = carried(model)
    options = replace(variant.options(), streams=streams, states=states)
    try:
        artifact = compile_drawn(model, options)
        tree, target = artifact.tree(), artifact.info.target
    except (UnsupportedError, InputError) as error:
        return [Failure("refused", str(error), variant)]
    except Exception as error:
        return [Failure("bug", text_of(error), variant)]
    try:
        with loaded(tree, variant, target) as network:
            shapes = {port.name: port.shape for port in network.inputs}
            steps = {name: shapes[name][axis] for name, (axis, _) in streams.items()}
            return list(_failures(model, network, runs_of(model, streams, states, steps), variant))
    except ToolchainError as error:
        return [Failure("build", text_of(error), variant)]


def carried(model: onnx.ModelProto) -> tuple[dict[str, Sliding], dict[str, str]]:
    """The streams and states of the metadata of a model, as far as it has such inputs and outputs."""
    stored = {each.key: json.loads(each.value) for each in model.metadata_props}
    inputs, outputs = ({each.name for each in ports} for ports in (model.graph.input, model.graph.output))
    return (
        {name: Sliding(*each) for name, each in stored.get(STREAMS, {}).items() if name in inputs},
        {name: each for name, each in stored.get(STATES, {}).items() if name in inputs and each in outputs},
    )


def drawn_inputs(model: onnx.ModelProto, random: np.random.Generator) -> dict[str, Array]:
    """Inputs of the whole network, multiples of 1 / GRID or truth values."""
    return {each.name: _drawn(_shape(each), each.type.tensor_type.elem_type, random) for each in model.graph.input}


def _shape(port: onnx.ValueInfoProto) -> tuple[int, ...]:
    return tuple(dim.dim_value for dim in port.type.tensor_type.shape.dim)


def _drawn(shape: tuple[int, ...], dtype: int, random: np.random.Generator) -> Array:
    numbers = random.integers(-2 * GRID, 2 * GRID + 1, shape)
    return numbers > 0 if dtype == onnx.TensorProto.BOOL else (numbers / GRID).astype(np.float32)


def runs_of(
    model: onnx.ModelProto, streams: Mapping[str, Sliding], states: Mapping[str, str], steps: Mapping[str, int]
) -> Iterator[Run]:
    """The runs of a stream that takes `steps` frames of each window a run: what the whole network, as the graph
    interpreter computes it, gives for each window."""
    random, whole = np.random.default_rng(len(model.graph.node)), read(model, CompileOptions())
    ports = {each.name: each for each in model.graph.input}
    kept = {name: np.zeros(_shape(ports[name]), np.float32) for name in (*streams, *states)}
    sizes = {name: _shape(ports[name])[axis] for name, (axis, _) in streams.items()}
    for _ in range(max([MIN_RUNS, *(sizes[name] // step + 3 for name, step in steps.items())])):
        inputs = {name: each for name, each in drawn_inputs(model, random).items() if name not in states}
        for name, (axis, _) in streams.items():
            inputs[name] = np.take(inputs[name], range(steps[name]), axis)
            frames = np.take(kept[name], range(steps[name], sizes[name]), axis)
            kept[name] = np.concatenate([frames, inputs[name]], axis)
        given = {**inputs, **kept}
        results = run_graph(whole.module, [given[name] for name in ports], whole.weights)
        named = dict(zip((each.name for each in model.graph.output), results, strict=True))
        kept.update((name, named.pop(result)) for name, result in states.items())
        yield Run(inputs, named, given)


def _failures(
    model: onnx.ModelProto, network: LoadedNetwork, runs: Iterator[Run], variant: Variant
) -> Iterator[Failure]:
    for number, run in enumerate(runs):
        try:
            given = network.run(run.inputs)
        except (CompilerBug, InputError) as error:
            yield Failure("wrong", f"run {number}: {text_of(error)}", variant)
            return
        wrong = {name: text for name, each in run.outputs.items() if (text := difference(each, given[name]))}
        if not wrong:
            continue
        spreads = OnnxModel(model).evaluate(run.whole, pairs=PAIRS_IN_DOUBT)
        yield from (
            Failure("wrong", f"run {number}: {name}: {text}", variant, name)
            for name, text in wrong.items()
            if spread_difference(spreads[name], given[name])
        )
        return  # what hangs on a rounding is not wrong, but later runs may follow from it


def difference(expected: Array, result: Array) -> str:
    """How an output differs from the expected one; empty where it does not."""
    if (result.dtype, result.shape) != (expected.dtype, expected.shape):
        return f"expected {expected.dtype}{list(expected.shape)}, found {result.dtype}{list(result.shape)}"
    allowed = TOLERANCE * max(1.0, float(np.abs(expected).max(initial=0)))
    wrong = ~(np.abs(result.astype(np.float64) - expected) <= allowed)
    if not wrong.any():
        return ""
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    return (
        f"{int(wrong.sum())} of {wrong.size} elements differ, first at {list(place)}: "
        f"expected {expected[place]}, found {result[place]}"
    )
