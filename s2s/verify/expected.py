"""Obtain the expected outputs of a network: from a reference engine, or from golden vectors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import get_args

from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.errors import InputError
from s2s.frontends.model import GraphModel, load_for_engine
from s2s.interpret.graph import run_graph
from s2s.stages.read import Read
from s2s.support import progress
from s2s.types.dtypes import Array, tensor_type
from s2s.types.interface import as_declared, as_passed, declared_names
from s2s.verify.engines import EngineName, default_engine, run_engine
from s2s.verify.golden import Vectors, read_golden

FLOAT_ENGINES = ("onnxruntime", "reference")
"""Engines that compute the layers of quantised models in floats."""

INTERPRETER = "the graph interpreter of s2s"

Run = Callable[[Sequence[Array]], Sequence[Array]]


@dataclass(frozen=True)
class Expected:
    """Inputs, their expected outputs, and the source of these."""

    by: str
    """The engine with its version, or the file of golden vectors."""
    inputs: str
    """Where the inputs are from."""
    vectors: Vectors
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


def expected_outputs(compilation: Compilation, wanted: Wanted, *, count: int) -> Expected:
    """The vectors of the user's file, or `count` made-up inputs and what the engine computes from them."""
    if wanted.golden is not None:
        vectors = read_golden(wanted.golden, compilation)
        return Expected(f"golden vectors of {wanted.golden}", f"{len(vectors)} of the file", vectors)
    first = wanted.seed or 0
    inputs = [_made_up(compilation, seed) for seed in range(first, first + count)]
    seeds = f"seed {first}" if count == 1 else f"seeds {first} to {first + count - 1}"
    by, outputs = _computed(compilation, wanted.against, inputs)
    in_floats = by.partition(" ")[0] in FLOAT_ENGINES
    return Expected(by, f"{count} made up, {seeds}", list(zip(inputs, outputs, strict=True)), in_floats)


def _made_up(compilation: Compilation, seed: int) -> list[Array]:
    return [
        sample(port.name, tensor_type(port.element, port.shape), seed, full_range=port.quantisation is not None)
        for port in compilation.facts(Read).inputs
    ]


def _computed(
    compilation: Compilation, against: EngineName | None, inputs: Sequence[Sequence[Array]]
) -> tuple[str, list[Sequence[Array]]]:
    """Return the engine's name and outputs. TFLite-Micro lacks some operators: unless the user names it, it may
    decline."""
    if against == "interpreter" or (against is None and isinstance(compilation.source, GraphModel)):
        return INTERPRETER, _by_interpreter(compilation, inputs)
    loaded = load_for_engine(compilation.source, against or "verify", trust=compilation.options.trust_model)
    engine = against or default_engine(loaded)
    if engine == "interpreter":
        return f"{INTERPRETER} (tflite_micro is not installed)", _by_interpreter(compilation, inputs)
    network = compilation.facts(Read)
    names = declared_names(network.inputs, network.empty_inputs)
    progress.step(f"running {engine}")
    try:
        outputs = [
            run_engine(engine, loaded, dict(zip(names, each, strict=True)))
            for each in (as_declared(network.inputs, network.empty_inputs, passed) for passed in inputs)
        ]
    except InputError as error:
        if against is not None or engine != "tflm":
            raise
        reason = str(error).removeprefix(f"{loaded.label}: ").partition(";")[0]
        return f"{INTERPRETER} ({reason})", _by_interpreter(compilation, inputs)
    return _with_version(engine), [as_passed(network.outputs, network.empty_outputs, each) for each in outputs]


def _by_interpreter(compilation: Compilation, inputs: Sequence[Sequence[Array]]) -> list[Sequence[Array]]:
    """Compute the outputs by the graph interpreter, with quantised operators lifted to integers as in the
    compilation."""
    state = compilation.at("settle")
    progress.step("running the graph interpreter")
    return [run_graph(state.module, each, state.weights) for each in inputs]


def _with_version(engine: EngineName) -> str:
    package = {"onnxruntime": "onnxruntime", "reference": "onnx", "tflm": "tflite_micro", "torch": "torch"}[engine]
    try:
        return f"{engine} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return engine
