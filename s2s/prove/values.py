"""Values of the abstract machine: numbers, linear forms of atoms, functions of one form, comparisons.

A value stands for one number in each lane; lanes are the iterations of the loops that run at once. Its arrays have one
axis a loop, the innermost loop first, so that values of outer loops broadcast; terms of forms lie along one more, last
axis. `int` and arrays of int64 are numbers that do not depend on the input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from s2s.prove.ctypes import IntType, bytes_of
from s2s.prove.declarations import CType
from s2s.prove.faults import Unprovable
from s2s.prove.functions import Expression, X
from s2s.support.frozen import frozen

Number = int | np.ndarray
WIDEST = 2.0**62
Group = tuple[np.ndarray, np.ndarray]
"""Atoms and coefficients."""


@frozen(eq=False)
class Form:
    """constant + sum(coefficients * atoms), between `low` and `high`.

    As a value of a C type whose range does not hold `low` and `high`, it is only congruent modulo 2^bits.
    """

    constant: Number
    groups: tuple[Group, ...]
    """Pairs of atoms and coefficients."""
    low: Number
    high: Number
    carried: tuple[Carried, ...] = ()
    """Sums of earlier iterations that the value contains once each."""


@frozen(eq=False)
class Function:
    """A function of one form, `expression` of X, which `SIDE` atoms of few values may choose among."""

    base: Form
    expression: Expression
    low: Number
    high: Number
    side: np.ndarray | None = None


@frozen(eq=False)
class Packed:
    """Numbers of a type side by side in the bits of one, the first in the lowest bits; None for unknown bits."""

    numbers: tuple[Value | None, ...]
    ctype: IntType


@frozen(eq=False)
class Comparison:
    """a < b or a == b of values with different bases; only a choice between a and b has a meaning."""

    op: str
    a: Value
    b: Value


@dataclass(eq=False)
class Carried:
    """A variable's value at the start of an iteration that runs at once with the others."""

    loop: object
    name: str
    least: int = 0
    most: int = 0
    """The bounds of everything that was added to it, in any one iteration."""
    as_signed: bool = False
    """Whether it was read as a number of 32 bits with a sign, though it wraps around as one without."""

    def hold(self, low: Number, high: Number) -> None:
        """Widen the bounds to hold what was added."""
        self.least = min(self.least, int(np.min(low)))
        self.most = max(self.most, int(np.max(high)))


@dataclass(eq=False)
class Aggregate:
    """A local array or structure: its scalars in order."""

    items: list[Value | None]
    width: int
    """The mark of each scalar, as of a cell of memory (`IntType.width`)."""
    depth: int
    """Loops at once around its declaration."""

    @property
    def size(self) -> int:
        """Bytes of each scalar."""
        return bytes_of(self.width)


@frozen(eq=False)
class Pointer:
    """An address: bytes from the start of a buffer, or scalars from the start of an aggregate."""

    target: object
    offset: Number | tuple[Number, Value]
    """A pair is an offset in bytes and an index in elements that depends on the input."""
    ctype: CType
    """What it points to; None for void."""

    @property
    def is_null(self) -> bool:
        """Whether it is the address of nothing."""
        return self.target is None

    @property
    def plain_offset(self) -> Number:
        """The offset of an address that does not depend on the input.

        Raises Unprovable for the others.
        """
        if isinstance(self.offset, tuple):
            msg = "an address depends on the input"
            raise Unprovable(msg)
        return self.offset


Value = int | np.ndarray | Form | Function | Packed | Comparison | Pointer | Aggregate


Running = tuple[object, int]
"""A loop that runs at once, and how often; each time that it runs is an object of its own."""


@dataclass(eq=False)
class Lanes:
    """The loops that run at once, outermost first, and how often each runs."""

    loops: list[Running] = field(default_factory=list[Running])

    @property
    def depth(self) -> int:
        """How many there are."""
        return len(self.loops)

    @property
    def count(self) -> int:
        """How many lanes there are."""
        return int(np.prod(self.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return tuple(count for _, count in reversed(self.loops))

    def shared_by(self, shape: tuple[int, ...]) -> int:
        """How many of the outermost loops hold all along which an array of a shape is the same."""
        full = (1,) * (self.depth - len(shape)) + shape
        return next((self.depth - axis for axis, extent in enumerate(self.shape) if full[axis] != extent), 0)

    def spread(self, array: Number) -> np.ndarray:
        """The array with all axes, flat."""
        return np.broadcast_to(np.asarray(array, np.int64), self.shape).reshape(-1)

    def spread_terms(self, array: np.ndarray) -> np.ndarray:
        """Arrays with a last axis of terms, as (lanes, terms)."""
        return np.broadcast_to(array, (*self.shape, array.shape[-1])).reshape(-1, array.shape[-1])

    def spread_group(self, group: Group) -> Group:
        """Atoms and coefficients as (lanes, terms) each."""
        ids, coefficients = (self.spread_terms(part) for part in group)
        shape = np.broadcast_shapes(ids.shape, coefficients.shape)
        return np.broadcast_to(ids, shape), np.broadcast_to(coefficients, shape)

    def folded(self, flat: np.ndarray) -> Number:
        """A flat array of all lanes with its axes again."""
        return flat.reshape(self.shape) if self.loops else int(flat[0])


def is_number(value: object) -> TypeGuard[Number]:
    """Whether a value does not depend on the input."""
    return isinstance(value, int | np.ndarray)


def plain(value: Value) -> Value:
    """A number of numpy without axes as an int."""
    if isinstance(value, np.integer) or (isinstance(value, np.ndarray) and not value.ndim):
        return int(value)
    return value


def as_form(value: Value) -> Form:
    """A number as a form.

    Raises Unprovable for what is neither.
    """
    if isinstance(value, Form):
        return value
    if is_number(value):
        return Form(value, (), value, value)
    msg = "arithmetic on a comparison, an address, a structure or packed numbers"
    raise Unprovable(msg)


def constant(value: Number) -> Expression:
    """A number as an expression; an array of one number is that number."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = int(value.reshape(()))
    return Expression("const", value=value)


def as_function(value: Form) -> Function:
    """A form as the identity of itself."""
    return Function(value, X, value.low, value.high)


def bounds(value: Value) -> tuple[Number, Number]:
    """Least and greatest value."""
    if isinstance(value, Form | Function):
        return value.low, value.high
    assert isinstance(value, int | np.ndarray)
    return value, value


def within(form: Form | Function, ctype: IntType) -> bool:
    """Whether all its values are numbers of a type."""
    return bool(np.min(form.low) >= ctype.least and np.max(form.high) <= ctype.most)


def is_wide(form: Form, factor: Number, most: float) -> bool:
    """Whether the bounds of a form times a factor may reach `most`."""
    widest = max(abs(float(np.min(form.low))), abs(float(np.max(form.high))), float(np.max(np.abs(form.constant))))
    return widest * float(np.max(np.abs(factor))) >= most


def refuse_wide(form: Form, factor: Number) -> None:
    """Refuse forms whose bounds times a factor may leave the 64 bits in which numpy computes."""
    if is_wide(form, factor, WIDEST):
        msg = "sums of about 64 bits"
        raise Unprovable(msg)


def side_of(*values: Value) -> np.ndarray | None:
    """The side of the functions that have one.

    Raises Unprovable where two of them have different sides.
    """
    sides = [value.side for value in values if isinstance(value, Function) and value.side is not None]
    if any(not np.array_equal(side, sides[0]) for side in sides[1:]):
        msg = "a result that two others choose"
        raise Unprovable(msg)
    return sides[0] if sides else None
