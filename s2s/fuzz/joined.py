"""Compile a model and its halves to one tree of several networks, which share kernels, constants and an arena."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from s2s.errors import CompilerBug, InputError, ToolchainError
from s2s.fuzz.check import Failure, built, differences_of, failure_to_compile, text_of
from s2s.fuzz.compiled import compile_drawn
from s2s.fuzz.model import FuzzModel
from s2s.fuzz.spread import Spread
from s2s.fuzz.variants import Variant
from s2s.joint.artifact import together
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork, load_all


def check_joined(
    model: FuzzModel, inputs: Mapping[str, Array], expected: Mapping[str, Spread], variant: Variant
) -> list[Failure]:
    """The failures of a model and its halves in one tree: every wrong output, or the one reason why there are none."""
    written = model.rewritten() if variant.rewritten else model
    try:
        artifacts = [
            compile_drawn(part.source_for(variant.target), replace(variant.options(), name=f"net_{number}"))
            for number, part in enumerate(parts_of(written))
        ]
        joint = together(artifacts, concurrent=variant.concurrent, share="alike" if variant.alike else "equal")
        tree, info = joint.tree(), artifacts[0].info
    except Exception as error:
        return [failure_to_compile(error, variant)]
    try:
        networks = built(load_all, tree, variant, info.target)
    except ToolchainError as error:
        return [Failure("build", text_of(error), variant)]
    differing: dict[str, str] = {}
    try:
        for network in _in_turn(networks):
            network.reset()
            outputs = network.run({name: inputs[name] for name in network.input_names})
            for name, text in differences_of(model, inputs, expected, outputs, scaled=info.tolerance.scaled).items():
                differing.setdefault(name, f"{network.name}: {text}")
    except (CompilerBug, InputError) as error:
        return [Failure("wrong", text_of(error), variant)]
    finally:
        for network in networks.values():
            network.close()
    return [Failure("wrong", f"{name}: {text}", variant, name) for name, text in differing.items()]


def parts_of(model: FuzzModel) -> list[FuzzModel]:
    """The model with all outputs, and with each half of them; twice the model if it has one output."""
    outputs, half = model.outputs, len(model.outputs) // 2
    return [model, *([model.pruned(outputs[:half]), model.pruned(outputs[half:])] if half else [model])]


def _in_turn(networks: Mapping[str, LoadedNetwork]) -> Iterator[LoadedNetwork]:
    """Each network twice: forwards, and backwards; layers with state begin anew with each run."""
    yield from networks.values()
    yield from reversed(list(networks.values()))


__all__ = ["check_joined", "parts_of"]
