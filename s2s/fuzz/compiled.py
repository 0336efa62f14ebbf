"""Compile a model that is drawn, with steps that its kernels can be cut into."""

import re
from dataclasses import replace

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.model import Source
from s2s.options import CompileOptions

_LEAST = re.compile(r"give --steps (\d+macs) or more")
_KERNELS = 100
"""Kernels that may ask for a greater bound each."""


def compile_drawn(source: Source, options: CompileOptions) -> Artifact:
    """Compile a model; a bound of steps that a kernel exceeds becomes the least one that the kernel can be cut to.

    Raises what `compile_artifact` raises.
    """
    for _ in range(_KERNELS):
        try:
            return compile_artifact(source, options)
        except UnsupportedError as error:
            least = _LEAST.search(str(error))
            if options.steps is None or least is None:
                raise
            options = replace(options, steps=least[1])
    return compile_artifact(source, options)


__all__ = ["compile_drawn"]
