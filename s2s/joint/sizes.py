"""Divide the sizes of `--dim` among several networks that are compiled with the same options.

    {"tokens": 1..128, "width": 32..640}      the encoder has an input with tokens, the recogniser one with width
    ->
    encoder: {"tokens": 1..128}               recogniser: {"width": 32..640}

A name that no network declares is left to all of them, each of which refuses it unless it computes a size of that name.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from s2s.frontends.formats import load_model
from s2s.frontends.sizes import open_dimensions
from s2s.options import CompileOptions
from s2s.types.sizes import DimSize


def dims_of_networks(models: Sequence[Path], options: CompileOptions) -> list[Mapping[str, DimSize]]:
    """Return the sizes for each network: the sizes that it declares, and the ones that no network declares."""
    if not options.dims:
        return [{}] * len(models)
    loaded = [load_model(model, trust=options.trust_model) for model in models]
    declared = [set(open_dimensions(each, options.shapes, options.dims)) for each in loaded]
    every = set[str]().union(*declared)
    return [{name: size for name, size in options.dims.items() if name in own or name not in every} for own in declared]
