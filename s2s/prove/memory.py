"""Memory of the abstract machine: buffers of cells, each a linear form of atoms, and the order of their accesses.

A buffer is an object of C that pointers go into: the arena, an input, an array of constants. Each element is stored at
its first byte with its width. Reading beyond the end is a fault; reading with another width, or before a store, gives
a number of which nothing is known.

While loops run at once (`Transaction`), stores wait, and no load may meet one of them, nor two stores one byte: then
every order of the iterations gives the same memory, the C's own included.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from s2s.prove.arithmetic import Arithmetic
from s2s.prove.control import Conflict
from s2s.prove.ctypes import IntType
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.values import Form, Function, Lanes, Number, Pointer, Value, as_form, is_number

Write = tuple["Buffer", np.ndarray, int, np.ndarray, np.ndarray | None, np.ndarray | None]
"""Buffer, cells, width, constants, atoms and coefficients of a store."""
INSIDE = 255
"""The width of a byte inside an element."""


class Pool:
    """The terms of all forms in memory, one after the other."""

    def __init__(self) -> None:
        self.ids = np.zeros(1 << 16, np.int64)
        self.coefficients = np.zeros(1 << 16, np.int64)
        self.used = 0

    def append(self, ids: np.ndarray, coefficients: np.ndarray) -> int:
        """Store terms; return where they begin."""
        start, end = self.used, self.used + len(ids)
        while end > len(self.ids):
            self.ids = np.concatenate([self.ids, np.zeros_like(self.ids)])
            self.coefficients = np.concatenate([self.coefficients, np.zeros_like(self.coefficients)])
        self.ids[start:end], self.coefficients[start:end] = ids, coefficients
        self.used = end
        return start


class Buffer:
    """An object of C of `size` bytes, in cells of `unit` bytes; a constant array has one type."""

    ctype: IntType | None = None

    def __init__(self, name: str, size: int, unit: int = 1, *, constant: bool = False) -> None:
        cells = size // unit
        self.name, self.size, self.unit, self.constant = name, size, unit, constant
        self.read_only = constant
        self.numbers = np.zeros(cells, np.int64)
        self.starts = np.zeros(cells, np.int64)
        self.counts = np.zeros(cells, np.int64)
        self.widths = np.zeros(cells, np.uint8)
        self.marks = np.zeros(0 if constant else cells, np.int32)

    def are_distinct(self, cells: np.ndarray) -> bool:
        """Whether no two cells are the same: of two, one overwrites the other's mark."""
        marks = np.arange(len(cells))
        self.marks[cells] = marks
        return bool(np.all(self.marks[cells] == marks))

    @classmethod
    def of_numbers(cls, name: str, numbers: np.ndarray, ctype: IntType) -> Buffer:
        """A constant array."""
        buffer = cls(name, len(numbers) * ctype.size, ctype.size, constant=True)
        buffer.numbers = numbers.astype(np.int64)
        buffer.widths[:] = ctype.size
        buffer.ctype = ctype
        return buffer


@dataclass
class Transaction:
    """What loops that run at once have read and will write, by buffer."""

    loop: object
    loaded: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    stored: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    stores: list[Write] = field(default_factory=list[Write])

    def load(self, buffer: Buffer, cells: np.ndarray, width: int) -> None:
        """Note a load; it may not meet a store that waits."""
        if buffer.constant:
            return
        stored = self.stored.get(id(buffer))
        loaded = self.loaded.setdefault(id(buffer), np.zeros(len(buffer.numbers), bool))
        for byte in range(max(1, width // buffer.unit)):
            loaded[cells + byte] = True
            if stored is not None and np.any(stored[cells + byte]):
                raise Conflict(self.loop)

    def store(self, buffer: Buffer, cells: np.ndarray, width: int) -> None:
        """Note a store; it may meet no other, nor a load."""
        stored = self.stored.setdefault(id(buffer), np.zeros(len(buffer.numbers), bool))
        loaded = self.loaded.get(id(buffer))
        for byte in range(max(1, width // buffer.unit)):
            at = cells + byte
            if np.any(stored[at]) or (loaded is not None and np.any(loaded[at])):
                raise Conflict(self.loop)
            stored[at] = True


def _object(pointer: Pointer) -> Buffer:
    """What an address goes into."""
    if pointer.is_null:
        msg = "an access through a null address"
        raise Fault(msg)
    assert isinstance(pointer.target, Buffer)
    return pointer.target


class Memory:
    """Loads and stores in all lanes."""

    def __init__(self, arithmetic: Arithmetic, lanes: Lanes) -> None:
        self.arithmetic, self.lanes = arithmetic, lanes
        self.pool = Pool()
        self.transaction: Transaction | None = None

    def _cells(self, buffer: Buffer, offset: Number, ctype: IntType, what: str) -> np.ndarray:
        """The cells at byte offsets, which lie inside of the buffer."""
        offsets = np.asarray(offset, np.int64)
        if np.any(offsets < 0) or np.any(offsets + ctype.size > buffer.size):
            wrong = offsets[(offsets < 0) | (offsets + ctype.size > buffer.size)].reshape(-1)[0]
            msg = f"{what} at byte {int(wrong)} of {buffer.name}, which has {buffer.size}"
            raise Fault(msg)
        if np.any(offsets % ctype.size):
            msg = f"{what} {ctype.size} bytes of {buffer.name} at an address that is not a multiple of that"
            raise Fault(msg)
        return offsets // buffer.unit

    def load(self, pointer: Pointer, ctype: IntType) -> Value:
        """The number at an address."""
        buffer = _object(pointer)
        cells = self._cells(buffer, pointer.plain_offset, ctype, "reads")
        if self.transaction is not None:
            self.transaction.load(buffer, cells, ctype.size)
        if np.any(buffer.widths[cells] != ctype.size):
            return self._with_unknown(buffer, cells, ctype)
        return self.arithmetic.read_as(self.value(buffer, cells), ctype)

    def _with_unknown(self, buffer: Buffer, cells: np.ndarray, ctype: IntType) -> Value:
        """Elements of which some were never written, or overwritten in part: any number may stand there, another one at
        each load. Kernels read such where a weight of zero follows."""
        if buffer.constant:
            msg = f"reads {ctype.size} bytes of {buffer.name}, whose elements have another width"
            raise Fault(msg)
        cells = np.broadcast_to(cells, np.broadcast_shapes(cells.shape, self.lanes.shape))
        known = buffer.widths[cells] == ctype.size
        form = as_form(self.value(buffer, np.where(known, cells, 0)))
        atoms = self.arithmetic.atoms
        unknown = np.zeros(cells.shape, np.int64)
        for at in np.argwhere(~known):
            unknown[tuple(at)] = atoms.new(("unknown", buffer.name, atoms.count), ctype.least, ctype.most)
        there = known.astype(np.int64)
        groups = tuple((ids, coefficients * there[..., None]) for ids, coefficients in form.groups)
        low, high = (np.where(known, *ends) for ends in ((form.low, ctype.least), (form.high, ctype.most)))
        return Form(form.constant * there, (*groups, (unknown[..., None], 1 - there[..., None])), low, high)

    def value(self, buffer: Buffer, cells: np.ndarray) -> Form | Number:
        """The form in each cell, a number where all are numbers."""
        numbers = buffer.numbers[cells]
        counts = buffer.counts[cells] if not buffer.constant else None
        most = 0 if counts is None else int(counts.max(initial=0))
        if counts is None or most == 0:
            return int(numbers) if numbers.ndim == 0 else numbers
        terms = np.arange(most)
        there = terms < counts[..., None]
        at = np.where(there, buffer.starts[cells][..., None] + terms, 0)
        ids = np.where(there, self.pool.ids[at], 0)
        coefficients = np.where(there, self.pool.coefficients[at], 0)
        atoms = self.arithmetic.atoms
        ends = coefficients * atoms.low[ids], coefficients * atoms.high[ids]
        low, high = numbers + np.minimum(*ends).sum(-1), numbers + np.maximum(*ends).sum(-1)
        return Form(numbers if numbers.ndim else int(numbers), ((ids, coefficients),), low, high)

    def store(self, pointer: Pointer, value: Value, ctype: IntType) -> None:
        """Write the number to an address, or let it wait until the loops at once have run."""
        buffer = _object(pointer)
        if buffer.read_only:
            msg = f"writes to {buffer.name}, which is not to be written"
            raise Fault(msg)
        offsets = pointer.plain_offset
        if self.lanes.depth:
            shape = np.shape(offsets)
            full = (1,) * (self.lanes.depth - len(shape)) + shape
            if full != self.lanes.shape:
                axis = next(i for i, (a, b) in enumerate(zip(full, self.lanes.shape, strict=True)) if a != b)
                raise Conflict(self.lanes.loops[self.lanes.depth - 1 - axis][0])
        cells = self._cells(buffer, self.lanes.spread(offsets), ctype, "writes")
        content = self._content(value, ctype)
        if self.transaction is None:
            self._write(buffer, cells, ctype.size, *content)
        else:
            self.transaction.store(buffer, cells, ctype.size)
            self.transaction.stores.append((buffer, cells, ctype.size, *content))

    def commit(self) -> None:
        """Write what waited."""
        assert self.transaction is not None
        for entry in self.transaction.stores:
            self._write(*entry)
        self.transaction = None

    def put_atoms(
        self, buffer: Buffer, cells: np.ndarray, ids: np.ndarray, numbers: np.ndarray, ctype: IntType
    ) -> None:
        """Let cells hold atoms (0 for none) plus numbers."""
        terms = ids.reshape(-1, 1)
        self._write(buffer, cells, ctype.size, numbers, terms, np.ones_like(terms))

    def copies(self, arguments: list[Value]) -> list[tuple[Buffer, list[np.ndarray]]]:
        """What the buffers that a function gets hold."""
        buffers = {id(each.target): each.target for each in arguments if isinstance(each, Pointer)}
        return [
            (buffer, [buffer.numbers.copy(), buffer.starts.copy(), buffer.counts.copy(), buffer.widths.copy()])
            for buffer in buffers.values()
            if isinstance(buffer, Buffer) and not buffer.read_only
        ]

    def restore(self, copies: list[tuple[Buffer, list[np.ndarray]]]) -> None:
        """Let buffers hold what they held."""
        for buffer, arrays in copies:
            buffer.numbers, buffer.starts, buffer.counts, buffer.widths = arrays

    def _content(self, value: Value, ctype: IntType) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Constants, atoms and coefficients of a value in each lane."""
        value = self.arithmetic.settled(value, ctype)
        if isinstance(value, Function):
            value = self.arithmetic.interned(value)
        if is_number(value):
            return self.lanes.spread(value), None, None
        if not isinstance(value, Form):
            msg = "stores what is no number"
            raise Unprovable(msg)
        groups = [tuple(self.lanes.spread_terms(part) for part in group) for group in value.groups]
        ids, coefficients = (np.concatenate(parts, axis=1) for parts in zip(*groups, strict=True))
        return self.lanes.spread(value.constant), ids, coefficients

    def _write(
        self,
        buffer: Buffer,
        cells: np.ndarray,
        width: int,
        numbers: np.ndarray,
        ids: np.ndarray | None,
        coefficients: np.ndarray | None,
    ) -> None:
        self._clear(buffer, cells, width)
        buffer.numbers[cells] = numbers
        buffer.counts[cells] = 0
        if ids is not None and coefficients is not None:
            terms = ids.shape[1]
            start = self.pool.append(ids.reshape(-1), coefficients.reshape(-1))
            single = terms == 1
            buffer.starts[cells] = start + terms * np.arange(len(cells))
            buffer.counts[cells] = (ids[:, 0] != 0).astype(np.int64) if single else terms

    def _clear(self, buffer: Buffer, cells: np.ndarray, width: int) -> None:
        """Let elements that a store overlaps be no more."""
        units = max(1, width // buffer.unit)
        if buffer.unit > 1 or np.all(buffer.widths[cells] == width):
            buffer.widths[cells] = width
            return
        for before in range(1, 8):
            at = cells - before
            at = at[at >= 0]
            widths = buffer.widths[at]
            buffer.widths[at[(widths > before) & (widths != INSIDE)]] = 0
        for inside in range(units):
            buffer.widths[cells + inside] = INSIDE
        buffer.widths[cells] = width
