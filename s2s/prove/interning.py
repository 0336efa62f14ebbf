"""Interning: values become forms of atoms; functions of equal forms with equal tables are one atom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.prove import intervals
from s2s.prove.atoms import Atoms
from s2s.prove.control import Conflict
from s2s.prove.faults import Unprovable
from s2s.prove.functions import Expression, Table, merged, signature, tabulate
from s2s.prove.intervals import Interval
from s2s.prove.pairs import Pair, applied, pair_of
from s2s.prove.residues import PLACES, WORDS, Group, is_held
from s2s.prove.rows import Rows, rows_of
from s2s.prove.values import Form, Function, Lanes, Number, Value, as_form, as_function, is_number
from s2s.support.frozen import frozen

LONG, MANY = 24, 1 << 14
"""Terms of a form, and terms in all lanes, from which on residues stand for them."""
MAX_FOLDED = 1 << 12
"""The range of a function of a function of two bases, up to which it is one of these itself; floats stay as they are,
so that cases of what they follow from are cases of theirs."""
Key = tuple[Any, ...]
"""A function's signature, the value of its side, its factor and rest, and its constants."""


@frozen
class Wanted:
    """A function that is asked for: of y = z + shift, where z is a base between `low` and `high`."""

    low: int
    high: int
    shift: int
    side: int
    key: Key
    """Its expression, factor and rest (its variable is factor * y + rest), and constants."""


class Interner:
    """Makes atoms of values in all lanes, and keeps the tables that it made."""

    def __init__(self, atoms: Atoms, lanes: Lanes) -> None:
        self.atoms = atoms
        self.lanes = lanes
        self.tables: dict[Key, Table] = {}
        """Tables by function and case, over `ranges`."""
        self.ranges: dict[Key, tuple[int, int]] = {}
        self.sliced: dict[Key, dict[tuple[int, int, int], int]] = {}
        self.pairs: dict[tuple[tuple[int, ...], int | None, int], Pair] = {}
        """Functions of two bases by the tables of the cases, the one below them, and the one of the cases."""
        self.applied: dict[tuple[int, int, int, bytes], Pair] = {}
        """Functions of such functions, by their table and by the two tables and the digest of the inner one."""
        self.compositions: dict[tuple[int, int], int] = {}
        """outer(inner(x)) by the numbers of both tables."""

    def rows(self, form: Form) -> Rows:
        """Canonical rows of a form, one a lane."""
        lanes = max(1, int(np.prod(self.lanes.shape)))
        if not form.groups:
            return Rows(np.zeros(lanes + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
        if self.is_long(form) or any(is_held(group) for group in form.groups):
            return self._rows_held(form, self._marks(form.groups))
        groups = [self.lanes.spread_group(group) for group in form.groups]
        ids, coefficients = (np.concatenate(parts, axis=1) for parts in zip(*groups, strict=True))
        rows = rows_of(ids, coefficients)
        return self._with_atoms(rows) if self.atoms.held and np.any(rows.counts > 1) else rows

    def is_long(self, form: Form) -> bool:
        """Whether residues stand for a form: it has many terms, and many in all lanes together."""
        terms = sum(max(ids.shape[-1], coefficients.shape[-1]) for ids, coefficients in form.groups)
        return self.atoms.by_residues and terms >= LONG and terms * self.lanes.count >= MANY

    def held(self, form: Form) -> Form:
        """A form with residues for its terms."""
        marks = self.atoms.residues_of(form.groups)
        return Form(form.constant, ((PLACES, marks),), form.low, form.high, form.carried)

    def _marks(self, groups: Sequence[Group]) -> np.ndarray:
        """The residues of terms, one row a lane."""
        marks = self.atoms.residues_of(groups)
        return np.broadcast_to(marks, (*self.lanes.shape, WORDS)).reshape(-1, WORDS)

    def _rows_held(self, form: Form, marks: np.ndarray) -> Rows:
        """The rows of a form held by residues: a multiple of an atom or of a base each."""
        shift = self.lanes.spread(form.constant)
        low, high = self.lanes.spread(form.low) - shift, self.lanes.spread(form.high) - shift
        there = np.flatnonzero(np.any(marks != 0, axis=1))
        matches = self.atoms.find_held(marks[there], low[there], high[there])
        if all(atom for atom, *_ in matches):
            ids, factors = (np.array([match[part] for match in matches], np.int64) for part in (0, 2))
            bounds = np.searchsorted(there, np.arange(len(marks) + 1))
            return Rows(bounds, ids, factors)
        counts, terms, factors = np.zeros(len(marks), np.int64), list[np.ndarray](), list[np.ndarray]()
        for lane, (atom, base, factor) in zip(there.tolist(), matches, strict=True):
            form_of = self.atoms.bases[base]
            terms.append(np.array([atom]) if atom else form_of.ids)
            factors.append(np.array([factor]) if atom else form_of.coefficients * factor)
            counts[lane] = len(terms[-1])
        bounds = np.concatenate([[0], np.cumsum(counts)])
        return Rows(bounds, np.concatenate(terms), np.concatenate(factors))

    def _with_atoms(self, rows: Rows) -> Rows:
        """Rows with the atom for each that residues hold as one already."""
        several = np.flatnonzero(rows.counts > 1)
        part = rows.picked(several)
        matches = self.atoms.known_atoms(self.atoms.marks_of(part), self.atoms.widths_of(part))
        if not matches:
            return rows
        counts, lanes = rows.counts.copy(), several[list(matches)]
        keep = np.ones(len(rows.ids), bool)
        ids, coefficients = rows.ids.copy(), rows.coefficients.copy()
        for lane, (atom, factor) in zip(lanes.tolist(), matches.values(), strict=True):
            begin, end = int(rows.bounds[lane]), int(rows.bounds[lane + 1])
            keep[begin + 1 : end] = False
            ids[begin], coefficients[begin], counts[lane] = atom, factor, 1
        return Rows(np.concatenate([[0], np.cumsum(counts)]), ids[keep], coefficients[keep])

    def of_atoms(self, ids: np.ndarray, factors: np.ndarray | None = None, constants: np.ndarray | None = None) -> Form:
        """The form factor * atom + constant of one atom a lane (0 for none), flat over all lanes."""
        scales: np.ndarray = (ids != 0).astype(np.int64) if factors is None else factors
        shift = np.zeros(ids.shape, np.int64) if constants is None else constants
        low, high = intervals.hull(self.atoms.low[ids] * scales, self.atoms.high[ids] * scales)
        shape = (*self.lanes.shape, 1)
        return Form(
            self.lanes.folded(shift),
            ((ids.reshape(shape), scales.reshape(shape)),),
            self.lanes.folded(low + shift),
            self.lanes.folded(high + shift),
        )

    def single_atoms(self, form: Form) -> np.ndarray:
        """The atoms of a form that is one atom in each lane; other forms become the identity of their base."""
        if form.carried:
            raise Conflict(form.carried[0].loop)
        rows = self.rows(form)
        constants = self.lanes.spread(form.constant)
        if np.all(rows.counts == 1) and np.all(rows.coefficients == 1) and not np.any(constants):
            return rows.ids
        interned = self.interned(as_function(form))
        if np.any(np.asarray(interned.constant)) or np.any(interned.groups[0][1] != 1):
            msg = "a result that is a number, or a multiple of another, in some places"
            raise Unprovable(msg)
        return self.lanes.spread_terms(interned.groups[0][0])[:, 0]

    def bases(self, form: Form) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each lane: its base (-1 for none), factor and constant; the form is base * factor + constant."""
        return *self.atoms.numbered(self.rows(form)), self.lanes.spread(form.constant)

    def linear(self, value: Value) -> Form:
        """A function as the form of its atom."""
        if isinstance(value, Function):
            return self.interned(value)
        if isinstance(value, Form) or is_number(value):
            return as_form(value)
        msg = "arithmetic on a comparison or an address"
        raise Unprovable(msg)

    def tightened(self, form: Form) -> Form:
        """The form with the interval of its canonical terms."""
        if form.carried:
            raise Conflict(form.carried[0].loop)
        bases, factors, shifts = self.bases(form)
        low, high = intervals.hull(*(end * factors + shifts for end in self._ends(bases)))
        return Form(form.constant, form.groups, self.lanes.folded(low), self.lanes.folded(high))

    def reduced(self, form: Form, bits: int, factor: Number = 1) -> Form:
        """A form times a factor modulo 2^bits, with the constant and the coefficients of its terms nearest to 0.

        Example: 576 * x times 954437177 is 64 * x modulo 2^32, as 954437177 * 9 is 1. Products may wrap around in the
        64 bits of numpy, which 2^bits divides.
        """
        factors = self.lanes.spread(factor)
        rows = self.rows(form)
        lane: np.ndarray = np.repeat(np.arange(len(rows.counts)), rows.counts)
        place = np.arange(len(rows.ids)) - rows.bounds[lane]
        shape = (len(rows.counts), max(1, int(rows.counts.max(initial=0))))
        ids, coefficients = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        ids[lane, place] = rows.ids
        coefficients[lane, place] = intervals.nearest(rows.coefficients * factors[lane], bits)
        shift = intervals.nearest(self.lanes.spread(form.constant) * factors, bits)
        ends = coefficients * self.atoms.low[ids], coefficients * self.atoms.high[ids]
        low, high = shift + np.minimum(*ends).sum(-1), shift + np.maximum(*ends).sum(-1)
        fold, full = self.lanes.folded, (*self.lanes.shape, shape[1])
        return Form(fold(shift), ((ids.reshape(full), coefficients.reshape(full)),), fold(low), fold(high))

    def interned(self, function: Function) -> Form:
        """A function as the form of its atom in each lane, or as a number where it is constant."""
        if function.base.carried:
            raise Conflict(function.base.carried[0].loop)
        bases, factors, shifts = self.bases(function.base)
        text, constants = signature(function.expression)
        columns = [self.lanes.spread(constant) for constant in constants]
        sides = np.zeros(len(bases), np.int64) if function.side is None else function.side
        alike: dict[int, int] = {}
        first = {
            side: alike.setdefault(self.atoms.choice(side)[1], side) if side else 0 for side in set(sides.tolist())
        }
        shared = np.array([first[side] for side in sides.tolist()], np.int64)
        units = np.where(factors == 0, 1, factors)
        questions = np.stack([*self._ends(bases), shifts // units, shared, units, shifts % units, *columns], -1)
        distinct, lanes = np.unique(questions, axis=0, return_inverse=True)
        wanted = [Wanted(low, high, shift, side, (text, *rest)) for low, high, shift, side, *rest in distinct.tolist()]
        self._tabulate(function.expression, wanted)
        tables = [self._slices(each) for each in wanted]
        answers = [
            self._atom(base, side, tables[at])
            for base, side, at in zip(bases.tolist(), sides.tolist(), lanes.reshape(-1).tolist(), strict=True)
        ]
        return self.of_atoms(*np.array(answers, np.int64).T)

    def _tabulate(self, expression: Expression, wanted: list[Wanted]) -> None:
        """Make the tables that are new, each over all that is asked of it."""
        ranges: dict[Key, tuple[int, int]] = {}
        for each in wanted:
            low, high = each.low + each.shift, each.high + each.shift
            for key in self._cases_of(each):
                known = ranges.get(key) or self.ranges.get(key) or (low, high)
                ranges[key] = min(low, known[0]), max(high, known[1])
        new = {key: ends for key, ends in ranges.items() if self.ranges.get(key) != ends}
        if not new:
            return
        low, high = (np.array([ends[end] for ends in new.values()], np.int64) for end in (0, 1))
        rows = [key[1:] for key in new]
        cases, factors, rests, *columns = (np.array(column, np.int64) for column in zip(*rows, strict=True))

        def variable(row: np.ndarray, y: Interval) -> Interval:
            if y.low is y.high:
                return intervals.at(y.low * factors[row] + rests[row])
            return intervals.hull(y.low * factors[row] + rests[row], y.high * factors[row] + rests[row])

        made = tabulate(expression, low, high, columns, variable, cases)
        self.tables.update(zip(new, made, strict=True))
        self.ranges.update(new)
        for key in new:
            self.sliced.pop(key, None)

    def _cases_of(self, each: Wanted) -> list[Key]:
        """The names of the tables that a function needs, one for each value of its side."""
        text, *rest = each.key
        return [(text, value, *rest) for value in (self.atoms.cases(each.side) if each.side else [0])]

    def _slices(self, each: Wanted) -> list[int]:
        """The tables of a function over the interval of its base, one a case."""
        numbers: list[int] = []
        place = each.low, each.high, each.shift
        for key in self._cases_of(each):
            known = self.sliced.setdefault(key, {})
            if place not in known:
                known[place] = self.atoms.table(sliced(self.tables[key], *place))
            numbers.append(known[place])
        return numbers

    def _atom(self, base: int, side: int, tables: list[int]) -> tuple[int, int, int]:
        """A function of a base as atom, factor and constant; a number has the atom 0."""
        return self._paired(base, side, tables) if side else self._of_one(base, tables[0])

    def _paired(self, base: int, side: int, tables: list[int]) -> tuple[int, int, int]:
        """A function of a base and of the base below `side`, whose values choose among its tables."""
        other, number = self.atoms.choice(side)
        below, inner = self.atoms.origin(base)
        key = (tuple(tables), inner, int(number))
        pair = self.pairs.get(key)
        if pair is None:
            tabled = self.atoms.tables
            cases, order = [tabled[case] for case in tables], self.atoms.cases(side)
            pair = pair_of(cases, None if inner is None else tabled[inner], tabled[int(number)], order)
            self.pairs[key] = pair
        return self._of_two(below, int(other), pair)

    def _of_two(self, first: int, second: int, pair: Pair) -> tuple[int, int, int]:
        """A function of two bases, or of one of them where it does not depend on the other."""
        for owner, lines in ((second, pair.columns), (first, pair.rows)) if min(pair.values.shape) == 1 else ():
            if len(pair.values.reshape(-1)) == len(lines.distinct):
                values = pair.values.reshape(-1)[lines.values]
                return self._of_one(owner, self.atoms.table(merged(lines.starts, values, lines.last)))
        if first == second:
            return self._of_one(first, self.atoms.table(pair.diagonal))
        return self.atoms.pair(first, second, pair.from_zero), 1, int(pair.values[0, 0])

    def _of_one(self, base: int, number: int) -> tuple[int, int, int]:
        """A function of one base."""
        answer = self.atoms.functions.get((base, number))
        if answer is None:
            answer = self.atoms.functions[base, number] = self._new_of_one(base, number)
        return answer

    def _new_of_one(self, base: int, number: int) -> tuple[int, int, int]:
        table = self.atoms.tables[number]
        if len(table.values) == 1:
            return 0, 0, int(table.values[0])
        form = self.atoms.bases[base]
        if len(form.ids) > 1:
            return self.atoms.function(base, number)
        line = table.line
        if line is not None:
            return int(form.ids[0]), *line
        definition = self.atoms.definitions[int(form.ids[0])]
        if definition[0] == "pair" and np.ptp(table.values) < MAX_FOLDED:
            first, second, *inner = definition[1:]
            return self._of_two(int(first), int(second), self._applied(number, inner[0], inner[1], inner[2]))
        return self.atoms.function(*self._composed(base, number))

    def _applied(self, number: int, rows: int, columns: int, digest: bytes) -> Pair:
        """A function of a function of two bases, as one of these."""
        key = number, rows, columns, digest
        known = self.applied.get(key)
        if known is None:
            tables = self.atoms.tables
            pair = Pair(tables[rows], tables[columns], self.atoms.matrices[digest])
            known = self.applied[key] = applied(tables[number], pair)
        return known

    def _composed(self, base: int, number: int) -> tuple[int, int]:
        """A function of a base that is one atom: of the base below that atom if it is a function itself."""
        below, inner = self.atoms.origin(base)
        if inner is None:
            return base, number
        known = self.compositions.get((number, inner))
        if known is None:
            tables = self.atoms.tables
            known = self.compositions[number, inner] = self.atoms.table(composed(tables[number], tables[inner]))
        return below, known

    def _ends(self, bases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The intervals of bases; of none, 0."""
        low, high = self.atoms.base_ends
        return np.where(bases < 0, 0, low[bases]), np.where(bases < 0, 0, high[bases])


def sliced(table: Table, low: int, high: int, shift: int) -> Table:
    """The table of z = y - shift from `low` to `high`."""
    first = int(np.searchsorted(table.starts, low + shift, side="right")) - 1
    end = int(np.searchsorted(table.starts, high + shift, side="right"))
    starts = table.starts[first:end] - shift
    return Table(np.concatenate([[low], starts[1:]]), table.values[first:end], high)


def composed(outer: Table, inner: Table) -> Table:
    """outer(inner(x))."""
    values = outer.over(Interval(inner.values, inner.values)).low
    return merged(inner.starts, values, inner.last)
