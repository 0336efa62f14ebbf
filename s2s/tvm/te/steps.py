"""A step of a scan as a schedule of its own: the formulas of one row, without the loop over rows.

    update[t, i] = state[t - 1, i] + X[t, i]
->
    update[i] = rows[0, i] + X_row[i]               rows: the last rows that the step before has made
"""

from collections.abc import Callable, Mapping, Sequence

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import (
    Binary,
    Const,
    Expr,
    IterVar,
    PlaceholderOp,
    Read,
    Select,
    Tensor,
    TensorOp,
    const,
)
from s2s.tvm.te.operations import ComputeOp, Reduce
from s2s.tvm.te.rewriting import rewritten
from s2s.tvm.te.scan import ScanCall
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.tensors import computed


@frozen(eq=False)
class Step:
    """A scan whose step is a schedule: `rows` and `slices` are arguments of it in place of tensors."""

    call: ScanCall
    schedule: Schedule
    rows: tuple[Tensor, ...]
    """The last rows of each state."""
    slices: Mapping[Tensor, Tensor]
    """Tensors outside that are read row by row, and the row."""
    kept: tuple[Tensor, ...]
    """Tensors outside that every step reads whole."""
    moved: tuple[Tensor, ...]
    """The rows for the next step."""
    made: tuple[Tensor, ...]
    """The new row of each state."""


def step_of(schedule: Schedule, call: ScanCall) -> Step:
    """The step of a scan with the directives of `schedule`."""
    return _Stripping(schedule, call).step()


class _Stripping:
    """Takes the loop over rows out of the formulas of a step."""

    def __init__(self, schedule: Schedule, call: ScanCall) -> None:
        self._schedule, self._call = schedule, call
        self._counts = [_count(call, each) for each in call.inits]
        self._rows = [_argument(f"{call.name}_rows{n}", each.shape, each.dtype) for n, each in enumerate(call.inits)]
        self._slices: dict[Tensor, Tensor] = {}
        self._new: dict[TensorOp, ComputeOp] = {}

    def step(self) -> Step:
        """The step."""
        for op in self._call.step:
            if not isinstance(op, ComputeOp) or not op.axis:
                raise self._refusal(op, "is no formula over rows; compute it before the scan")
            self._new[op] = self._stripped(op)
        made = tuple(self._new[each.op].output(each.value_index) for each in self._call.updates)
        moved = tuple(self._moved(n, row) for n, row in enumerate(made))
        kept = tuple(each for each in self._call.outer if each not in self._slices)
        return Step(self._call, self._scheduled(moved), tuple(self._rows), self._slices, kept, moved, made)

    def _refusal(self, op: TensorOp, fact: str) -> InputError:
        return InputError(f"te.scan {self._call.name}: {op.name}: {fact}")

    def _stripped(self, op: ComputeOp) -> ComputeOp:
        """The formula of one row."""
        time = op.axis[0]

        def row(each: Expr) -> Expr | None:
            if each is time:
                raise self._refusal(op, f"{time} is used as a number, or in an index of its own; read rows at {time}")
            return self._read(op, each, time, row) if isinstance(each, Read) else None

        body = op.formula
        if isinstance(body, Reduce):
            return ComputeOp(op.name, op.axis[1:], body.of(rewritten(body.value, row), body.axes))
        return ComputeOp(op.name, op.axis[1:], rewritten(body, row))

    def _read(self, op: ComputeOp, read: Read, time: IterVar, row: Callable[[Expr], Expr | None]) -> Expr | None:
        tensor, first = read.tensor, read.indices[0] if read.indices else const(0)
        behind = _behind(first, time)
        states = [each.key for each in self._call.states]
        if tensor.key not in states and tensor.op not in self._new and behind is None:
            return None  # `row` looks into the indices and refuses the loop over rows there
        rest = tuple(rewritten(each, row) for each in read.indices[1:])
        if tensor.key in states:
            number = states.index(tensor.key)
            if behind is None or not 1 <= behind <= self._counts[number]:
                raise self._refusal(
                    op, f"reads {read}; the rows before are {time} - 1 to {time} - {self._counts[number]}"
                )
            return Read(self._rows[number], (const(self._counts[number] - behind), *rest))
        if behind != 0:
            raise self._refusal(op, f"reads {read}; a step reads other tensors at {time}, or without it")
        if tensor.op in self._new:
            return Read(self._new[tensor.op].output(tensor.value_index), rest)
        outer = next(each for each in self._call.outer if each.key == tensor.key)
        if outer not in self._slices:
            self._slices[outer] = _argument(f"{outer.name}_row", outer.shape[1:], outer.dtype)
        return Read(self._slices[outer], rest)

    def _moved(self, number: int, row: Tensor) -> Tensor:
        """The rows for the next step: the rows of this one without the first, and the new one."""
        rows, count = self._rows[number], self._counts[number]
        axis = tuple(IterVar(size, f"i{n}") for n, size in enumerate(rows.shape))
        last: Expr = row(*axis[1:])
        body = last if count == 1 else Select(axis[0] < count - 1, rows(axis[0] + 1, *axis[1:]), last)
        return computed(f"{self._call.name}_next{number}", axis, body)[0]

    def _scheduled(self, moved: Sequence[Tensor]) -> Schedule:
        """The schedule of the step, with the directives of the whole one on loops inside of a row."""
        made = Schedule([each.op for each in moved])
        pairs = [(self._schedule[old], made[new]) for old, new in self._new.items() if old in self._schedule]
        stages = dict(pairs)
        for old, new in pairs:
            time = old.op.axis[0]
            if all(each is not time for each in old.leaves):
                raise self._refusal(old.op, f"{time} is split or fused; rows are computed one after the other")
            new.leaves = [each for each in old.leaves if each is not time]
            new.relations, new.annotations = list(old.relations), dict(old.annotations)
            if old.imports:
                raise self._refusal(old.op, "pragma import_c: steps of a scan call no C; compute it before the scan")
            new.is_inlined, new.prefetches, new.intrinsic = old.is_inlined, list(old.prefetches), old.intrinsic
        for old, new in pairs:
            if old.attached is not None and old.attached[0] in stages and old.attached[1] is not old.op.axis[0]:
                new.compute_at(stages[old.attached[0]], old.attached[1])
        return made


def _count(call: ScanCall, init: Tensor) -> int:
    """The number of initial rows."""
    size = init.shape[0]
    number = int(size.value) if isinstance(size, Const) else size
    if not isinstance(number, int):
        raise InputError(f"te.scan {call.name}: {init.name} has {size} rows; give a number of them")
    return number


def _argument(name: str, shape: Sequence[Expr | int], dtype: str) -> Tensor:
    return Tensor(tuple(shape), dtype, PlaceholderOp(name, ()))


def _behind(index: Expr, time: IterVar) -> int | None:
    """The number of rows that an index lies behind the current one: 1 for `t - 1`; None for another index."""
    if index is time:
        return 0
    if isinstance(index, Binary) and index.sign in ("+", "-") and index.a is time and isinstance(index.b, Const):
        return int(index.b.value) if index.sign == "-" else -int(index.b.value)
    return None
