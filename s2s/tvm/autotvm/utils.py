"""Helpers of AutoTVM, under TVM's names."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.errors import WrongValueError
from s2s.tvm.topi.utils import get_const_int, get_const_tuple

PREFIXES = ("y", "z", "a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y")
"""The prefixes of units; each is a thousand times the one before it."""


class EmptyContext(nullcontext[None]):
    """A `with` block that does nothing, where another one would stand by a condition."""


def get_rank(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the place of each value in a list of them, the largest one first."""
    numbers: npt.NDArray[np.float64] = np.array(values, np.float64)
    order = np.argsort(-numbers)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return ranks


def pool_map(
    func: Callable[[Any], Any], args: Sequence[Any], batch_size: int, verbose: bool = False, pool: Any = None
) -> npt.NDArray[Any] | None:
    """Return an array of what a function gives for each argument, None for no arguments.

    `pool` has a method `map`, which gets the arguments in batches; without one they are mapped in this process.
    """
    batches: list[npt.NDArray[Any]] = []
    for start in range(0, len(args), batch_size):
        part = args[start : start + batch_size]
        batches.append(np.array([func(argument) for argument in part] if pool is None else list(pool.map(func, part))))
    return np.concatenate(batches) if batches else None


def get_func_name(func: Callable[..., Any]) -> str:
    """Return the name of a function."""
    return str(getattr(func, "func_name", None) or getattr(func, "__name__", func))


def format_si_prefix(x: float, si_prefix: str) -> float:
    """Return a number in a unit: 1.5 for 1.5e9 and `G`."""
    prefix = si_prefix.strip()
    if prefix not in PREFIXES:
        raise WrongValueError(f"si_prefix {si_prefix!r}: is not known; give one of {', '.join(filter(None, PREFIXES))}")
    return float(x) / 10.0 ** (3 * (PREFIXES.index(prefix) - PREFIXES.index("")))


__all__ = [
    "EmptyContext",
    "format_si_prefix",
    "get_const_int",
    "get_const_tuple",
    "get_func_name",
    "get_rank",
    "pool_map",
]
