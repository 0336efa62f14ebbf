"""Numbers as options hold them: one, or nested tuples of them, which compare and hash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from s2s.errors import InputError

Numbers: TypeAlias = "bool | int | float | tuple[Numbers, ...]"


def as_numbers(value: object, where: str) -> Numbers:
    """`value`, an array or nested sequences, as numbers; `where` names it in messages."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{where}: {value!r} given; give a number, or a list or array of them")
    return _nested(array.tolist())


def _nested(found: Any) -> Numbers:
    if isinstance(found, list):
        return tuple(_nested(each) for each in cast(Sequence[Any], found))
    return found
