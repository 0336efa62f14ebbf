"""Long linear forms that are held by residues (`s2s.prove.residues`), and the atoms that stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2s.prove import residues
from s2s.prove.faults import Unprovable
from s2s.prove.residues import MAX_WIDTH, MODULI, RESERVED, Residues, factor_of, firsts_of
from s2s.prove.rows import Base, Rows

Name = tuple[Any, ...]
"""The identity of an atom: its kind, and its parts."""
Held = tuple[tuple[int, ...], int, int, int]
"""The first residues of a form, its width (greatest less least value), and the atom or the base that it is (0 or -1 for
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
        ends = zip(residues.keys_of(marks), firsts_of(marks), low.tolist(), high.tolist(), marks, strict=True)
        for key, firsts, least, most, row in ends:
            match = self._multiple_of(key, firsts, most - least)
            if match is None:
                atom = self.new(("sum", key, firsts), least, most)
                self.residues.note(atom, row)
                self.held.setdefault(key, []).append((firsts, most - least, atom, -1))
                match = atom, -1, 1
            matches.append(match)
        return matches

    def _multiple_of(self, key: bytes, firsts: tuple[int, ...], width: int) -> tuple[int, int, int] | None:
        """The atom or base that a form with these first residues is a multiple of, and the factor; None if none is
        known.

        No coefficient of a form is above its width, as each atom has two values at least; so none of the form less its
        multiple is a multiple of two of the primes.
        """
        if width >= MAX_WIDTH:
            msg = "a long sum of more than 61 bits"
            raise Unprovable(msg)
        for of_known, its_width, atom, base in self.held.get(key, ()):
            factor = factor_of(firsts, of_known)
            if factor is not None and width + abs(factor) * its_width < MAX_WIDTH:
                return atom, base, factor
        return None

    def known_atoms(self, marks: np.ndarray, widths: np.ndarray) -> dict[int, tuple[int, int]]:
        """The rows of residues that are multiples of an atom that stands for a form, with the atom and the factor."""
        self.residues.forms += len(marks)
        rows: dict[int, tuple[int, int]] = {}
        ends = zip(residues.keys_of(marks), firsts_of(marks), widths.tolist(), strict=True)
        for row, (key, firsts, width) in enumerate(ends):
            match = self._multiple_of(key, firsts, width) if width < MAX_WIDTH else None
            if match is not None and match[0]:
                rows[row] = match[0], match[2]
        return rows

    def widths_of(self, rows: Rows) -> np.ndarray:
        """The greatest less the least value of linear forms."""
        return rows.summed(np.abs(rows.coefficients) * (self.high[rows.ids] - self.low[rows.ids]))

    def marks_of(self, rows: Rows) -> np.ndarray:
        """The residues of linear forms, none of which is empty."""
        table = self.residues.upto(self.count)
        terms = rows.coefficients[:, None] % MODULI * table[rows.ids] % MODULI
        return np.add.reduceat(terms, rows.bounds[:-1]) % MODULI

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
        for number, key, firsts, width in zip(
            new, residues.keys_of(marks), firsts_of(marks), widths.tolist(), strict=True
        ):
            if width < MAX_WIDTH:
                self.held.setdefault(key, []).append((firsts, width, 0, number))
