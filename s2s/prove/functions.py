"""Functions of one integer: expressions, and the tables of their values, found by bisection.

An `Expression` holds one variable and constants, which may differ by lane. `tabulate` proves its value for every
integer of an interval: it evaluates whole intervals (`s2s.prove.intervals`) and splits those that do not come to a
single value, down to single integers where nothing else helps. So no property of the function is assumed; monotone ones
are merely fast. Example: clamp((x + 8) >> 4, 0, 3) for -100 <= x <= 100 becomes

    starts  -100  8  24  40
    values     0  1   2   3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from s2s.prove import floats, intervals
from s2s.prove.ctypes import BOOL, I32, I64, U64, IntType
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.intervals import Interval
from s2s.prove.staircases import parts_of
from s2s.support.frozen import frozen

CHUNK = 1 << 17
AS_POINTS = 12
"""Intervals up to this width are not split but enumerated."""
MAX_POINTS, MAX_FLOATS = 1 << 25, 1 << 22
"""Intervals that tables may take to find, of integers and of floats."""

Undefined = np.ndarray | None
"""Where an operation is undefined in C; None for nowhere."""
RING = {"+": intervals.add, "-": intervals.sub, "*": intervals.mul, "<<": intervals.shift_left}
SHIFTS = frozenset({"<<", ">>"})
OTHERS = {
    "/": intervals.div,
    "%": intervals.rem,
    "&": intervals.bit_and,
    "|": intervals.bit_or,
    "^": intervals.bit_xor,
    "<": intervals.less,
    "==": intervals.equal,
}


@frozen(eq=False)
class Table:
    """A function on the integers from starts[0] to `last`: values[i] from starts[i] to the next start."""

    starts: np.ndarray
    values: np.ndarray
    last: int

    @cached_property
    def key(self) -> bytes:
        """A digest that only equal tables share."""
        digest = blake2b(digest_size=24)
        digest.update(np.int64(self.last).tobytes())
        digest.update(self.starts.tobytes())
        digest.update(self.values.tobytes())
        return digest.digest()

    @cached_property
    def pyramid(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Least and greatest values of blocks of 1, 2, 4 ... neighbours."""
        levels = [(self.values, self.values)]
        while len(levels[-1][0]) > 1:
            low, high = (np.append(part, part[-1]) if len(part) % 2 else part for part in levels[-1])
            levels.append((np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])))
        return levels

    @cached_property
    def distinct(self) -> list[int]:
        """The values, each once, in the order of the domain."""
        return list(dict.fromkeys(self.values.tolist()))

    def has_few(self, most: int) -> bool:
        """Whether the function has at most `most` values."""
        few = len(self.values) <= most or len(set(self.values[:: len(self.values) // most].tolist())) <= most
        return few and len(self.distinct) <= most

    @cached_property
    def line(self) -> tuple[int, int] | None:
        """Factor and constant if the function is linear on its whole domain."""
        if len(self.values) < 2 or len(self.values) != self.last - int(self.starts[0]) + 1:
            return None
        factor = int(self.values[1] - self.values[0])
        if np.any(np.diff(self.values) != factor):
            return None
        return factor, int(self.values[0]) - factor * int(self.starts[0])

    def over(self, x: Interval) -> Interval:
        """All values between x.low and x.high, which lie in the domain."""
        if np.any(x.low < self.starts[0]) or np.any(x.high > self.last):
            msg = "a table is read outside of its domain"
            raise Unprovable(msg)
        first = np.searchsorted(self.starts, x.low, side="right") - 1
        if intervals.are_points(x):
            return intervals.at(self.values[first])
        last = np.searchsorted(self.starts, x.high, side="right") - 1
        level = np.frexp((last - first).astype(np.float64))[1]
        low, high = np.empty(first.shape, np.int64), np.empty(first.shape, np.int64)
        for each in range(int(level.max(initial=0)) + 1):
            here = level == each
            if not np.any(here):
                continue
            least, most = self.pyramid[min(each, len(self.pyramid) - 1)]
            begin, end = (np.minimum(block[here] >> each, len(least) - 1) for block in (first, last))
            low[here] = np.minimum(least[begin], least[end])
            high[here] = np.maximum(most[begin], most[end])
        return Interval(low, high)


def merged(starts: np.ndarray, values: np.ndarray, last: int) -> Table:
    """A table whose neighbouring equal values are one."""
    keep = np.concatenate([[True], values[1:] != values[:-1]])
    return Table(starts[keep], values[keep], last)


@frozen(eq=False)
class Expression:
    """An operation of C on the results of others; `value` is the constant of "const", the table of "table"."""

    op: str
    args: tuple[Expression, ...] = ()
    ctype: IntType = I64
    value: int | np.ndarray | Table = 0


X = Expression("x")
NO_SIDE = Interval(np.asarray(0), np.asarray(0))
SIDE = Expression("side")
"""A second variable of few values, fixed while a table is made."""


@dataclass
class _Evaluation:
    """One evaluation over intervals: results by expression, with the places where C leaves the result undefined."""

    x: Interval
    side: Interval
    constants: list[np.ndarray]
    results: dict[int, tuple[Interval, Undefined]] = field(default_factory=dict[int, tuple[Interval, Undefined]])

    def of(self, expression: Expression) -> tuple[Interval, Undefined]:
        """The interval of an expression, and where it may be undefined."""
        found = self.results.get(id(expression))
        if found is None:
            found = self.results[id(expression)] = self._compute(expression)
        return found

    def _full(self, value: int) -> Interval:
        array = np.full(self.x.low.shape, value, np.int64)
        return Interval(array, array)

    def _compute(self, e: Expression) -> tuple[Interval, Undefined]:
        if e.op == "x":
            return self.x, None
        if e.op == "side":
            return self.side, None
        if e.op == "const":
            if isinstance(e.value, np.ndarray):
                array = self.constants.pop(0)
                return Interval(array, array), None
            assert isinstance(e.value, int)
            return self._full(e.value), None
        args = [self.of(arg) for arg in e.args]
        values = [value for value, _ in args]
        each = [undefined for _, undefined in args]
        some = [undefined for undefined in each if undefined is not None]
        return apply(e, values, np.logical_or.reduce(some) if some else None, each)


def apply(
    e: Expression, values: Sequence[Interval], bad: Undefined, each: Sequence[Undefined]
) -> tuple[Interval, Undefined]:
    """An operation on intervals, and where it is undefined: `bad` where an operand is, `each` of them."""
    if e.op in floats.OPERATIONS:
        result, undefined = floats.apply_float(e.op, e.ctype, values)
        return result, bad if undefined is None else undefined if bad is None else bad | undefined
    if e.op in SHIFTS:
        values, bad = _counted(values, bad, e.ctype)
    if e.op in RING:
        result = RING[e.op](values[0], values[1])
        if intervals.all_fit(result, e.ctype) and (e.ctype.bits < 64 or not np.any(intervals.goes_beyond(result))):
            return result, bad
        overflow = intervals.goes_beyond(result) | (e.ctype.signed & ~intervals.fits(result, e.ctype))
        return intervals.wrap(result, e.ctype), overflow if bad is None else bad | overflow
    if e.op == ">>":
        return _shift_right(values[0], values[1], e.ctype), bad
    if e.op == "?":
        condition, yes, no = values
        taken = (condition.low != 0) | (condition.high != 0)
        other = (condition.low <= 0) & (condition.high >= 0)
        if bad is not None:
            where = [np.zeros(taken.shape, bool) if undefined is None else undefined for undefined in each]
            bad = where[0] | (taken & where[1]) | (other & where[2])
        return intervals.select(condition, yes, no), bad
    if e.op in {"/", "%"}:
        bad = _quotient_fits(values, bad, e.ctype)
    if e.op in OTHERS:
        return OTHERS[e.op](values[0], values[1]), bad
    return _of_one(e, values[0]), bad


def _counted(values: Sequence[Interval], bad: Undefined, ctype: IntType) -> tuple[Sequence[Interval], Undefined]:
    """The operands of a shift, which is undefined by a count that is negative or not less than the bits of the type."""
    value, count = values
    outside = (count.low < 0) | (count.high >= ctype.bits)
    if not np.any(outside):
        return values, bad
    low, high = (np.clip(end, 0, ctype.bits - 1) for end in count)
    return (value, Interval(low, high)), outside if bad is None else bad | outside


def _quotient_fits(values: Sequence[Interval], bad: Undefined, ctype: IntType) -> Undefined:
    """Where a division or its remainder is undefined: the quotient of the least number and -1 has no place.
    The least number of 64 bits, which `intervals.div` does not divide, counts as one."""
    if ctype == U64 and any(np.any(value.low < 0) for value in values):
        msg = "a 64-bit unsigned number that may be above 2^63 is divided"
        raise Unprovable(msg)
    least = values[0].low == I64.least
    if np.all(values[1].low > 0) and intervals.all_fit(values[0], ctype):
        return least if bad is None else bad | least
    outside = least | (ctype.signed & ~intervals.fits(intervals.div(*values), ctype))
    return outside if bad is None else bad | outside


def _of_one(e: Expression, value: Interval) -> Interval:
    """An operation with one operand."""
    if e.op == "cast":
        return intervals.wrap(value, e.ctype)
    if e.op == "clz":
        return intervals.leading_zeros(value)
    assert isinstance(e.value, Table)
    return e.value.over(value)


def _shift_right(a: Interval, count: Interval, ctype: IntType) -> Interval:
    """a >> count; a residue below zero of 64 unsigned bits stands for 2^64 more."""
    result = intervals.shift_right(a, count)
    if ctype != U64 or not np.any(a.low < 0):
        return result
    if np.any(count.low < 2) or np.any(~count.single):
        msg = "a 64-bit unsigned number may be above 2^63"
        raise Unprovable(msg)
    raised = np.int64(1) << (64 - count.low)
    mixed = (a.low < 0) & (a.high >= 0)
    low = np.where(mixed, 0, result.low + np.where(a.low < 0, raised, 0))
    high = np.where(mixed, raised - 1, result.high + np.where(a.high < 0, raised, 0))
    return Interval(low, high)


def negated(e: Expression) -> Expression:
    """1 - e of a truth value."""
    return Expression("==", (e, Expression("const")), BOOL)


def signature(e: Expression) -> tuple[str, list[np.ndarray]]:
    """What an expression is, as text, and its constants that differ by lane, in the order of their use."""
    lines: list[str] = []
    numbers: dict[int, int] = {}
    constants: list[np.ndarray] = []

    def visit(node: Expression) -> int:
        if id(node) in numbers:
            return numbers[id(node)]
        args = [visit(arg) for arg in node.args]
        value = str(node.value)
        if isinstance(node.value, np.ndarray):
            constants.append(node.value)
            value = "#"
        elif isinstance(node.value, Table):
            value = node.value.key.hex()
        lines.append(f"{node.op} {node.ctype.bits}{'su'[not node.ctype.signed]} {args} {value}")
        return numbers.setdefault(id(node), len(numbers))

    visit(e)
    return "; ".join(lines), constants


def evaluate(
    e: Expression, x: Interval, constants: Sequence[np.ndarray], side: Interval = NO_SIDE
) -> tuple[Interval, Undefined]:
    """The interval of `e` for each interval of x, and where its value may be undefined in C."""
    return _Evaluation(x, side, list(constants)).of(e)


def tabulate(
    e: Expression,
    low: np.ndarray,
    high: np.ndarray,
    constants: Sequence[np.ndarray],
    of: Callable[[np.ndarray, Interval], Interval],
    cases: np.ndarray,
) -> list[Table]:
    """The table of `e` for each row: over low[i] <= z <= high[i], where `of(row, z)` is the interval of its variable
    and `cases[i]` the value of SIDE.

    Raises Fault where the expression is undefined in C for an integer of the domain, Unprovable where the integer is
    none of 32 bits.
    """

    def evaluated(row: np.ndarray, x: Interval) -> tuple[Interval, Undefined]:
        return evaluate(e, of(row, x), [constant[row] for constant in constants], intervals.at(cases[row]))

    def values(row: np.ndarray, x: np.ndarray) -> np.ndarray:
        return evaluated(row, intervals.at(x))[0].low

    work = [parts_of(values, low.astype(np.int64), high.astype(np.int64))]
    done: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    points, most = 0, MAX_FLOATS if e.ctype.real else MAX_POINTS
    while work:
        row, a, b = work.pop()
        if len(row) > CHUNK:
            work.append(_part(row, a, b, slice(CHUNK, None)))
            row, a, b = _part(row, a, b, slice(CHUNK))
        points += len(row)
        if points > most:
            msg = f"a function takes more than {most:,} intervals to tabulate"
            raise Unprovable(msg)
        value, bad = evaluated(row, Interval(a, b))
        bad = np.zeros(len(a), bool) if bad is None else bad
        if np.any(bad & (a == b)):
            at = int(np.flatnonzero(bad & (a == b))[0])
            msg = f"an operation is undefined in C where the sum is {int(a[at])}"
            if not I32.least <= a[at] <= I32.most:
                # Sums that C holds modulo 2^32 have wider bounds than numbers, and need not get there.
                msg += "; whether it can be is not known"
                raise Unprovable(msg)
            raise Fault(msg)
        settled = value.single & ~bad
        done.append((row[settled], a[settled], value.low[settled]))
        wide = ~settled & (b - a >= AS_POINTS)
        narrow = ~settled & ~wide
        if np.any(wide):
            work.append(_split(row[wide], a[wide], b[wide]))
        if np.any(narrow):
            work.append(_points(row[narrow], a[narrow], b[narrow]))
    return _collect(done, high)


def _part(row: np.ndarray, a: np.ndarray, b: np.ndarray, part: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some of the intervals; integers stay known as such."""
    low = a[part]
    return row[part], low, low if a is b else b[part]


def _points(row: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each interval as its integers."""
    counts = b - a + 1
    before = np.cumsum(counts) - counts
    points = np.repeat(a - before, counts) + np.arange(int(counts.sum()))
    return np.repeat(row, counts), points, points


def _split(row: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each interval in halves."""
    middle = a + ((b - a) >> 1)
    return np.concatenate([row, row]), np.concatenate([a, middle + 1]), np.concatenate([middle, b])


def _collect(done: list[tuple[np.ndarray, np.ndarray, np.ndarray]], high: np.ndarray) -> list[Table]:
    """Tables of the settled intervals, by row."""
    rows, starts, values = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(starts, kind="stable")
    if len(high) > 1:
        order = order[np.argsort(rows[order], kind="stable")]
    rows, starts, values = rows[order], starts[order], values[order]
    bounds = np.searchsorted(rows, np.arange(len(high) + 1))
    return [
        merged(starts[begin:end], values[begin:end], int(last))
        for begin, end, last in zip(bounds[:-1], bounds[1:], high, strict=True)
    ]
