"""Guesses where a function of integers jumps, so that tables take few intervals to find.

A requantisation is a staircase whose steps are about equally wide: from its first and last jump, found by bisection,
the others follow within one or two. A guess only says where to cut the domain; `s2s.prove.functions.tabulate` proves
the value of each part, and cuts those further that do not come to a single value. Example: x >> 4 for 0 <= x <= 79
jumps at 16 and at 64, so at 32 and 48 between; the parts are

    0..13  14..17  18..29  30..33  34..45  46..49  50..61  62..65  66..79
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NEAR = 2
"""Integers before and after a jump that are looked at one by one."""
MIN_JUMPS, MAX_JUMPS = 4, 1 << 16
"""Jumps of a function whose places are guessed."""
MAX_GUESSES = 1 << 24
"""Jumps that are guessed of all functions together, which bounds the memory they take."""
WAYS = 16
"""Parts into which a search cuts an interval."""
Parts = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows, and the first and last integers of intervals."""
Values = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The values of rows at integers."""


def parts_of(values: Values, low: np.ndarray, high: np.ndarray) -> Parts:
    """Cut the domain low[i] to high[i] of each row where its values are likely to jump."""
    rows = np.arange(len(low))
    first, last = values(rows, low), values(rows, high)
    jumps = np.abs(last - first)
    guessed = (jumps >= MIN_JUMPS) & (jumps <= MAX_JUMPS) & ((high - low) // np.maximum(jumps, 1) > 4 * NEAR)
    guessed &= np.cumsum(np.where(guessed, jumps, 0)) <= MAX_GUESSES
    rest, steep = np.flatnonzero(~guessed), np.flatnonzero(guessed)
    if not len(steep):
        return rows, low, high
    begin, end = _ends(values, steep, low[steep], high[steep], first[steep], last[steep])
    owners, starts, ends = _around(begin, end, low[steep], high[steep], jumps[steep])
    return (
        np.concatenate([rest, steep[owners]]),
        np.concatenate([low[rest], starts]),
        np.concatenate([high[rest], ends]),
    )


def _ends(
    values: Values, rows: np.ndarray, low: np.ndarray, high: np.ndarray, first: np.ndarray, last: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the first jump leads to and where the last one does, if the functions are monotone: the least integer
    whose value is not the one at `low`, and the least one whose value is the one at `high`."""
    count = len(rows)
    rows, low, high = np.concatenate([rows, rows]), np.concatenate([low, low]), np.concatenate([high, high])
    value, same = np.concatenate([first, last])[:, None], (np.arange(2 * count) >= count)[:, None]
    while np.any(high - low > 1):
        step = -((low - high) // WAYS)
        points = np.minimum(low[:, None] + step[:, None] * np.arange(1, WAYS), high[:, None])
        beyond = (values(np.repeat(rows, WAYS - 1), points.ravel()).reshape(points.shape) == value) == same
        before = (~beyond).sum(1)
        low, high = low + step * before, np.minimum(low + step * (before + 1), high)
    return high[:count], high[count:]


def _around(begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray, jumps: np.ndarray) -> Parts:
    """The domain cut before and after each of `jumps` equally distant jumps from `begin` to `end`."""
    rows = np.repeat(np.arange(len(jumps)), jumps)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(jumps) - jumps, jumps)
    distance = (end - begin) / np.maximum(jumps - 1, 1)
    at = begin[rows] + np.rint(number * distance[rows]).astype(np.int64)
    at = np.clip(at, low[rows] + NEAR, high[rows] - NEAR + 1)
    cuts = np.concatenate([low, at - NEAR, at + NEAR])
    owners = np.concatenate([np.arange(len(low)), rows, rows])
    order = np.lexsort((cuts, owners))
    cuts, owners = cuts[order], owners[order]
    ends = np.append(cuts[1:], 0) - 1
    final = np.append(owners[1:] != owners[:-1], [True])
    ends[final] = high
    there = cuts <= ends
    return owners[there], cuts[there], ends[there]
