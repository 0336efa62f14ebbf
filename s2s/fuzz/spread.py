"""A tensor with the values that other roundings give it, from which follows how far right answers may lie apart.

Every node is evaluated several times (stochastic arithmetic): once on the values as they are, and in pairs whose
operands and results are off by some roundings, of opposite sign. What the pairs differ by is what roundings do to the
outputs of this very graph: `mean(x) - x` of large numbers gets a wide bound, a copy none at all. An integer that
differs between the runs hangs on a rounding (`floor` beside a whole number, `argmax` of near equals) and is not
determined: it is not compared, and counted.

    x = [2.9999998]  floor(x): clean 2, off by + 32 roundings 3  ->  not determined
    y = [2.5]        floor(y): 2 in all runs                     ->  must be 2
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from s2s.fuzz.arrays import is_floating
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

PAIRS = 2
"""Pairs of noisy runs of every node."""
PAIRS_IN_DOUBT = 16
"""Pairs of noisy runs of a model whose outputs differ: two may by chance leave an element of thousands as it is."""
SAFETY = 4.0
"""By how much right answers may lie further from the clean one than the noisy ones do."""
ROUNDINGS = 32
"""Roundings that values of 32 bits and more are off by in noisy runs, at most."""
STEPS_PER_ROUNDING = 8
"""The number of values of one sign, added one after the other, by which the sum is off by a rounding more: errors of
equal values do not cancel."""
LAST_ROUNDINGS = 16
"""Roundings of the last operation that are always allowed."""


@frozen
class Spread:
    """A tensor: its value, and the values it gets by other roundings."""

    clean: Array
    noisy: tuple[Array, ...] = ()
    """Of each noisy run; none where no rounding has touched the tensor."""

    @property
    def is_exact(self) -> bool:
        """Return whether no rounding has touched the tensor."""
        return not self.noisy

    def of_run(self, run: int) -> Array:
        """The value of a run, of which number 0 is the clean one."""
        return self.noisy[run - 1] if run and self.noisy else self.clean

    def runs(self) -> tuple[Array, ...]:
        """The values of all runs, the clean one first."""
        return (self.clean, *self.noisy)

    def bounds(self) -> Array:
        """The largest allowed error of each element; infinite where an element is not determined."""
        clean = self.clean.astype(np.float64) if self.clean.dtype != np.bool_ else self.clean.astype(np.int8)
        differs = np.zeros(self.clean.shape, np.float64)
        with np.errstate(all="ignore"):
            if not is_floating(self.clean.dtype):
                for each in self.noisy:
                    differs = np.where(each != self.clean, np.inf, differs)
                return differs
            for each in self.noisy:
                differs = np.fmax(differs, np.abs(each.astype(np.float64) - clean))
            small, tiny = limits(self.clean.dtype)
            bounds = SAFETY * differs + LAST_ROUNDINGS * small * np.abs(clean) + LAST_ROUNDINGS * tiny
            unsure = [np.isnan(noisy) != np.isnan(clean) for noisy in self.noisy]  # as the root of a number around 0
            return np.where(np.any(unsure, axis=0), np.inf, bounds) if unsure else bounds


def limits(dtype: "np.dtype[np.generic]") -> tuple[float, float]:
    """The distance from 1 to the next number of a type of floats, and its smallest normal number."""
    if dtype == np.float64:
        return float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)
    if dtype == np.float32:
        return float(np.finfo(np.float32).eps), float(np.finfo(np.float32).tiny)
    return (2.0**-10, 2.0**-14 * 2.0**-6) if dtype == np.float16 else (2.0**-7, float(np.finfo(np.float32).tiny))


class Noise:
    """Changes floats by some roundings; both runs of a pair in opposite directions.

    `around_one` says that the formula of the operator holds numbers around 1.
    """

    def __init__(self, seed: str, *, around_one: bool) -> None:
        self._around_one = around_one
        self._seed = seed

    def added(self, array: Array, name: str, run: int, *, is_result: bool = False, steps: int = 1) -> Array:
        """The values of a tensor in one of the runs, each computed from `steps` others; run 0 is the clean one."""
        if run == 0 or array.size == 0 or not is_floating(array.dtype):
            return array
        pair, sign = (run - 1) // 2, 1.0 if run % 2 else -1.0
        digest = hashlib.sha256(f"{self._seed} {name} {pair}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "little"))
        size = rng.uniform(0.5, 1.0, array.shape) * rng.choice((-1.0, 1.0), array.shape)
        roundings = max(ROUNDINGS, steps // STEPS_PER_ROUNDING) if array.dtype.itemsize >= 4 else 2
        wide = array.astype(np.float64)
        scale = np.abs(wide) + 1.0 if self._around_one and is_result else wide
        with np.errstate(all="ignore"):  # infinities
            return np.asarray(wide + scale * (sign * roundings * limits(array.dtype)[0] * size)).astype(array.dtype)


Run = Callable[[Sequence[Mapping[str, Array]]], list[list[Array]]]
"""Computes an operator on the operands of several runs, by name: its outputs in each of them."""


def spread_results(
    outputs: Sequence[str],
    operands: Mapping[str, Spread],
    run: Run,
    noise: Noise | None,
    pairs: int = PAIRS,
    steady: Sequence[str] = (),
) -> dict[str, Spread]:
    """The outputs of an operator by name; without `noise` it rounds nothing itself. `steady` operands get no noise."""
    if noise is None and all(each.is_exact for each in operands.values()):
        [found] = run([{name: each.clean for name, each in operands.items()}])
        return {name: Spread(value) for name, value in zip(outputs, found, strict=True)}
    runs = [
        {
            name: each.of_run(number)
            if noise is None or name in steady
            else noise.added(each.of_run(number), name, number)
            for name, each in operands.items()
        }
        for number in range(2 * pairs + 1)
    ]
    found = run(runs)
    results: dict[str, Spread] = {}
    most = max((each.clean.size for each in operands.values()), default=1)
    for position, name in enumerate(outputs):
        steps = most // max(found[0][position].size, 1)
        values = [
            noise.added(each[position], name, number, is_result=True, steps=steps)
            if noise is not None
            else each[position]
            for number, each in enumerate(found)
        ]
        results[name] = Spread(values[0], tuple(values[1:]))
    return results
