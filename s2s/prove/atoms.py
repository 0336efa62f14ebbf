"""Atoms: the unknowns of linear forms. Two results that are the same function of the same inputs are one atom.

An atom is an element of an input, a function (a table) of a linear form of other atoms, a maximum, a product, or a
function of two forms (a matrix). Whatever computes it, the C or the operator of the model, gets the same
number, so that equality of atoms is equality for every input.

    base      a linear form without constant, its coefficients without a common divisor, the first one positive
    function  (base, table over the base's interval); a function of a function is folded into one table
    maximum   the set of atoms it is taken of

Digests (blake2b, 192 bits) stand for long keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from s2s.prove import residues
from s2s.prove.functions import Table
from s2s.prove.pairs import Pair
from s2s.prove.residues import PRIME, RESERVED, Residues
from s2s.support.frozen import frozen

MANY_ALONE = 32
"""Rows of one term above which these are numbered on their own."""
BYTES = (-128, 127), (0, 255)
"""Intervals of the results of long sums: the same for all, so that functions of them have the same tables."""
MAX_FACTOR = 1 << 12
"""The greatest factor of two forms held by residues."""
Held = tuple[int, int, int]
"""The first residue of a form, and the atom or the base that it is (0 or -1 for the other one)."""
Name = tuple[Any, ...]
"""The identity of an atom: its kind, and its parts."""


@frozen(eq=False)
class Base:
    """A primitive linear form and its interval."""

    ids: np.ndarray
    coefficients: np.ndarray
    low: int
    high: int


@dataclass
class Rows:
    """Linear forms, one a row: terms of row i at bounds[i] to bounds[i + 1], ids ascending, no coefficient 0."""

    bounds: np.ndarray
    ids: np.ndarray
    coefficients: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Terms of each row."""
        return np.diff(self.bounds)

    def picked(self, rows: np.ndarray) -> Rows:
        """Some of the rows."""
        counts = self.counts[rows]
        bounds = np.concatenate([[0], np.cumsum(counts)])
        at = np.arange(bounds[-1]) + np.repeat(self.bounds[rows] - bounds[:-1], counts)
        return Rows(bounds, self.ids[at], self.coefficients[at])

    def summed(self, terms: np.ndarray) -> np.ndarray:
        """The sum of `terms` over each row."""
        sums = np.concatenate([[0], np.cumsum(terms)])
        return sums[self.bounds[1:]] - sums[self.bounds[:-1]]


@dataclass
class Atoms:
    """The table of all atoms of one proof."""

    low: np.ndarray = field(default_factory=lambda: np.zeros(1024, np.int64))
    high: np.ndarray = field(default_factory=lambda: np.zeros(1024, np.int64))
    count: int = RESERVED
    """Atom 0 is the constant 0; those up to this one stand for residues."""
    names: dict[Name, int] = field(default_factory=dict[Name, int])
    definitions: dict[int, Name] = field(default_factory=dict[int, Name])
    bases: list[Base] = field(default_factory=list[Base])
    base_ends: np.ndarray = field(default_factory=lambda: np.zeros((2, 1024), np.int64))
    """Least and greatest value of each base."""
    base_names: dict[bytes, int] = field(default_factory=dict[bytes, int])
    tables: list[Table] = field(default_factory=list[Table])
    table_names: dict[bytes, int] = field(default_factory=dict[bytes, int])
    alike: dict[tuple[int, int], list[tuple[int, int, int]]] = field(
        default_factory=dict[tuple[int, int], list[tuple[int, int, int]]]
    )
    """Functions of one base whose tables are multiples of one shape: atom, unit and first value."""
    matrices: dict[bytes, np.ndarray] = field(default_factory=dict[bytes, np.ndarray])
    """Values of functions of two bases, by their digest; their tables say the shape."""
    shapes: dict[int, tuple[int, int, int]] = field(default_factory=dict[int, tuple[int, int, int]])
    """Shape, unit and first value by table."""
    residues: Residues = field(default_factory=Residues)
    held: dict[bytes, list[Held]] = field(default_factory=dict[bytes, list["Held"]])
    """Forms by what the residues of their multiples share."""
    noted: int = 0
    """Bases whose residues are among the held ones."""
    by_residues: bool = True
    """Whether long forms are held by residues."""
    single: dict[int, int] = field(default_factory=dict[int, int])
    """The base that is an atom alone."""

    def __post_init__(self) -> None:
        """Name the atoms that stand for residues."""
        self.definitions.update({atom: ("residue", atom) for atom in range(1, RESERVED)})

    def new(self, name: Name, low: int, high: int) -> int:
        """The atom of this name, made if there is none; `low` and `high` bound its values."""
        found = self.names.get(name)
        if found is not None:
            return found
        if self.count == len(self.low):
            self.low = np.concatenate([self.low, np.zeros_like(self.low)])
            self.high = np.concatenate([self.high, np.zeros_like(self.high)])
        number = self.count
        self.low[number], self.high[number] = low, high
        self.count += 1
        self.names[name] = number
        self.definitions[number] = name
        return number

    def residues_of(self, groups: Sequence[residues.Group]) -> np.ndarray:
        """The residues of a form's terms."""
        return residues.residues_of(self.residues.upto(self.count), groups)

    def find_held(self, marks: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[tuple[int, int, int]]:
        """For forms given by residues, one a row: the atom or the base (0 or -1 for the other one) that it is a
        multiple of, and the factor. A form that is not known is a new atom between `low` and `high`."""
        self._note_bases()
        found: list[tuple[int, int, int]] = []
        ends = zip(residues.keys_of(marks), marks[:, 0].tolist(), low.tolist(), high.tolist(), strict=True)
        for key, residue, least, most in ends:
            known = self._multiple_of(key, residue)
            if known is None:
                atom = self.new(("sum", key, residue), least, most)
                self.held.setdefault(key, []).append((residue, atom, -1))
                known = atom, -1, 1
            found.append(known)
        return found

    def _multiple_of(self, key: bytes, residue: int) -> tuple[int, int, int] | None:
        """The atom or base that a form with this first residue is a multiple of, and the factor; None if none is known.

        A quotient m / n of integers below 2^18 is congruent to no integer below MAX_FACTOR but itself.
        """
        for of_known, atom, base in self.held.get(key, ()):
            factor = _factor(residue, of_known)
            if abs(factor) <= MAX_FACTOR:
                return atom, base, factor
        return None

    def known_atoms(self, marks: np.ndarray) -> dict[int, tuple[int, int]]:
        """The rows of residues that are multiples of an atom that stands for a form, with the atom and the factor."""
        rows: dict[int, tuple[int, int]] = {}
        for row, (key, residue) in enumerate(zip(residues.keys_of(marks), marks[:, 0].tolist(), strict=True)):
            known = self._multiple_of(key, residue)
            if known is not None and known[0]:
                rows[row] = known[0], known[2]
        return rows

    def _note_bases(self) -> None:
        """Note the residues of bases that are new, and have more than one term."""
        table = self.residues.upto(self.count)
        new = [number for number in range(self.noted, len(self.bases)) if len(self.bases[number].ids) > 1]
        self.noted = len(self.bases)
        if not new:
            return
        forms = [self.bases[number] for number in new]
        ids, factors = (np.concatenate(part) for part in ([each.ids for each in forms], [each.coefficients for each in forms]))
        ends = np.cumsum([0, *(len(each.ids) for each in forms)])
        terms = factors[:, None] % PRIME * table[ids] % PRIME
        marks = np.add.reduceat(terms, ends[:-1]) % PRIME
        for number, key, mark in zip(new, residues.keys_of(marks), marks[:, 0].tolist(), strict=True):
            self.held.setdefault(key, []).append((mark, 0, number))

    def inputs(self, name: str, count: int, low: int, high: int) -> np.ndarray:
        """The atoms of an input's elements."""
        return np.array([self.new(("input", name, i), low, high) for i in range(count)], np.int64)

    def numbered(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """For each linear form its base (-1 for none) and its factor: the form is the base times the factor.

        Example: 6 * x3 - 4 * x5 is 2 times the base 3 * x3 - 2 * x5.
        """
        numbers, factors = np.full(len(rows.counts), -1), np.zeros(len(rows.counts), np.int64)
        there = np.flatnonzero(rows.counts)
        if not len(there):
            return numbers, factors
        alone = np.flatnonzero(rows.counts == 1)
        if len(alone) > MANY_ALONE:
            return self._numbered_apart(rows, alone, np.flatnonzero(rows.counts != 1))
        starts = rows.bounds[there]
        factors[there] = np.gcd.reduceat(np.abs(rows.coefficients), starts) * np.sign(rows.coefficients[starts])
        primitive = rows.coefficients // np.repeat(factors, rows.counts)
        ends = primitive * self.low[rows.ids], primitive * self.high[rows.ids]
        low, high = (rows.summed(pick(*ends))[there].tolist() for pick in (np.minimum, np.maximum))
        terms = np.stack([rows.ids, primitive], -1)
        text, width = terms.tobytes(), terms.itemsize * 2
        names = self.base_names
        for at, least, most in zip(there.tolist(), low, high, strict=True):
            begin, end = int(rows.bounds[at]), int(rows.bounds[at + 1])
            name = blake2b(text[begin * width : end * width], digest_size=24).digest()
            number = names.get(name)
            if number is None:
                number = names[name] = self._new_base(rows.ids[begin:end], primitive[begin:end], least, most)
            numbers[at] = number
        return numbers, factors

    def _numbered_apart(self, rows: Rows, alone: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same, for rows of which many are one atom times a factor."""
        numbers, factors = np.full(len(rows.counts), -1), np.zeros(len(rows.counts), np.int64)
        at = rows.bounds[alone]
        factors[alone] = rows.coefficients[at]
        numbers[alone] = [self._alone(atom) for atom in rows.ids[at].tolist()]
        numbers[others], factors[others] = self.numbered(rows.picked(others))
        return numbers, factors

    def _alone(self, atom: int) -> int:
        """The base that is one atom."""
        number = self.single.get(atom)
        if number is None:
            term = np.array([atom, 1])
            name = blake2b(term.tobytes(), digest_size=24).digest()
            number = self.base_names.get(name)
            if number is None:
                ends = int(self.low[atom]), int(self.high[atom])
                number = self.base_names[name] = self._note(Base(term[:1], term[1:], *ends))
            self.single[atom] = number
        return number

    def _new_base(self, ids: np.ndarray, coefficients: np.ndarray, low: int, high: int) -> int:
        """Note a base whose terms lie between `low` and `high`; return its number."""
        return self._note(Base(ids.copy(), coefficients.copy(), *self._bounds(ids, coefficients, low, high)))

    def _note(self, base: Base) -> int:
        """Keep a base; return its number."""
        number = len(self.bases)
        if number == self.base_ends.shape[1]:
            self.base_ends = np.concatenate([self.base_ends, np.zeros_like(self.base_ends)], axis=1)
        self.base_ends[:, number] = base.low, base.high
        self.bases.append(base)
        return number

    def _bounds(self, ids: np.ndarray, coefficients: np.ndarray, low: int, high: int) -> tuple[int, int]:
        """The interval of a linear form whose terms lie between `low` and `high`, narrower where a term is a maximum,
        which is never less than what it is taken of."""
        if len(ids) == 2 and coefficients[0] == -coefficients[1]:
            for first, second in ((0, 1), (1, 0)):
                definition = self.definitions[int(ids[first])]
                if definition[0] == "max" and int(ids[second]) in definition[1]:
                    low, high = (max(low, 0), high) if coefficients[first] > 0 else (low, min(high, 0))
        elif np.all(coefficients == 1):
            low = max(low, self._least_of_softmax(ids))
        return low, high

    def _least_of_softmax(self, ids: np.ndarray) -> int:
        """The least sum of f(max - x[i]) over all x: one x is the maximum, so one term is f(0)."""
        members, tables = set[tuple[int, int]](), set[tuple[int, int]]()
        for number in ids.tolist():
            definition = self.definitions[number]
            if definition[0] != "function":
                return -(2**62)
            base = self.bases[int(definition[1])]
            if len(base.ids) != 2 or abs(int(base.coefficients[0])) != 1 or base.coefficients.sum() != 0:
                return -(2**62)
            pair = [int(atom) for atom in base.ids]
            maxima = [atom for atom in pair if self.definitions[atom][0] == "max"]
            if len(maxima) != 1:
                return -(2**62)
            members.add((maxima[0], pair[0] + pair[1] - maxima[0]))
            tables.add((definition[2], int(base.coefficients[pair.index(maxima[0])])))
        maximum = {pair[0] for pair in members}
        if len(maximum) != 1 or len(tables) != 1 or not self.definitions[min(maximum)][1] <= {m for _, m in members}:
            return -(2**62)
        table = self.tables[tables.pop()[0]]
        at_zero = int(table.values[np.searchsorted(table.starts, 0, side="right") - 1])
        return at_zero + (len(ids) - 1) * int(table.values.min())

    def table(self, table: Table) -> int:
        """The number of a table."""
        key = table.key
        found = self.table_names.get(key)
        if found is None:
            found = self.table_names[key] = len(self.tables)
            self.tables.append(table)
        return found

    def function(self, base: int, number: int) -> tuple[int, int, int]:
        """A function of a base as atom, factor and constant.

        Functions that are multiples of each other share the first one's atom: 4 * f + 8 is (f, 4, 8).
        """
        shape, unit, first = self._shape(number)
        alike = self.alike.setdefault((base, shape), [])
        for atom, its_unit, its_first in alike:
            if unit % its_unit == 0:
                return atom, unit // its_unit, first - unit // its_unit * its_first
        values = self.tables[number].values
        low, high = int(values.min()), int(values.max())
        if self._is_sum(base):
            low, high = next(((a, b) for a, b in BYTES if a <= low and high <= b), (low, high))
        atom = self.new(("function", base, number), low, high)
        alike.append((atom, unit, first))
        return atom, 1, 0

    def _shape(self, number: int) -> tuple[int, int, int]:
        """A table as unit * shape + first, where the shape is a table that begins with 0 and whose steps have no common
        divisor, the first one positive."""
        known = self.shapes.get(number)
        if known is None:
            table = self.tables[number]
            steps = np.diff(table.values)
            unit = int(np.gcd.reduce(steps)) * (1 if steps[0] > 0 else -1)
            first = int(table.values[0])
            shape = self.table(Table(table.starts, (table.values - first) // unit, table.last))
            known = self.shapes[number] = shape, unit, first
        return known

    def maximum(self, members: list[int], kind: str) -> int:
        """The atom of the greatest ("max") or least ("min") of others."""
        flat: set[int] = set()
        for member in members:
            definition = self.definitions[member]
            flat |= definition[1] if definition[0] == kind else {member}
        ordered = sorted(flat)
        if len(ordered) == 1:
            return ordered[0]
        pick = max if kind == "max" else min
        return self.new((kind, frozenset(flat)), pick(self.low[ordered].tolist()), pick(self.high[ordered].tolist()))

    def product(self, a: int, b: int) -> int:
        """The atom of a * b."""
        ends = [int(x) * int(y) for x in (self.low[a], self.high[a]) for y in (self.low[b], self.high[b])]
        return self.new(("product", min(a, b), max(a, b)), min(ends), max(ends))

    def origin(self, base: int) -> tuple[int, int | None]:
        """The base below a base that is one function, and the number of its table; for others itself, and None."""
        form = self.bases[base]
        if len(form.ids) == 1:
            definition = self.definitions[int(form.ids[0])]
            if definition[0] == "function" and not self._is_sum(definition[1]):
                return definition[1], int(definition[2])
        return base, None

    def _is_sum(self, base: int) -> bool:
        """Whether a base is a long sum held by residues. Each has an interval, and so tables, of its own: functions of
        it are not folded further, so that those of its results are the same tables for all sums."""
        ids = self.bases[base].ids
        return len(ids) == 1 and self.definitions[int(ids[0])][0] == "sum"

    def cases(self, atom: int) -> list[int]:
        """The values of an atom that has few, in the order in which its base meets them."""
        return self.tables[self.choice(atom)[1]].distinct

    def choice(self, atom: int) -> tuple[int, int]:
        """The base below an atom of few values, and the number of its table; a byte that is a result of a long sum is
        its own base."""
        _, base, number = self.definitions[atom][:3]
        low, high = int(self.low[atom]), int(self.high[atom])
        if (low, high) not in BYTES or not self._is_sum(base):
            return int(base), int(number)
        return self._alone(atom), self.table(Table(np.arange(low, high + 1), np.arange(low, high + 1), high))

    def pair(self, first: int, second: int, pair: Pair) -> int:
        """The atom of a function of two bases."""
        if first > second:
            first, second, pair = second, first, pair.transposed
        tables = self.table(pair.rows), self.table(pair.columns)
        atom = self.new(("pair", first, second, *tables, pair.digest), *pair.ends)
        self.matrices.setdefault(pair.digest, pair.values)
        return atom

    def few_values(self, atom: int, most: int = 256) -> bool:
        """Whether an atom is a function of at most `most` values."""
        definition = self.definitions[atom]
        if definition[0] != "function":
            return False
        return self.tables[int(definition[2])].has_few(most)


def _factor(residue: int, of_known: int) -> int:
    """The factor of a form whose first residue is `residue` over the one of `of_known`, nearest to 0."""
    if residue == of_known:
        return 1
    factor = residue * pow(of_known, -1, PRIME) % PRIME
    return factor - PRIME if factor > PRIME // 2 else factor


def rows_of(ids: np.ndarray, coefficients: np.ndarray) -> Rows:
    """Canonical linear forms of terms given as arrays of shape (rows, terms)."""
    count, width = len(ids), ids.shape[1]
    order = np.argsort(ids, axis=1, kind="stable")
    ids = np.take_along_axis(ids, order, 1).ravel()
    coefficients = np.take_along_axis(coefficients, order, 1).ravel()
    row: np.ndarray = np.repeat(np.arange(count), width)
    if ids.size:
        new = np.concatenate([[True], (ids[1:] != ids[:-1]) | (row[1:] != row[:-1])])
        starts = np.flatnonzero(new)
        coefficients = np.add.reduceat(coefficients, starts)
        keep = (coefficients != 0) & (ids[starts] != 0)
        ids, row, coefficients = ids[starts][keep], row[starts][keep], coefficients[keep]
    return Rows(np.searchsorted(row, np.arange(count + 1)), ids, coefficients)
