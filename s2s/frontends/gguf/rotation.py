"""The angles by which a model's positions rotate queries and keys, as the metadata of a GGUF file state them.

    angle of pair i = base ** (-2 i / width)

Where there is a tensor `rope_freqs.weight`, it divides angle by angle. `linear` scaling divides all angles by its
factor. `longrope` has tensors that divide them, one for texts of the length of the first training and one for longer
texts, and a factor of what is rotated. `yarn` leaves the fast ones as they are, which turn more than 32 times within
the positions that the model was first trained with, divides the slow ones, which turn less than once, and mixes both
between.
"""

from collections.abc import Mapping
from math import ceil, floor, log, pi
from typing import NamedTuple

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.gguf.reader import Field
from s2s.types.dtypes import Array

FAST, SLOW = 32.0, 1.0
"""The turns of angles that yarn leaves as they are, and of the angles that it divides."""
GROWTH = 0.1
"""By how much yarn makes queries and keys larger, times the logarithm of the factor."""

NARROWEST = 1e-3
"""The least number of pairs between the pairs that yarn leaves and the pairs that it divides."""


class Rotation(NamedTuple):
    """The angles of the pairs of a head for one position, and the factor of what is rotated."""

    angles: tuple[float, ...]
    magnitude: float = 1.0


def read_rotation(
    metadata: Mapping[str, Field], architecture: str, width: int, factors: Array | None, label: str
) -> Rotation:
    """Return the rotation of heads of `width` numbers."""

    def real(key: str, default: float | None, least: float = 0.0) -> float:
        value = metadata.get(f"{architecture}.{key}", default)
        if not isinstance(value, float | int) or not least < value < 1e12:
            raise InputError(f"{label}: {architecture}.{key} is {value!r}; convert the model again")
        return float(value)

    base = real("rope.freq_base", 10000.0, least=1.0)
    angles = base ** (-np.arange(0, width, 2) / width)
    if factors is not None:
        angles = angles / factors.astype(np.float64)
    old = real("rope.scale_linear", 1.0)
    kind = metadata.get(f"{architecture}.rope.scaling.type", "linear" if old != 1.0 else "none")
    factor = real("rope.scaling.factor", old)
    if kind == "none":
        return Rotation(tuple(angles.tolist()))
    if kind == "longrope":
        return Rotation(tuple(angles.tolist()), real("rope.scaling.attn_factor", 1.0))
    if kind == "linear":
        return Rotation(tuple((angles / factor).tolist()))
    if kind != "yarn":
        fact = f"rotary positions are scaled by {kind!r}, which is not supported"
        raise UnsupportedError(f"{label}: {fact}; known are linear, yarn and longrope, take a model with one of these")
    positions = real("rope.scaling.original_context_length", real("context_length", None))
    ends = (real("rope.scaling.yarn_beta_fast", FAST), real("rope.scaling.yarn_beta_slow", SLOW))
    pairs = [width * log(positions / (turns * 2 * pi)) / (2 * log(base)) for turns in ends]
    low, high = max(floor(pairs[0]), 0), min(ceil(pairs[1]), width - 1)
    slow = np.clip((np.arange(width // 2) - low) / max(high - low, NARROWEST), 0, 1)
    magnitude = real("rope.scaling.attn_factor", 1.0) * (1 + GROWTH * log(factor))
    return Rotation(tuple((angles * (1 - slow) + angles / factor * slow).tolist()), magnitude)
