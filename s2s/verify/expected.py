"""Obtain the expected outputs of a network: from a reference engine, or from golden vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import get_args

from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.errors import InputError
from s2s.frontends.model import GraphModel, load_for_engine
from s2s.interpret.graph import initial_state, run_graph
from s2s.stages.read import Read
from s2s.support import progress
from s2s.types.dtypes import Array, tensor_type
from s2s.types.interface import as_declared, as_passed, declared_names
from s2s.verify.engines import EngineName, Runner, default_engine, open_engine
from s2s.verify.golden import Vectors, read_golden

FLOAT_ENGINES = ("onnxruntime", "reference")
"""Engines that compute the layers of quantised models in floats."""

INTERPRETER = "the graph interpreter of s2s"

Stream = Sequence[Sequence[Array]]
"""The inputs of consecutive runs, the first of which begins with the initial state."""


@dataclass(frozen=True)
class Expected:
    """Inputs, their expected outputs, and the source of these."""

    by: str
    """The engine with its version, or the file of golden vectors."""
    inputs: str
    """Where the inputs are from."""
    vectors: Vectors
    consecutive: bool = False
    """Whether the vectors are runs of one stream: each begins with the state that the one before has left."""
    in_floats: bool = False
    """Whether `by` computes the layers of quantised models in floats."""


@dataclass(frozen=True)
class Wanted:
    """The reference that the user asks for; by default the engine of the model's format."""

    against: EngineName | None = None
    golden: Path | None = None
    seed: int | None = None
    """The seed of random inputs."""

    def __post_init__(self) -> None:
        if self.against is not None and self.against not in get_args(EngineName):
            raise InputError(f"--against {self.against}: is no engine; give one of {', '.join(get_args(EngineName))}")
        for option, given in (("against", self.against), ("seed", self.seed)):
            if self.golden is not None and given is not None:
                raise InputError(f"--golden and --{option}: the file holds inputs and right outputs; leave one out")


def expected_outputs(compilation: Compilation, wanted: Wanted, *, count: int, consecutive: bool = False) -> Expected:
    """Return the vectors of the user's file, or `count` made-up inputs with what the engine computes from them: from
    the initial state each, or in `consecutive` runs."""
    if wanted.golden is not None:
        vectors = read_golden(wanted.golden, compilation)
        return Expected(f"golden vectors of {wanted.golden}", f"{len(vectors)} of the file", vectors)
    first = wanted.seed or 0
    inputs = [_made_up(compilation, seed) for seed in range(first, first + count)]
    seeds = f"seed {first}" if count == 1 else f"seeds {first} to {first + count - 1}"
    streams = [inputs] if consecutive else [[each] for each in inputs]
    by, outputs = _computed(compilation, wanted.against, streams)
    in_floats = by.partition(" ")[0] in FLOAT_ENGINES
    kind = "consecutive runs, made up" if consecutive else "made up"
    return Expected(by, f"{count} {kind}, {seeds}", list(zip(inputs, outputs, strict=True)), consecutive, in_floats)


def _made_up(compilation: Compilation, seed: int) -> list[Array]:
    return [
        sample(port.name, tensor_type(port.element, port.shape), seed, full_range=port.quantisation is not None)
        for port in compilation.facts(Read).inputs
    ]


def _computed(
    compilation: Compilation, against: EngineName | None, streams: Sequence[Stream]
) -> tuple[str, list[Sequence[Array]]]:
    """Return the engine's name and outputs of all runs of all streams. TFLite-Micro lacks some operators: unless the
    user names it, it may decline."""
    if against == "interpreter" or (against is None and isinstance(compilation.source, GraphModel)):
        return INTERPRETER, _by_interpreter(compilation, streams)
    loaded = load_for_engine(compilation.source, against or "verify", compilation.options)
    engine = against or default_engine(loaded)
    if engine == "interpreter":
        return f"{INTERPRETER} (tflite_micro is not installed)", _by_interpreter(compilation, streams)
    progress.step(f"running {engine}")
    try:
        outputs = [
            found for inputs in streams for found in _run_stream(compilation, open_engine(engine, loaded), inputs)
        ]
    except InputError as error:
        if against is not None or engine != "tflm":
            raise
        reason = str(error).removeprefix(f"{loaded.label}: ").partition(";")[0]
        return f"{INTERPRETER} ({reason})", _by_interpreter(compilation, streams)
    return _with_version(engine), outputs


def _run_stream(compilation: Compilation, run: Runner, inputs: Stream) -> Iterator[Sequence[Array]]:
    """Run an engine on one stream. Each output that `--state` ties is handed to the next run as an input."""
    network, ties = compilation.facts(Read), compilation.options.states
    names = declared_names(network.inputs, network.empty_inputs)
    state = {name: network.initial_state[name] for name in ties}
    for passed in inputs:
        values = dict(zip(names, as_declared(network.inputs, network.empty_inputs, passed), strict=True)) | state
        found = dict(
            zip(
                network.model_names.outputs,
                run({name: values[name] for name in network.model_names.inputs}),
                strict=True,
            )
        )
        state = {name: found.pop(output) for name, output in ties.items()}
        yield as_passed(network.outputs, network.empty_outputs, list(found.values()))


def _by_interpreter(compilation: Compilation, streams: Sequence[Stream]) -> list[Sequence[Array]]:
    """Compute the outputs by the graph interpreter, with quantised operators lifted to integers as in the
    compilation."""
    state = compilation.at("settle")
    progress.step("running the graph interpreter")
    found: list[Sequence[Array]] = []
    for inputs in streams:
        kept = initial_state(state.module, state.weights)
        found += [run_graph(state.module, each, state.weights, state=kept) for each in inputs]
    return found


def _with_version(engine: EngineName) -> str:
    package = {"reference": "onnx", "tflm": "tflite_micro", "litert": "ai-edge-litert"}.get(engine, engine)
    try:
        return f"{engine} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return engine
