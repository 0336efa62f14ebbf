"""Obtain the expected outputs of a network: from a reference engine, or from golden vectors."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import NamedTuple, get_args

from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.errors import InputError
from s2s.frontends.formats import LoadedModel
from s2s.frontends.model import GraphModel, load_for_engine
from s2s.interpret.graph import initial_state, run_graph
from s2s.stages.read import Read
from s2s.stages.settle import Settled
from s2s.support import progress
from s2s.support.extras import install_command
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, tensor_type
from s2s.types.interface import as_declared, as_passed, declared_names
from s2s.types.sizes import shape_at
from s2s.verify.around_steps import run_around
from s2s.verify.byte_ports import as_bytes, as_reals
from s2s.verify.engines import EngineName, ForeignEngine, Runner, default_engine, open_engine
from s2s.verify.golden import Vectors, read_golden
from s2s.verify.node_values import NodeValues, node_values
from s2s.verify.sizes import at_sizes

FLOAT_ENGINES = ("onnxruntime", "reference", "torch")
"""Engines that compute the layers of quantised models in floats."""

INTERPRETER = "the graph interpreter of s2s"

Stream = Sequence[Sequence[Array]]
"""The inputs of consecutive runs, the first of which begins with the initial state."""


@frozen
class Expected:
    """Inputs, their expected outputs, and the source of these."""

    by: str
    """The engine with its version, or the file of golden vectors."""
    inputs: str
    """Where the inputs are from."""
    vectors: Vectors
    consecutive: bool = False
    """Whether the vectors are runs of one stream: each begins with the state that the one before has left."""
    nodes: NodeValues | None = None
    """The values at the nodes of the model in the first run; None if no engine ran, the nodes were not wanted, or the
    network takes new frames only and its nodes compute less."""

    @property
    def engine(self) -> str:
        """The name of the engine without its version."""
        return self.by.partition(" ")[0]

    @property
    def is_own(self) -> bool:
        """Whether s2s itself computed the outputs: what agrees with them agrees with no other engine."""
        return self.by.startswith(INTERPRETER)

    @property
    def in_floats(self) -> bool:
        """Whether the engine computes the layers of quantised models in floats."""
        return self.engine in FLOAT_ENGINES


@frozen
class Wanted:
    """The reference that the user asks for; by default the engine of the model's format."""

    against: EngineName | None = None
    golden: Path | None = None
    data: Path | None = None
    """Samples to run on, in place of random inputs."""
    seed: int | None = None
    """The seed of random inputs."""
    nodes: bool = False
    """Whether the values of the model's nodes are wanted, too."""

    def __post_init__(self) -> None:
        if self.against is not None and self.against not in get_args(EngineName):
            raise InputError(f"--against {self.against}: is no engine; give one of {', '.join(get_args(EngineName))}")
        if self.data is not None and self.seed is not None:
            raise InputError("--data and --seed: the inputs are samples, or made up; leave one out")
        for option, given in (("against", self.against), ("seed", self.seed), ("data", self.data)):
            if self.golden is not None and given is not None:
                raise InputError(f"--golden and --{option}: the file holds inputs and right outputs; leave one out")


def expected_outputs(
    compilation: Compilation,
    wanted: Wanted,
    *,
    count: int,
    consecutive: bool = False,
    sizes: Sequence[Mapping[str, int]] = ({},),
) -> Expected:
    """Return the vectors of the user's file, or `count` made-up inputs with what the engine computes from them: from
    the initial state each, or in `consecutive` runs. The runs have the `sizes` in turn, where sizes vary."""
    if wanted.golden is not None:
        vectors = read_golden(wanted.golden, compilation)
        return Expected(f"golden vectors of {wanted.golden}", f"{len(vectors)} of the file", vectors)
    if wanted.data is not None:
        from s2s.verify.samples import sampled

        inputs, seeds = sampled(compilation, wanted.data)
    else:
        first = wanted.seed or 0
        inputs = [_made_up(compilation, first + run, sizes[run % len(sizes)]) for run in range(count)]
        seeds = f"made up, seed {first}" if count == 1 else f"made up, seeds {first} to {first + count - 1}"
    streams = [inputs] if consecutive else [[each] for each in inputs]
    found = _computed(compilation, wanted, streams)
    kind = "consecutive runs, " if consecutive else ""
    vectors = list(zip(inputs, found.outputs, strict=True))
    return Expected(found.by, f"{len(inputs)} {kind}{seeds}", vectors, consecutive, found.nodes)


def _made_up(compilation: Compilation, seed: int, sizes: Mapping[str, int]) -> list[Array]:
    network = compilation.facts(Read)
    every = network.sizes.every(sizes) if sizes else {}  # the greatest sizes
    return [
        sample(
            port.name,
            tensor_type(port.element, shape_at(port.shape, port.varies, every)),
            seed,
            full_range=port.quantisation is not None,
        )
        for port in network.inputs
    ]


class _Found(NamedTuple):
    """What an engine has computed: its name, the outputs of all runs, and the nodes of the first run if wanted."""

    by: str
    outputs: list[Sequence[Array]]
    nodes: NodeValues | None = None


def _computed(compilation: Compilation, wanted: Wanted, streams: Sequence[Stream]) -> _Found:
    """Run the engine on all runs of all streams. TFLite-Micro lacks some operators: unless the user names it, it may
    decline."""
    against = wanted.against
    if against == "interpreter" or (against is None and isinstance(compilation.source, GraphModel)):
        return _by_interpreter(compilation, streams)
    steps = _steps(compilation)
    if steps and compilation.options.streams:
        if against is not None:
            raise InputError(
                f"--against {against}: takes whole inputs, which {steps} make of new frames; give --against "
                "interpreter, or verify the model without --stream"
            )
        return _by_interpreter(compilation, streams, " (engines take whole inputs)")
    if against is None and compilation.facts(Settled).quantises_activations:
        return _by_interpreter(compilation, streams, " (engines quantise activations each by its own rule)")
    loaded = load_for_engine(compilation.source, against or "verify", compilation.options)
    engine = against or default_engine(loaded)
    if engine == "interpreter":
        return _by_interpreter(compilation, streams, f" (tflite_micro is not installed; {install_command('tflm')})")
    progress.step(f"running {engine}")
    try:
        run = partial(_run_engine, engine, loaded)
        runs = [run_around(compilation, run, each) if steps else run(compilation, each) for each in streams]
        outputs = list(chain.from_iterable(runs))
    except InputError as error:
        if against is not None or engine != "tflm":
            raise
        reason = str(error).removeprefix(f"{loaded.label}: ").partition(";")[0]
        return _by_interpreter(compilation, streams, f" ({reason})")
    nodes = None
    if wanted.nodes and not steps and not compilation.facts(Read).windows:
        progress.step(f"running {engine} node by node")
        nodes = node_values(engine, loaded, _passed(compilation, _initial(compilation), streams[0][0]))
    return _Found(_with_version(engine) + (f" between {steps} by {INTERPRETER}" if steps else ""), outputs, nodes)


def _steps(compilation: Compilation) -> str:
    """Return the options that put steps before and behind the model; empty if there are none."""
    options = compilation.options
    return " and ".join(name for name, steps in (("--pre", options.pre), ("--post", options.post)) if steps)


def _run_engine(
    engine: ForeignEngine, loaded: LoadedModel, compilation: Compilation, inputs: Stream
) -> Iterator[Sequence[Array]]:
    """Open a model in an engine, and run it on one stream."""
    return _run_stream(compilation, open_engine(engine, loaded), inputs)


def _run_stream(compilation: Compilation, run: Runner, inputs: Stream) -> Iterator[Sequence[Array]]:
    """Run an engine on one stream. Each output that `--state` ties is handed to the next run as an input, and of an
    input that `--stream` names it gets the whole window."""
    network, ties = compilation.facts(Read), compilation.options.states
    state, windows = _initial(compilation), dict(network.windows)
    for passed in inputs:
        values = _passed(compilation, state, passed)
        windows = {name: window.moved(values[name]) for name, window in windows.items()}
        values |= {name: window.frames for name, window in windows.items()}
        found = dict(zip(network.model_names.outputs, run(values), strict=True))
        state = {name: found.pop(output) for name, output in ties.items()}
        outputs = as_passed(network.outputs, network.empty_outputs, list(found.values()))
        yield [
            as_bytes(port, array) if port.name in network.byte_ports.outputs else array
            for port, array in zip(network.outputs, outputs, strict=True)
        ]


def _initial(compilation: Compilation) -> dict[str, Array]:
    """Return the inputs of the model that `--state` ties, before the first run."""
    return {name: compilation.facts(Read).initial_state[name] for name in compilation.options.states}


def _passed(compilation: Compilation, state: Mapping[str, Array], inputs: Sequence[Array]) -> dict[str, Array]:
    """Return all inputs of the model by name, from the inputs that the network is passed and its state."""
    network = compilation.facts(Read)
    names = declared_names(network.inputs, network.empty_inputs)
    passed = [
        as_reals(port, array) if port.name in network.byte_ports.inputs else array
        for port, array in zip(network.inputs, inputs, strict=True)
    ]
    declared = as_declared(network.inputs, network.empty_inputs, passed)
    values = dict(zip(names, declared, strict=True)) | dict(state)
    return {name: values[name] for name in network.model_names.inputs}


def _by_interpreter(compilation: Compilation, streams: Sequence[Stream], why: str = "") -> _Found:
    """Compute the outputs by the graph interpreter, with quantised operators lifted to integers as in the
    compilation; `why` not by another engine stands behind its name. The runs of a stream may differ in size."""
    progress.step("running the graph interpreter")
    found: list[Sequence[Array]] = []
    for inputs in streams:
        kept: list[Array] | None = None
        for each in inputs:
            state = at_sizes(compilation, each).at("settle")
            kept = initial_state(state.module, state.weights) if kept is None else kept
            found.append(run_graph(state.module, each, state.weights, state=kept))
    return _Found(f"{INTERPRETER}{why}", found)


def _with_version(engine: EngineName) -> str:
    package = {"reference": "onnx", "tflm": "tflite_micro", "litert": "ai-edge-litert"}.get(engine, engine)
    try:
        return f"{engine} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return engine
