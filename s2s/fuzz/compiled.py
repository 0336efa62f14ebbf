"""Compile a model that is drawn, with steps that its kernels can be cut to."""

import re
from dataclasses import replace

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.model import Source
from s2s.options import CompileOptions
from s2s.types.steps import StepBound

_MIN_STEPS = re.compile(r"give --steps (\d+)macs or more")
_FACTOR = 8
"""How many times longer a step may take, at least, where it is too short for a kernel."""
_TRIES = 20


def compile_drawn(source: Source, options: CompileOptions) -> Artifact:
    """Compile a model, with longer steps if a kernel cannot be cut into steps as short as the options ask for.

    Raises what `compile_artifact` raises.
    """
    for _ in range(_TRIES):
        try:
            return compile_artifact(source, options)
        except UnsupportedError as error:
            least = _MIN_STEPS.search(str(error))
            if options.steps is None or least is None:
                raise
            options = replace(options, steps=StepBound(max(int(least[1]), _FACTOR * options.steps.most), "macs"))
    return compile_artifact(source, options)


__all__ = ["compile_drawn"]
