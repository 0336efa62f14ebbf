"""Long linear forms that are held by residues (`s2s.prove.residues`), and the atoms that stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2s.prove import residues
from s2s.prove.faults import Unprovable
from s2s.prove.residues import MAX_FACTOR, PRIME, RESERVED, Residues
from s2s.prove.rows import Base, Rows

Name = tuple[Any, ...]
"""The identity of an atom: its kind, and its parts."""
Held = tuple[int, int, int, int]
"""The first residue of a form, its width (greatest less least value), and the atom or the base that it is (0 or -1 for
the other one)."""


@dataclass
class HeldForms:
    """Forms that residues stand for, among the atoms and bases of a proof."""

    low: np.ndarray = field(default_factory=lambda: np.zeros(1024, np.int64))
    high: np.ndarray = field(default_factory=lambda: np.zeros(1024, np.int64))
    count: int = RESERVED
    """Atoms that are made. Atom 0 is the constant 0; the next ones, below RESERVED, stand for residues."""
    bases: list[Base] = field(default_factory=list[Base])
    residues: Residues = field(default_factory=Residues)
    held: dict[bytes, list[Held]] = field(default_factory=dict[bytes, list["Held"]])
    """Forms by what the residues of their multiples share."""
    noted: int = 0
    """Bases whose residues are among the held ones."""
    by_residues: bool = False
    """Whether residues stand for long forms."""

    def new(self, name: Name, low: int, high: int) -> int:
        """The atom of this name, made if there is none; `low` and `high` bound its values."""
        raise NotImplementedError

    def residues_of(self, groups: Sequence[residues.Group]) -> np.ndarray:
        """The residues of a form's terms."""
        return residues.residues_of(self.residues.upto(self.count), groups)

    def find_held(self, marks: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[tuple[int, int, int]]:
        """For forms given by residues, one a row: the atom or the base (0 or -1 for the other one) that it is a
        multiple of, and the factor. A form that is not known is a new atom between `low` and `high`."""
        self._note_bases()
        self.residues.forms += len(marks)
        matches: list[tuple[int, int, int]] = []
        ends = zip(residues.keys_of(marks), marks[:, 0].tolist(), low.tolist(), high.tolist(), strict=True)
        for key, residue, least, most in ends:
            match = self._multiple_of(key, residue, most - least)
            if match is None:
                atom = self.new(("sum", key, residue), least, most)
                self.held.setdefault(key, []).append((residue, most - least, atom, -1))
                match = atom, -1, 1
            matches.append(match)
        return matches

    def _multiple_of(self, key: bytes, residue: int, width: int) -> tuple[int, int, int] | None:
        """The atom or base that a form with this first residue is a multiple of, and the factor; None if none is known.

        No coefficient of a form is above its width, as each atom has two values at least; so none of the form less its
        multiple is a multiple of the prime.
        """
        if width >= PRIME:
            msg = "a long sum of more than 31 bits"
            raise Unprovable(msg)
        for of_known, its_width, atom, base in self.held.get(key, ()):
            factor = _factor(residue, of_known)
            if abs(factor) <= MAX_FACTOR and width + abs(factor) * its_width < PRIME:
                return atom, base, factor
        return None

    def known_atoms(self, marks: np.ndarray, widths: np.ndarray) -> dict[int, tuple[int, int]]:
        """The rows of residues that are multiples of an atom that stands for a form, with the atom and the factor."""
        self.residues.forms += len(marks)
        rows: dict[int, tuple[int, int]] = {}
        ends = zip(residues.keys_of(marks), marks[:, 0].tolist(), widths.tolist(), strict=True)
        for row, (key, residue, width) in enumerate(ends):
            match = self._multiple_of(key, residue, width) if width < PRIME else None
            if match is not None and match[0]:
                rows[row] = match[0], match[2]
        return rows

    def widths_of(self, rows: Rows) -> np.ndarray:
        """The greatest less the least value of linear forms."""
        return rows.summed(np.abs(rows.coefficients) * (self.high[rows.ids] - self.low[rows.ids]))

    def marks_of(self, rows: Rows) -> np.ndarray:
        """The residues of linear forms, none of which is empty."""
        table = self.residues.upto(self.count)
        terms = rows.coefficients[:, None] % PRIME * table[rows.ids] % PRIME
        return np.add.reduceat(terms, rows.bounds[:-1]) % PRIME

    def _note_bases(self) -> None:
        """Note the residues of bases that are new, and have more than one term."""
        new = [number for number in range(self.noted, len(self.bases)) if len(self.bases[number].ids) > 1]
        self.noted = len(self.bases)
        if not new:
            return
        forms = [self.bases[number] for number in new]
        ids, factors = (
            np.concatenate(part) for part in zip(*((form.ids, form.coefficients) for form in forms), strict=True)
        )
        rows = Rows(np.cumsum([0, *(len(form.ids) for form in forms)]), ids, factors)
        marks, widths = self.marks_of(rows), self.widths_of(rows)
        self.residues.forms += len(marks)
        for number, key, mark, width in zip(
            new, residues.keys_of(marks), marks[:, 0].tolist(), widths.tolist(), strict=True
        ):
            if width < PRIME:
                self.held.setdefault(key, []).append((mark, width, 0, number))


def _factor(residue: int, of_known: int) -> int:
    """The factor of a form whose first residue is `residue` over the one of `of_known`, nearest to 0; PRIME if none."""
    if residue == of_known:
        return 1
    if residue == 0 or of_known == 0:
        return PRIME
    factor = residue * pow(of_known, -1, PRIME) % PRIME
    return factor - PRIME if factor > PRIME // 2 else factor
