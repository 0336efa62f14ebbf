"""Template views of the files with constant arrays: declarations, comments, headers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i1

from s2s.c_syntax.identifiers import c_comment, c_macro, pool_macro
from s2s.c_syntax.types import c_type
from s2s.dialects.c.conversions import is_half
from s2s.emit.weights import ConstantArray, Placed
from s2s.types.pools import Pools

_MAX_NAME_LENGTH = 60
"""The maximum length of a model's tensor name in a comment; converters join several names by semicolons."""


class ArrayView(NamedTuple):
    """The declaration of a constant array, and its description."""

    declaration: str
    comment: str


class ConstantsView(NamedTuple):
    """A pair of C file and header that hold constant arrays."""

    title: str
    stem: str
    macro: str
    headers: tuple[str, ...]
    arrays: tuple[ArrayView, ...]
    placed: tuple[Placed, ...]
    align: int
    sections: tuple[tuple[str, str, str], ...] = ()
    """The memory pools of the arrays, with the macro of each, and the linker script that places it; empty if it has no
    address."""


def constants_view(
    title: str,
    stem: str,
    arrays: Sequence[ConstantArray],
    placed: Sequence[Placed],
    align: int,
    headers: Sequence[str] = (),
    memories: Pools = (),
    script: str = "",
) -> ConstantsView:
    """Create the pair of files `stem.c` and `stem.h` that hold `arrays`.

    `headers` are included before all others; `memories` are the pools with an address, which `script` places.
    """
    pools = [pool for pool in dict.fromkeys(array.pool for array in arrays) if pool]
    return ConstantsView(
        title=title,
        stem=stem,
        macro=c_macro(stem),
        headers=(*headers, *_array_headers(arrays)),
        arrays=tuple(ArrayView(array.declaration, _array_comment(array)) for array in arrays),
        placed=tuple(placed),
        align=align,
        sections=tuple(
            (pool, pool_macro(pool), script if any(pool == each.name for each in memories) else "") for pool in pools
        ),
    )


def need_math(arrays: Sequence[ConstantArray]) -> bool:
    """Return whether the literals of arrays may be `NAN` or `INFINITY`, macros of <math.h>."""
    others = [array.values for array in arrays if array.values.dtype.kind not in "biu" and array.values.size]
    return any(values.dtype.kind != "f" or not np.isfinite([values.min(), values.max()]).all() for values in others)


def _array_headers(arrays: Sequence[ConstantArray]) -> list[str]:
    elements = {array.element for array in arrays}
    wanted = [
        ("<stdbool.h>", any(element == i1 for element in elements)),
        ("<stdint.h>", any(c_type(element).endswith("_t") for element in elements)),
        ('"s2s_config.h"', True),
        ('"s2s_half.h"', any(map(is_half, elements))),
    ]
    return [header for header, needed in wanted if needed]


def _array_comment(array: ConstantArray) -> str:
    shape = "".join(f"[{size}]" for size in array.values.shape)
    name = array.name.split(";")[0]
    if len(name) > _MAX_NAME_LENGTH:
        name = f"{name[:_MAX_NAME_LENGTH].rstrip()}..."
    return c_comment(f"{name} {shape}")
