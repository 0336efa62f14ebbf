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

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from s2s.prove.functions import Table, merged
from s2s.prove.held import HeldForms, Name
from s2s.prove.pairs import Pair
from s2s.prove.residues import RESERVED
from s2s.prove.rows import Base, Rows

MANY_ALONE = 32
"""Rows of one term above which these are numbered on their own."""
FEW = 256
"""Values of a result of a long sum that other functions of the sum may be functions of."""


@dataclass
class Atoms(HeldForms):
    """The table of all atoms of one proof."""

    names: dict[Name, int] = field(default_factory=dict[Name, int])
    definitions: dict[int, Name] = field(default_factory=dict[int, Name])
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
    single: np.ndarray = field(default_factory=lambda: np.full(1024, -1))
    """The base that is an atom alone; -1 of an atom that has none yet."""
    functions: dict[tuple[int, int], tuple[int, int, int]] = field(
        default_factory=dict[tuple[int, int], tuple[int, int, int]]
    )
    """Atom, factor and constant by base and table."""
    stairs: dict[int, list[tuple[int, int]]] = field(default_factory=dict[int, list[tuple[int, int]]])
    """By the base of a long sum, its functions that have few values, one after the other: atoms and tables."""
    outers: dict[tuple[int, int], int | None] = field(default_factory=dict[tuple[int, int], "int | None"])
    """Tables of functions of such functions, by the table of the whole and of the inner one."""

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
            self.single = np.concatenate([self.single, np.full_like(self.single, -1)])
        number = self.count
        self.low[number], self.high[number] = low, high
        self.count += 1
        self.names[name] = number
        self.definitions[number] = name
        return number

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
        numbers[alone] = self.single[rows.ids[at]]
        for row in alone[numbers[alone] < 0].tolist():
            numbers[row] = self.alone(int(rows.ids[rows.bounds[row]]))
        numbers[others], factors[others] = self.numbered(rows.picked(others))
        return numbers, factors

    def alone(self, atom: int) -> int:
        """The base that is one atom."""
        number = int(self.single[atom])
        if number < 0:
            term = np.array([atom, 1])
            name = blake2b(term.tobytes(), digest_size=24).digest()
            base = self.base_names.get(name)
            if base is None:
                base = self._note(Base(term[:1], term[1:], int(self.low[atom]), int(self.high[atom])))
                self.base_names[name] = base
            number = self.single[atom] = base
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
        if self._is_sum(base):
            for stairs in self.stairs.setdefault(base, []):
                outer = self._outer(number, stairs[1])
                if outer is not None:
                    return self.function(self.alone(stairs[0]), outer)
        values = self.tables[number].values
        atom = self.new(("function", base, number), int(values.min()), int(values.max()))
        alike.append((atom, unit, first))
        if self._is_sum(base) and self._is_stairs(number):
            self.stairs[base].append((atom, number))
        return atom, 1, 0

    def _is_stairs(self, number: int) -> bool:
        """Whether a table has few values, each one above the one before, or below: then each is met."""
        steps = np.diff(self.tables[number].values)
        return 0 < len(steps) < FEW and bool(np.all(steps == 1) or np.all(steps == -1))

    def _outer(self, number: int, stairs: int) -> int | None:
        """The table f of a function f(g(x)), for the table of g; None if the function is none of g.

        Example: g(x) is 0, 1, 2 from x = 0, 5, 9 on, and the function is 7, 3 from 0, 9 on: f is 7, 7, 3.
        """
        outer = self.outers.get((number, stairs), -1)
        if outer == -1:
            inner, whole, outer = self.tables[stairs], self.tables[number], None
            if len(whole.starts) <= len(inner.starts) and np.all(np.isin(whole.starts, inner.starts)):
                values = whole.values[np.searchsorted(whole.starts, inner.starts, side="right") - 1]
                order = np.argsort(inner.values)
                outer = self.table(merged(inner.values[order], values[order], int(inner.values.max())))
            self.outers[number, stairs] = outer
        return outer

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

    def products(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The atoms of a * b, of arrays of atoms; 0, which is no atom, times any is 0."""
        pairs = np.stack([np.minimum(a, b).reshape(-1), np.maximum(a, b).reshape(-1)], -1)
        distinct, place = np.unique(pairs, axis=0, return_inverse=True)
        made = np.array([self.product(x, y) if x else 0 for x, y in distinct.tolist()], np.int64)
        return made[place.reshape(-1)].reshape(a.shape)

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
        if not (self._is_sum(base) and self._is_stairs(number)):
            return int(base), int(number)
        low, high = int(self.low[atom]), int(self.high[atom])
        return self.alone(atom), self.table(Table(np.arange(low, high + 1), np.arange(low, high + 1), high))

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
