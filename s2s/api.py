"""The Python interface of s2s: compile a model to an artifact.

artifact = s2s.compile("kws.onnx", target="host")
artifact.write("kws")
artifact.run({"mfcc": array})
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from s2s.artifact import Artifact, compile_artifact
from s2s.decisions.file import DecisionSource, read_decisions
from s2s.decisions.records import RecordSource, read_records
from s2s.errors import InputError
from s2s.executor.device import cpu, device
from s2s.external.modes import modes_of
from s2s.external.registry import register_codegen
from s2s.frontends.custom import CFunction, PackedFunction, register_custom_op
from s2s.frontends.formats import ModelSource
from s2s.frontends.model import Network
from s2s.inspection import Inspection, inspect_model
from s2s.joint.artifact import JointArtifact, together
from s2s.options import (
    Activations,
    Cache,
    CompileOptions,
    DebugOptions,
    Executor,
    Io,
    Profile,
    Requantise,
    Schedule,
    Specialisation,
    TfliteRounding,
    Threading,
    WeightForm,
    budgets,
    reading,
)
from s2s.passes.pass_context import PassContext
from s2s.profiling import profile as profiling
from s2s.quantization import Quantized, quantize
from s2s.targets import Target
from s2s.types.devices import DeviceSource, devices_of
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.numbers import as_numbers
from s2s.types.pools import pools_of
from s2s.types.sizes import DimSize, InputShapes, SizeRange
from s2s.verify.build import LoadedNetwork
from s2s.verify.build import load as load_tree

Model: TypeAlias = "ModelSource | Network"
"""What `compile` takes: a model of any format, or a network at graph level, as a module of `s2s.tvm` is one."""
_OF_MODELS = ("shapes", "bind", "dims", "untrusted", "trust_model")
"""Options that say how a model is read; a module is read already."""


def _compiling(model: Model) -> Callable[..., Artifact]:
    """Return the function that compiles `model` with the options that it is given."""

    def compiled(**options: Any) -> Artifact:
        source = model
        if isinstance(source, Network):
            given = next((name for name in _OF_MODELS if options[name]), None)
            if given is not None:
                raise InputError(f"{given}: says how a model is read, and this is a module; leave it out")
            source = source.as_model(options["name"])
        return compile_artifact(source, PassContext.current().applied(CompileOptions(**options)))

    return compiled


def compile(
    model: Model,
    *,
    target: str | Target = "host",
    executor: Executor = "aot",
    name: str | None = None,
    weights: WeightForm = "auto",
    shapes: InputShapes | None = None,
    bind: Mapping[str, object] | None = None,
    dims: Mapping[str, int | str | tuple[int, ...]] | None = None,
    states: Mapping[str, str] | None = None,
    streams: Mapping[str, int | tuple[int, int]] | None = None,
    untrusted: bool = False,
    trust_model: bool = False,
    cache: Cache = "float32",
    schedule: Schedule = "default",
    io: Io | None = None,
    ram_budget: int | Literal["min"] | None = None,
    flash_budget: int | None = None,
    stack_budget: int | None = None,
    exact: bool = False,
    threads: int = 1,
    threading: Threading = "pthreads",
    decisions: DecisionSource | None = None,
    records: RecordSource | None = (),
    external: Mapping[str, str] | Sequence[str] | str | None = None,
    pools: Mapping[str, int] | Sequence[str] | None = None,
    devices: DeviceSource | None = None,
    poison: bool = False,
    tflite_rounding: TfliteRounding = "micro",
    requantise: Requantise = "float",
    activations: Activations = "model",
    profile: Profile = "default",
    debug: DebugOptions | None = None,
) -> Artifact:
    """Compile a model to C, with the options of `CompileOptions`, and passes as the `PassContext` around says."""
    return _compiling(model)(
        target=target,
        executor=executor,
        name=name,
        weights=weights,
        shapes=_shapes(shapes or {}),
        **_specialisation(bind or {}, dims or {}),
        **reading(states, streams, untrusted=untrusted, trust_model=trust_model, cache=cache),
        schedule=schedule,
        io=io,
        **budgets(ram_budget, flash_budget, stack_budget),
        exact=exact,
        threads=threads,
        threading=threading,
        **_choices(decisions, records, external),
        pools=pools_of(pools),
        devices=devices_of(devices),
        poison=poison,
        tflite_rounding=tflite_rounding,
        requantise=requantise,
        activations=activations,
        profile=profile,
        debug=debug if debug is not None else DebugOptions(),
    )


def _choices(
    decisions: DecisionSource | None,
    records: RecordSource | None,
    external: Mapping[str, str] | Sequence[str] | str | None,
) -> dict[str, object]:
    """Read the choices that the caller makes or has measured."""
    return {
        "decisions": {} if decisions is None else read_decisions(decisions),
        "records": None if records is None else read_records(records),
        "external": modes_of(external),
    }


def _shapes(given: InputShapes) -> dict[str, tuple[int | str, ...]]:
    """Copy the shapes of inputs after checking their form."""
    example = "give the sizes of each input by its name: {'x': (1, 3)}"
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"shapes: {type(given).__name__} given; {example}")
    for name, sizes in given.items():
        if not isinstance(sizes, Sequence) or not all(isinstance(size, int | str | np.integer) for size in sizes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"shapes: {name}: {sizes!r} given; {example}")
    return {
        name: tuple(size if isinstance(size, str) else int(size) for size in sizes) for name, sizes in given.items()
    }


def _specialisation(bind: Mapping[str, object], dims: Mapping[str, int | str | tuple[int, ...]]) -> Specialisation:
    """Copy constants of inputs and sizes of dimensions after checking their form."""
    numbers = {name: as_numbers(value, f"bind: {name}") for name, value in bind.items()}
    return {"bind": numbers, "dims": {name: _dim(name, size) for name, size in dims.items()}}


def _dim(name: str, given: object) -> DimSize:
    """Return a size, or the bounds of one that varies: with the sizes that have kernels of their own, or as `--dim`
    writes them."""
    size = given
    if isa(size, tuple[int, ...]) and len(size) >= 2:
        return SizeRange(size[0], size[1], size[2:])
    if isinstance(size, str):
        from s2s.types.size_text import parse_size

        size = parse_size(size)
    match size:
        case SizeRange():
            return size
        case int() | np.integer():
            return int(size)
        case _:
            raise InputError(
                f"dims: {name}: {given!r} given; give the size of each dimension by its name, or its bounds: "
                "{'batch': 1, 'sequence': (1, 128), 'width': '32..640:+32'}"
            )


def inspect(
    model: ModelSource,
    *,
    shapes: InputShapes | None = None,
    bind: Mapping[str, object] | None = None,
    dims: Mapping[str, int | str | tuple[int, ...]] | None = None,
) -> Inspection:
    """Say what a network holds, without compiling it: inputs, outputs, operators, weights, work, what is not supported.

    Sizes are in bytes, work in multiplications with an addition. Sizes that the model leaves open take usual values
    where `shapes` and `dims` do not give them; `bind` makes inputs constants.
    """
    given = _specialisation(bind or {}, dims or {})
    return inspect_model(model, _shapes(shapes or {}), bind=given["bind"], dims=given["dims"])


def profile(
    network: "Artifact | Model",
    *,
    inputs: Mapping[str, Array] | None = None,
    runs: int | None = None,
    measure_again: bool = False,
) -> profiling.Profile:
    """Time each kernel of a network on this machine, in microseconds, and compare it with the machine's peaks.

    `network` is a model, which is compiled for this machine, or what `compile` returned, for other options. The network
    runs on `inputs`, by default on random ones, `runs` times, by default for two seconds. `measure_again` measures the
    peaks anew, which are kept from one profile to the next.
    """
    artifact = network if isinstance(network, Artifact) else compile(network)
    profiling.check_profiled(artifact.compilation.options)
    return profiling.profile_artifact(artifact, inputs=inputs, runs=runs, measure_again=measure_again)


def load(tree: str | Path, *, network: str | None = None) -> LoadedNetwork:
    """Build a tree that `s2s compile` wrote, and load it; of a tree of several networks, the one that `network`
    names."""
    return load_tree(tree, network=network)


__all__ = [
    "Artifact",
    "CFunction",
    "CompileOptions",
    "DebugOptions",
    "Inspection",
    "JointArtifact",
    "LoadedNetwork",
    "PackedFunction",
    "Quantized",
    "Target",
    "compile",
    "cpu",
    "device",
    "inspect",
    "load",
    "profile",
    "quantize",
    "register_codegen",
    "register_custom_op",
    "together",
]
