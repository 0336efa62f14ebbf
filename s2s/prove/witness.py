"""Inputs that show a difference: atoms computed at inputs that are drawn.

Two unequal atoms are two functions as the prover sees them. Where these take other values for an input, the difference
is a bug that runs; where no drawn input shows one, it may lie where no input gets.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from s2s.prove import intervals
from s2s.prove.atoms import Atoms
from s2s.prove.ctypes import F32
from s2s.prove.floats import encoded

DRAWS = 32
"""Inputs that are drawn: of seed n by `numpy.random.default_rng(n).integers(-128, 128, size)`, one after another; from
0 to 255 if they have no sign. Floats are `standard_normal(size)` in float32."""


def _drawn(generator: np.random.Generator, size: int, least: int) -> np.ndarray:
    """Elements of an input of int8, uint8 or floats, which its least number tells apart."""
    if least == F32.least:
        return encoded(generator.standard_normal(size).astype(np.float32))
    return generator.integers(least, least + 256, size)


class Drawn:
    """The values of atoms at the drawn inputs, each an array of shape (DRAWS,)."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.values: dict[int, np.ndarray] = {0: np.zeros(DRAWS, np.int64)}
        inputs: dict[str, list[int]] = {}
        for atom, (kind, *parts) in atoms.definitions.items():
            if kind == "input":
                inputs.setdefault(parts[0], []).append(atom)
        generators = [np.random.default_rng(number) for number in range(DRAWS)]
        for elements in inputs.values():
            drawn = [_drawn(generator, len(elements), int(atoms.low[elements[0]])) for generator in generators]
            self.values |= zip(elements, np.array(drawn, np.int64).T, strict=True)

    def sum_of(self, ids: np.ndarray, factors: np.ndarray, constant: int) -> np.ndarray | None:
        """The values of a linear form; None where an atom stands for memory that nothing wrote."""
        terms = [(int(atom), int(factor)) for atom, factor in zip(ids, factors, strict=True) if factor]
        if not all(self._compute(atom) for atom, _ in terms):
            return None
        return constant + sum((factor * self.values[atom] for atom, factor in terms), np.zeros(DRAWS, np.int64))

    def _compute(self, atom: int) -> bool:
        """Compute an atom after what it is made of; whether all of that depends on the inputs alone."""
        waiting = [atom]
        while waiting:
            last = waiting[-1]
            missing = [part for part in self._parts(last) if part not in self.values]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if last not in self.values:
                if self.atoms.definitions[last][0] in {"unknown", "sum"}:
                    return False
                self.values[last] = self._value(last)
        return True

    def _parts(self, atom: int) -> Iterable[int]:
        """The atoms that an atom is a function of."""
        if not atom:
            return ()
        kind, *parts = self.atoms.definitions[atom]
        if kind in {"max", "min"}:
            return parts[0]
        if kind == "product":
            return parts
        bases: list[int] = {"function": parts[:1], "pair": parts[:2]}.get(kind, [])
        return [int(atom) for base in bases for atom in self.atoms.bases[base].ids]

    def _value(self, atom: int) -> np.ndarray:
        """The values of an atom whose parts are computed."""
        kind, *parts = self.atoms.definitions[atom]
        if kind in {"max", "min"}:
            pick = np.maximum if kind == "max" else np.minimum
            return pick.reduce([self.values[part] for part in parts[0]])
        if kind == "product":
            return self.values[parts[0]] * self.values[parts[1]]
        if kind == "function":
            return self._in_table(parts[1], self._base(parts[0]))
        first, second, rows, columns, digest = parts
        lines = self._in_table(rows, self._base(first)), self._in_table(columns, self._base(second))
        return self.atoms.matrices[digest][lines]

    def _base(self, number: int) -> np.ndarray:
        base = self.atoms.bases[number]
        return base.coefficients @ np.stack([self.values[atom] for atom in base.ids.tolist()])

    def _in_table(self, number: int, at: np.ndarray) -> np.ndarray:
        return self.atoms.tables[number].over(intervals.at(at)).low
