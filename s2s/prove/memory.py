"""Memory of the abstract machine: buffers of cells, each a linear form of atoms, and the order of their accesses.

A buffer is an object of C that pointers go into: the arena, an input, an array of constants. Each element is stored at
its first byte with its width. Reading beyond the end is a fault; reading with another width, or before a store, gives
a number of which nothing is known.

While loops run at once, `s2s.prove.transaction` keeps what they store until every order of their iterations gives the
same memory, the C's own included.
"""

from __future__ import annotations

import numpy as np

from s2s.prove.accesses import Accesses
from s2s.prove.arithmetic import Arithmetic
from s2s.prove.atoms import Atoms
from s2s.prove.buffers import INSIDE, Buffer, Content, Pool
from s2s.prove.ctypes import I32, REAL, U32, IntType
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.residues import HIGH, LOW, PLACES, RESERVED, WORDS, is_held
from s2s.prove.transaction import Transaction
from s2s.prove.values import Form, Function, Lanes, Number, Pointer, Value, as_form, is_number

FEW = 64
"""Lanes above which equal numbers are looked for."""


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
        self.accesses: Accesses | None = None

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
        if self.accesses is not None:
            self.accesses.note(buffer, cells, ctype.size, writes=False)
        if self.transaction is not None and not buffer.constant:
            buffer, cells = self.transaction.load(buffer, cells, ctype.size)
        if np.any(buffer.widths[cells] != ctype.width):
            return self._with_unknown(buffer, cells, ctype)
        return self.arithmetic.read_as(self.value(buffer, cells), ctype)

    def _with_unknown(self, buffer: Buffer, cells: np.ndarray, ctype: IntType) -> Value:
        """Elements of which some were never written, or overwritten in part: any number may stand there, another one at
        each load. Kernels read such where a weight of zero follows."""
        if ctype.real or np.any((buffer.widths[cells] & REAL != 0) & (buffer.widths[cells] != INSIDE)):
            msg = f"reads {buffer.name} as floats where it holds none, or the other way round"
            raise Unprovable(msg)
        if buffer.constant:
            msg = f"reads {ctype.size} bytes of {buffer.name}, whose elements have another width"
            raise Fault(msg)
        cells = np.broadcast_to(cells, np.broadcast_shapes(cells.shape, self.lanes.shape))
        known = buffer.widths[cells] == ctype.width
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
        low, high = bounds_of(atoms, ids, coefficients)
        numbers = _even(numbers)
        group = ids, coefficients
        if most > WORDS and np.any(ids[..., -1] == HIGH):
            group = PLACES, atoms.residues_of([(np.where((ids == LOW) | (ids == HIGH), 0, ids), coefficients)])
        elif ids.size > FEW and np.all((coefficients == 1) | (ids == 0)):
            group = ids, np.ones(1, np.int64)
            low, high = low.min(), high.max()
        least, greatest = (_plain(np.asarray(numbers + end)) for end in (low, high))
        return Form(_plain(numbers), (group,), least, greatest)

    def store(self, pointer: Pointer, value: Value, ctype: IntType) -> None:
        """Write the number to an address, or let it wait until the loops at once have run."""
        buffer = _object(pointer)
        if buffer.read_only:
            msg = f"writes to {buffer.name}, which is not to be written"
            raise Fault(msg)
        cells = self._cells(buffer, self.lanes.spread(pointer.plain_offset), ctype, "writes")
        if self.accesses is not None:
            self.accesses.note(buffer, cells, ctype.size, writes=True)
        content = self._content(value, ctype)
        if self.transaction is None:
            buffer.write(self.pool, cells, ctype.width, content)
        else:
            shared = self.lanes.shared_by(np.shape(pointer.plain_offset))
            self.transaction.store(buffer, cells, ctype.width, content, shared)

    def begin(self) -> None:
        """Let stores wait until the outermost loop at once has run."""
        self.transaction = Transaction(self.lanes, self.pool)

    def leave(self) -> None:
        """The innermost loop at once has run; write what waited if it was the outermost one."""
        assert self.transaction is not None
        self.transaction.leave()
        if not self.lanes.depth:
            self.transaction = None

    def put_atoms(
        self, buffer: Buffer, cells: np.ndarray, ids: np.ndarray, numbers: np.ndarray, ctype: IntType
    ) -> None:
        """Let cells hold atoms (0 for none) plus numbers."""
        terms = ids.reshape(-1, 1)
        buffer.write(self.pool, cells, ctype.width, Content(numbers, terms, np.ones_like(terms)))

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

    def _content(self, value: Value, ctype: IntType) -> Content:
        """Constants, atoms and coefficients of a value in each lane."""
        if not (isinstance(value, Form) and ctype in (I32, U32) and not value.carried):
            # A form of 32 bits stays one modulo 2^32: who loads it settles it where the number itself matters.
            value = self.arithmetic.settled(value, ctype)
        if isinstance(value, Function):
            value = self.arithmetic.interned(value)
        if is_number(value):
            return Content(self.lanes.spread(value))
        if not isinstance(value, Form):
            msg = "stores what is no number"
            raise Unprovable(msg)
        if self.arithmetic.is_long(value) or any(is_held(group) for group in value.groups):
            return self._held(value)
        groups = [self.lanes.spread_group(group) for group in value.groups]
        ids, coefficients = (np.concatenate(parts, axis=1) for parts in zip(*groups, strict=True))
        return Content(self.lanes.spread(value.constant), ids, coefficients)

    def _held(self, value: Form) -> Content:
        """A form by its residues, with its bounds beside them."""
        spread, constant = self.lanes.spread, self.lanes.spread(value.constant)
        marks = self.lanes.spread_terms(self.arithmetic.atoms.residues_of(value.groups))
        ends = [(spread(end) - constant)[:, None] for end in (value.low, value.high)]
        coefficients = np.concatenate([marks, *ends], axis=1)
        return Content(constant, np.broadcast_to(np.arange(1, RESERVED), coefficients.shape), coefficients)


def _plain(numbers: np.ndarray) -> Number:
    """One number as an int."""
    return numbers if numbers.ndim else int(numbers)


def _even(numbers: np.ndarray) -> np.ndarray:
    """Many numbers that are all the same as one."""
    first = numbers.reshape(-1)[:1]
    return first.reshape(()) if numbers.size > FEW and np.all(numbers == first) else numbers


def bounds_of(atoms: Atoms, ids: np.ndarray, coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of sums of terms; of forms held by residues, the ones beside them."""
    ends = coefficients * atoms.low[ids], coefficients * atoms.high[ids]
    low, high = np.minimum(*ends), np.maximum(*ends)
    if ids.shape[-1] > WORDS:
        for place, end in ((LOW, low), (HIGH, high)):
            there = ids == place
            end[there] = coefficients[there]
    return low.sum(-1), high.sum(-1)
