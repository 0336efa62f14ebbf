"""Types of the operators on windows that slide over a stream or over rows, and the networks that run with rows."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, SymbolRefAttr, i64
from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import ShapeError, require_length, require_same_element, result

ROW_OF_X = 0
"""The number of the row of the input among the tensors that a body takes; ring `k` has number `k + 1`."""


class RowBody(NamedTuple):
    """A network that runs in ticks `first`, `first + every`, …, `steps` times.

    The first `written` of the tensors `taken`, by number, get a row each: its results. It reads the others.
    """

    body: str
    every: int
    first: int
    steps: int
    taken: tuple[int, ...]
    written: int

    @property
    def last(self) -> int:
        """The tick of the last step."""
        return self.first + self.every * (self.steps - 1)

    @property
    def gets(self) -> tuple[int, ...]:
        """The tensors that get its results."""
        return self.taken[: self.written]

    @property
    def reads(self) -> tuple[int, ...]:
        """The tensors that it reads."""
        return self.taken[self.written :]

    def is_due(self, tick: int) -> bool:
        """Return whether the network runs in `tick`."""
        return self.first <= tick <= self.last and (tick - self.first) % self.every == 0

    def step(self, tick: int) -> int:
        """Return how often it has run before `tick`."""
        return (tick - self.first) // self.every


def ticks_of(pieces: Sequence[RowBody]) -> int:
    """Return the ticks until the last body has run."""
    return 1 + max(piece.last for piece in pieces)


def moving(pieces: Sequence[RowBody]) -> frozenset[int]:
    """Return the tensors whose rows move up when they get a row: the ones that a body reads. Others keep all rows."""
    return frozenset(number for piece in pieces for number in piece.reads if number != ROW_OF_X)


def last_free_distance(ticks: tuple[int, int], row: int, rows: int, x_row: int, *, reads_row: bool) -> int:
    """Return the largest distance, in bytes, from the start of an input to the start of a result at which no row of the
    result lies over a row of the input that is read later.

    The rows of the result, of `row` bytes each, are written from the first of `ticks` to the last one. An input with
    rows of 8 bytes and a result with rows of 4, written in ticks 1 to 4: in tick 1 rows 0 and 1 of the input have been
    read, 16 bytes, so that row 0 may end there and the result may begin 12 bytes behind the input. With `reads_row`
    the body that writes reads the row of its tick itself, and 8 bytes fewer are free.
    """
    free = [(tick + (0 if reads_row else 1)) * x_row for tick in ticks]
    return min(free[0] - row, free[1] - rows * row)


def columns_of(pieces: Sequence[RowBody]) -> dict[str, Attribute]:
    """Return bodies as properties of an operation, a column for each fact."""
    columns: dict[str, Sequence[int]] = {
        "every": [piece.every for piece in pieces],
        "firsts": [piece.first for piece in pieces],
        "steps": [piece.steps for piece in pieces],
        "taken": [number for piece in pieces for number in piece.taken],
        "counts": [len(piece.taken) for piece in pieces],
        "written": [piece.written for piece in pieces],
    }
    return {
        "bodies": ArrayAttr([SymbolRefAttr(piece.body) for piece in pieces]),
        **{name: DenseArrayBase.from_list(i64, list(column)) for name, column in columns.items()},
    }


def row_bodies(properties: Mapping[str, Attribute]) -> Iterator[RowBody]:
    """Yield the bodies that `columns_of` has written."""
    bodies = cast("ArrayAttr[SymbolRefAttr]", properties["bodies"])
    every, firsts, steps, taken, counts, written = (
        _column(properties[name]) for name in ("every", "firsts", "steps", "taken", "counts", "written")
    )
    place = 0
    for body, period, first, step, count, ring in zip(bodies, every, firsts, steps, counts, written, strict=True):
        yield RowBody(body.string_value(), period, first, step, tuple(taken[place : place + count]), ring)
        place += count


def _column(attribute: Attribute) -> list[int]:
    assert isinstance(attribute, DenseArrayBase)
    return [int(value) for value in attribute.get_values()]


def advance(x: AnyTensor, by: int) -> AnyTensor:
    """The elements moved to the front by `by` places in row-major order."""
    size = prod(x.get_shape())
    if not 0 < by < size:
        raise ShapeError(f"{size} elements cannot move by {by}")
    return result(x.element_type, x.get_shape())


def insert_slice(x: AnyTensor, u: AnyTensor, starts: Sequence[int]) -> AnyTensor:
    """`x` with the elements of `u` in place of its own from `starts` on; all of them inside `x`."""
    require_same_element(x, u)
    require_length("starts", starts, x.get_num_dims())
    require_length("u", u.get_shape(), x.get_num_dims())
    for axis, (start, size, bound) in enumerate(zip(starts, u.get_shape(), x.get_shape(), strict=True)):
        if start < 0 or start + size > bound:
            raise ShapeError(f"elements {start} to {start + size - 1} along axis {axis} are outside [0, {bound})")
    return result(x.element_type, x.get_shape())
