"""Sizes as symbols: integers that know how they follow from the named sizes of a network.

    n = ledger.size("N")            128 at the greatest size, d0
    (n + 1) // 2 - 3                61, (d0 + 1) floordiv 2 - 3
    n > 3                           True, and holds for all N from 4 on; for N = 1..128 the ledger notes a guard
    [0] * n, np.float32(n), int(n)  128 as a plain number: a guard that N is 128

Code that computes shapes sees the greatest value, and becomes symbolic by computing with what it is given. An answer
that depends on the size, or a plain number that was taken of it, is a `Guard`: the network that was read is right
where all guards hold. None of the guards that always hold is noted.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.types.affine import is_constant, product_of
from s2s.types.bounded_sizes import RELATIONS, BoundedSizes, Guard
from s2s.types.reals import of_reals
from s2s.types.size_expressions import divided, exact_quotient
from s2s.types.sizes import DimSize, SizeRange, SizeTable

if TYPE_CHECKING:
    _Integer: TypeAlias = int
else:
    _Integer = object


class Ledger(BoundedSizes):
    """The named sizes of a network, and the guards that reading it has left."""

    def __init__(self) -> None:
        super().__init__()
        self.guards: list[Guard] = []
        self.guards_at_nothing: list[Guard] = []
        """Guards that fail only where a size is 0: what their nodes give there has to be empty."""
        self.asked: Mapping[str, DimSize] = {}
        """The bounds or constant values that sizes shall have which the network computes, by name."""
        self.found: list[str] = []
        """The names of the sizes that the network computes."""
        self.is_open = True
        """Whether guards are noted."""
        self.ports: dict[str, tuple[AffineExpr | None, ...]] = {}
        """For each input the size of each axis as an expression; None for a constant one."""
        self.stated: dict[Operation, dict[str, Any]] = {}
        """The properties of operations that are sizes, whose greatest values the operations hold."""
        self.shapes: dict[SSAValue, tuple[int, ...]] = {}
        """The shapes of values whose types are plain again."""
        self.place: Callable[[], str] = str
        """Gives the node that is being read."""

    def size(self, name: str, bounds: SizeRange | None = None) -> "Size | int":
        """Return the size called `name`; a new one has these `bounds`."""
        if name not in self.names:
            assert bounds is not None
            self.names.append(name)
            self.ranges.append(bounds)
        return self.of(AffineDimExpr(self.names.index(name)))

    def computed(self, name: str, most: int, least: int = 0) -> "Size | int":
        """Return a new size that the network computes, from `least` to `most`; a plain integer if it shall be
        constant."""
        self.found.append(name)
        asked = self.asked.get(name, SizeRange(least, most))
        if not isinstance(asked, SizeRange):
            return min(asked, most)
        most = min(most, asked.most)
        return self.size(name, SizeRange(min(asked.least, most), most))

    def port(self, name: str, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of an input with its sizes that vary as symbols."""
        exprs = self.ports.get(name)
        if exprs is None:
            return tuple(shape)
        return tuple(plain if expr is None else self.of(expr) for expr, plain in zip(exprs, shape, strict=True))

    def of(self, expr: AffineExpr) -> "Size | int":
        """Return the size that is `expr`, a plain integer if it is constant."""
        plain = self.form(expr)
        return plain.value if is_constant(plain) else Size(self, plain)

    def decide(self, left: AffineExpr, relation: str, right: AffineExpr) -> bool:
        """Return the answer at the greatest sizes, and note a guard if it is another one elsewhere."""
        holds = self.answer(left, relation, right)
        if isinstance(holds, bool):
            return holds
        answer = bool(holds.reshape(-1)[-1])
        fails = holds != answer
        if self.is_open and fails.any():
            is_of_something = self.of_something(self.form(left + right * -1), fails).any()
            guards = self.guards if is_of_something else self.guards_at_nothing
            guard = Guard(left, relation, right, answer, self.place())
            if guard not in guards:
                guards.append(guard)
        return answer

    @contextmanager
    def answering(self) -> Generator[None]:
        """Answer by the greatest sizes, and note no guards: where another rule has noted them."""
        is_open, self.is_open = self.is_open, False
        try:
            yield
        finally:
            self.is_open = is_open

    def proves(self, left: AffineExpr, relation: str, right: AffineExpr, *, of_something: bool = False) -> bool | None:
        """Return the answer at all sizes, or at all but 0 if it is asked `of_something`; None where it is not the
        same."""
        holds = self.answer(left, relation, right)
        if isinstance(holds, bool) or not of_something:
            return holds if isinstance(holds, bool) else None
        answer = bool(holds.reshape(-1)[-1])
        return None if self.of_something(self.form(left + right * -1), holds != answer).any() else answer


class Size(_Integer):
    """An integer that follows from named sizes: its value at the greatest ones, and its expression.

    It is no `int`, so that whatever takes a plain number of it has to ask (`__index__`), which the ledger notes.
    """

    __slots__ = ("expr", "ledger", "value")

    def __new__(cls, ledger: Ledger, expr: AffineExpr) -> "Size":
        made = object.__new__(cls)
        made.ledger, made.expr = ledger, expr
        made.value = expr.eval(ledger.greatest, [])
        return made

    ledger: Ledger
    expr: AffineExpr
    value: int

    @property
    def text(self) -> str:
        """The expression with the names of sizes."""
        return self.ledger.describe(self.expr)

    @property
    def of_nothing(self) -> int:
        """The value where sizes that may be 0 are 0, and all others the greatest ones."""
        return self.expr.eval([0 if size.least == 0 else size.most for size in self.ledger.ranges], [])

    @of_reals
    def __add__(self, other: int) -> int:
        expr = _expression(other)
        return NotImplemented if expr is None else self.ledger.of(self.expr + expr)

    __radd__ = __add__

    @of_reals
    def __sub__(self, other: int) -> int:
        expr = _expression(other)
        return NotImplemented if expr is None else self.ledger.of(self.expr + expr * -1)

    def __rsub__(self, other: int) -> int:
        return -self + other

    def __neg__(self) -> int:
        return self.ledger.of(self.expr * -1)

    def __abs__(self) -> int:
        return -self if self < 0 else self

    @of_reals
    def __mul__(self, other: int) -> int:
        if isinstance(other, float):
            return float(self) * other  # pyright: ignore[reportReturnType]
        expr = _expression(other)
        return NotImplemented if expr is None else self.ledger.of(product_of([self.expr, expr], self.ledger.bounds))

    __rmul__ = __mul__

    @of_reals
    def __floordiv__(self, other: int) -> int:
        if isinstance(other, Size):
            quotient = exact_quotient(self.expr, other.expr, self.ledger.bounds)
            if quotient is not None:
                return self.ledger.of(quotient)
            number = other.small_quotient(self.expr)
            return self // int(other) if number is None else number
        divisor = _plain(other)
        if divisor is None or divisor == 0:
            return NotImplemented if divisor is None else int(self) // 0
        if divisor < 0:
            return -self // -divisor
        return self.ledger.of(divided(self.expr, divisor, self.ledger.bounds))

    @of_reals
    def __rfloordiv__(self, other: int) -> int:
        expr = _expression(other)
        number = None if expr is None else self.small_quotient(expr)
        return other // int(self) if number is None else number

    def small_quotient(self, expr: AffineExpr) -> int | None:
        """Return `expr // self` where it is 0 or -1 at all sizes: of a position, from the front or from the end."""
        zero = AffineConstantExpr(0)
        if self.ledger.proves(zero, "<=", expr) and self.ledger.proves(expr, "<", self.expr):
            return 0
        is_behind = self.ledger.proves(self.expr * -1, "<=", expr) and self.ledger.proves(expr, "<", zero)
        return -1 if is_behind else None

    @of_reals
    def __mod__(self, other: int) -> int:
        return NotImplemented if _expression(other) is None else self - self // other * other

    @of_reals
    def __rmod__(self, other: int) -> int:
        return NotImplemented if _expression(other) is None else other - other // self * self

    def __divmod__(self, other: int) -> tuple[int, int]:
        return self // other, self % other

    def __truediv__(self, other: float) -> float:
        return int(self) / other

    def __rtruediv__(self, other: float) -> float:
        return other / int(self)

    @of_reals
    def __pow__(self, other: int) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        result: int = 1
        for _ in range(other):
            result = self * result
        return result

    def _is(self, relation: str, other: object, *, swapped: bool = False) -> bool:
        expr = _expression(other)
        if expr is None:
            return NotImplemented
        left, right = (expr, self.expr) if swapped else (self.expr, expr)
        return self.ledger.decide(left, relation, right)

    @of_reals
    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Size) and self.expr == other.expr) or self._is("==", other)

    def __ne__(self, other: object) -> bool:
        equal = self == other
        return NotImplemented if equal is NotImplemented else not equal

    @of_reals
    def __lt__(self, other: int) -> bool:
        return self._is("<", other)

    @of_reals
    def __le__(self, other: int) -> bool:
        return self._is("<=", other)

    @of_reals
    def __gt__(self, other: int) -> bool:
        return self._is("<", other, swapped=True)

    @of_reals
    def __ge__(self, other: int) -> bool:
        return self._is("<=", other, swapped=True)

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        self.ledger.decide(self.expr, "==", AffineConstantExpr(self.value))
        return self.value

    __int__ = __trunc__ = __index__

    def __float__(self) -> float:
        return float(int(self))

    def __round__(self, ndigits: object = None) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self

    __floor__ = __ceil__ = __round__  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)


class Ratio:
    """A fraction of a size, as `N * 0.5` is one: `size * factor`, rounded once to the floats that hold it."""

    __slots__ = ("factor", "size")

    def __init__(self, size: int, factor: Fraction) -> None:
        self.size, self.factor = size, factor

    @property
    def floor(self) -> int:
        """The largest whole number that is not above."""
        return self.size * self.factor.numerator // self.factor.denominator

    @property
    def ceil(self) -> int:
        """The smallest whole number that is not below."""
        return -(-self.size * self.factor.numerator // self.factor.denominator)

    def __float__(self) -> float:
        return float(int(self.size) * self.factor)


def _plain(value: object) -> int | None:
    """Return `value` as an integer of Python if it is one; None of floats."""
    return int(cast(int, value)) if isinstance(value, int | np.integer) else None


def _expression(value: object) -> AffineExpr | None:
    if isinstance(value, Size):
        return value.expr
    plain = _plain(value)
    return None if plain is None else AffineConstantExpr(plain)


def all_plain(numbers: Sequence[int]) -> bool:
    """Return whether no number is a size."""
    return not any(isinstance(number, Size) for number in numbers)


def is_empty(shape: Sequence[int]) -> bool:
    """Return whether a tensor has no element in any run; one with a size that may be 0 has some at times."""
    return any(not isinstance(size, Size) and size == 0 for size in shape)


def integer_of(number: object) -> int:
    """Return a whole number of Python or numpy as an integer; a size stays one."""
    return number if isinstance(number, Size) else int(cast(int, number))


def is_size(value: object) -> bool:
    """Return whether `value` is a size or a ratio of one, or holds one in lists and tuples."""
    if isinstance(value, list | tuple):
        return any(map(is_size, value))  # pyright: ignore[reportUnknownArgumentType]
    return isinstance(value, Size | Ratio)


def greatest(numbers: Sequence[int]) -> list[int]:
    """Return plain numbers, sizes as their greatest values in any run, without a guard: for tensors that are read up to
    a size."""
    return [number.ledger.room(number.expr) if isinstance(number, Size) else number for number in numbers]


def at_greatest(numbers: Sequence[int]) -> list[int]:
    """Return plain numbers, sizes as their values at the greatest named sizes, without a guard: these agree with each
    other as the sizes of one run do."""
    return [number.value if isinstance(number, Size) else number for number in numbers]


def proves(left: int, relation: str, right: int, *, of_something: bool = False) -> bool | None:
    """Return whether a relation of sizes holds; None where that depends on them. No guard is noted. Sizes that may be 0
    are more than that if it is asked `of_something`."""
    if relation in (">", ">="):
        return proves(right, relation.replace(">", "<"), left, of_something=of_something)
    ledger = next((each.ledger for each in (left, right) if isinstance(each, Size)), None)
    one, other = _expression(left), _expression(right)
    if one is None or other is None:
        return None
    if ledger is None:
        return bool(RELATIONS[relation](left, right))
    return ledger.proves(one, relation, other, of_something=of_something)


def symbols_of(table: SizeTable) -> Ledger:
    """Return the given sizes of a table as symbols, from 1 on: of nothing no shape is computed."""
    ledger = Ledger()
    for name, size in table.given.items():
        ledger.size(name, size._replace(least=max(size.least, 1)))
    return ledger


def alike(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes are equal at all sizes."""
    return len(one) == len(other) and all(map(_are_equal, one, other))


def _are_equal(a: int, b: int) -> bool:
    if isinstance(a, Size) or isinstance(b, Size):
        return a is b or proves(a, "==", b) is True
    return a == b
