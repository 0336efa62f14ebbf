"""Loops: iterations that do not depend on each other run at once, one lane each; others run in order.

A loop is first tried at once. Its counters (`s2s.prove.changes`) become arrays; every other variable that the body
changes and that lives longer is a sum, to which iterations add what does not depend on it. Whatever turns out otherwise
(a load of what another iteration stores, a condition that differs) is a `Conflict`: memory and variables are put back,
and the loop that it names runs in order from then on.

    int32_t acc = 0;                               k = [0 .. 63], x[k] a form in each lane
    for (int32_t k = 0; k < 64; k++)          =>   one multiplication of 64 lanes, one sum over the lanes
        acc += x[k] * w[k];
"""

from __future__ import annotations

import numpy as np
from pycparser import c_ast

from s2s.prove.carrying import carry
from s2s.prove.changes import Changes, changes_of, names_in, only_variables
from s2s.prove.control import Broken, Conflict, Returned
from s2s.prove.ctypes import U64, IntType
from s2s.prove.declarations import PointerType, size_of
from s2s.prove.faults import Unprovable
from s2s.prove.machine import Machine, Variable
from s2s.prove.values import Aggregate, Number, Pointer, Value, is_number
from s2s.support.frozen import frozen

MIN_AT_ONCE = 2
MAX_LANES = 1 << 16
MAX_ITERATIONS = 1 << 24


@frozen
class Loop:
    """A `for` or `while` loop after its initialisation; `following` is the third part of `for`."""

    node: c_ast.Node
    condition: c_ast.Node
    body: c_ast.Node
    following: c_ast.Node | None


@frozen
class Counter:
    """A variable that each iteration changes by `step`, in bytes for an address."""

    variable: Variable
    name: str
    step: int


@frozen
class Changing:
    """What each iteration changes: counters, and the names of the other variables."""

    counters: list[Counter]
    others: list[str]


def run_loop(machine: Machine, loop: Loop) -> None:
    """Run a loop, at once if it can be."""
    if not machine.lanes.depth:
        machine.cuts.clear()
    while id(loop.node) not in machine.in_order:
        try:
            if _at_once(machine, loop):
                return
            break
        except Conflict as conflict:
            if machine.lanes.depth:
                raise
            machine.memory.transaction = None
            _learn(machine, conflict, loop.node)
    _in_order(machine, loop)


def _learn(machine: Machine, conflict: Conflict, node: c_ast.Node) -> None:
    """Cut the loop that a conflict names, or let it run in order."""
    loop = node if conflict.loop is None else conflict.loop
    cuts = machine.cuts.setdefault(id(loop), set())
    if conflict.cuts and not cuts.issuperset(conflict.cuts):
        cuts.update(conflict.cuts)
    else:
        machine.in_order.add(id(loop))
    machine.kept.append(loop)


def _in_order(machine: Machine, loop: Loop) -> None:
    """Run one iteration after the other."""
    for _ in range(MAX_ITERATIONS):
        if not (machine.truth(loop.condition) and _once(machine, loop)):
            return
    msg = f"a loop runs more than {MAX_ITERATIONS:,} times"
    raise Unprovable(msg)


def _once(machine: Machine, loop: Loop) -> bool:
    """Run one iteration; False if it breaks off the loop."""
    try:
        machine.execute(loop.body)
    except Broken:
        return False
    if loop.following is not None:
        machine.evaluate(loop.following)
    return True


def _at_once(machine: Machine, loop: Loop) -> bool:
    """Run all iterations at once; False if the loop is none whose iterations can be counted."""
    changes = _changes(machine, loop)
    counters = _counters(machine, changes)
    count = _count(machine, loop.condition, counters, changes)
    if count is None:
        return False
    if count == 0:
        return True
    most = MAX_LANES // int(np.prod(machine.lanes.shape))
    if min(count, most) < MIN_AT_ONCE:
        return False
    if not all(_stays_in_type(counter, count) for counter in counters):
        return False
    counted = {counter.name for counter in counters}
    others = sorted((changes.others | set(changes.counters)) - counted)
    _run_parts(machine, loop, count, most, Changing(counters, others))
    return True


def _run_parts(machine: Machine, loop: Loop, count: int, most: int, changing: Changing) -> None:
    """Run iterations in parts of at most `most`, cut where conflicts said."""
    outermost = machine.lanes.depth == 0
    cuts = machine.cuts.get(id(loop.node), set[int]())
    ends = sorted(cut for cut in {*cuts, *range(most, count, most)} if cut < count)
    for begin, end in zip([0, *ends], [*ends, count], strict=True):
        try:
            if end - begin > 1:
                _part(machine, loop, end - begin, changing)
            elif not _once(machine, loop):
                return
        except Conflict as conflict:
            if conflict.loop is loop.node and not outermost:
                conflict.cuts = tuple(cut + begin for cut in conflict.cuts)
            raise
        if outermost:
            machine.cuts[id(loop.node)] = {cut - end for cut in cuts if cut > end}


def _part(machine: Machine, loop: Loop, count: int, changing: Changing) -> None:
    """Run the next iterations at once; where they conflict, let everything be as before."""
    depth, outermost = machine.lanes.depth, machine.lanes.depth == 0
    saved = _saved(machine)
    if outermost:
        machine.memory.begin()
    try:
        _run_lanes(machine, loop, count, changing)
    except Conflict:
        del machine.lanes.loops[depth:]
        _restore(machine, saved)
        raise


def _run_lanes(machine: Machine, loop: Loop, count: int, changing: Changing) -> None:
    """Run the body once for all lanes, and let variables be what they are after the last iteration."""
    machine.lanes.loops.append((loop.node, count))
    depth = machine.lanes.depth
    lane = np.arange(count).reshape(count, *(1,) * (depth - 1))
    started = [counter.variable.value for counter in changing.counters]
    for counter, start in zip(changing.counters, started, strict=True):
        counter.variable.value = _moved(start, lane * counter.step)
    sums = [
        carry(loop.node, name, variable, depth)
        for name in changing.others
        if (variable := machine.find(name)) is not None
    ]
    try:
        machine.execute(loop.body)
        if loop.following is not None:
            machine.evaluate(loop.following)
    except (Broken, Returned):
        raise Conflict(loop.node) from None
    for each in sums:
        each.finish(count, depth)
    machine.lanes.loops.pop()
    machine.memory.leave()
    for counter, start in zip(changing.counters, started, strict=True):
        counter.variable.value = _moved(start, count * counter.step)


def _changes(machine: Machine, loop: Loop) -> Changes:
    """What the loop changes, worked out once."""
    changes = machine.loop_changes.get(id(loop.node))
    if changes is None:
        changes = machine.loop_changes[id(loop.node)] = changes_of(loop.body, loop.following)
        machine.kept.append(loop.node)
    return changes


def _counters(machine: Machine, changes: Changes) -> list[Counter]:
    """The counters whose value and step are numbers now."""
    counters: list[Counter] = []
    for name, step in changes.counters.items():
        variable = machine.find(name)
        if variable is None or not only_variables(step.operand) or _number(variable.value) is None:
            continue
        amount = 1 if step.operand is None else machine.evaluate(step.operand)[0]
        if not isinstance(amount, int):
            continue
        if isinstance(variable.ctype, PointerType):
            amount *= size_of(variable.ctype.element)
        counters.append(Counter(variable, name, amount if step.op == "+" else -amount))
    return counters


def _count(machine: Machine, condition: c_ast.Node, counters: list[Counter], changes: Changes) -> int | None:
    """How often the loop runs; None where that cannot be told beforehand."""
    if not (isinstance(condition, c_ast.BinaryOp) and condition.op in {"<", "<=", ">", ">="}):
        return None
    sign = 1 if condition.op[0] == "<" else -1
    if not (isinstance(condition.left, c_ast.ID) and only_variables(condition.right)):
        return None
    name = condition.left.name
    counter = next((counter for counter in counters if counter.name == name), None)
    if counter is None or counter.step * sign <= 0 or names_in(condition.right) & {*changes.others, *changes.counters}:
        return None
    limit, limit_type = machine.evaluate(condition.right)
    start, end = _number(counter.variable.value), _number(limit)
    if start is None or end is None or not _same_object(counter.variable.value, limit):
        return None
    mixed = limit_type != counter.variable.ctype and isinstance(limit_type, IntType)
    if (mixed or counter.variable.ctype == U64) and min(int(np.min(start)), int(np.min(end))) < 0:
        return None
    distance = np.asarray((end - start) * sign + condition.op.endswith("="))
    if np.any(distance != distance.reshape(-1)[0]):
        raise machine.arithmetic.parts(distance)
    return max(0, -(-int(distance.reshape(-1)[0]) // abs(counter.step)))


def _same_object(a: Value | None, b: Value) -> bool:
    """Whether two values can be compared: both numbers, or addresses in one object."""
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return a.target is b.target
    return not isinstance(a, Pointer) and not isinstance(b, Pointer)


def _stays_in_type(counter: Counter, count: int) -> bool:
    """Whether a counter is a number of its type after all iterations, so that it never wraps."""
    ctype, start = counter.variable.ctype, _number(counter.variable.value)
    if not isinstance(ctype, IntType) or start is None:
        return isinstance(ctype, PointerType)
    end = start + count * counter.step
    return bool(ctype.least <= np.min(end) and np.max(end) <= ctype.most)


def _number(value: Value | None) -> Number | None:
    """A number, or the offset of an address."""
    if isinstance(value, Pointer):
        return None if isinstance(value.offset, tuple) else value.offset
    return value if is_number(value) else None


def _moved(value: Value | None, by: Number) -> Value:
    """A counter's value some steps later."""
    if isinstance(value, Pointer):
        assert not isinstance(value.offset, tuple)
        return Pointer(value.target, value.offset + by, value.ctype)
    assert isinstance(value, int | np.ndarray)
    return value + by


Saved = list[dict[str, tuple[Variable, Value | None, Value | None]]]
"""The variables of a function's scopes, their values, and copies of these that are structures."""


def _saved(machine: Machine) -> Saved:
    """The variables of the present function."""
    return [
        {name: (variable, variable.value, _copy(variable.value)) for name, variable in scope.items()}
        for scope in machine.scopes
    ]


def _copy(value: Value | None) -> Value | None:
    return Aggregate(list(value.items), value.width, value.depth) if isinstance(value, Aggregate) else value


def _restore(machine: Machine, saved: Saved) -> None:
    machine.scopes[:] = [{name: variable for name, (variable, *_) in scope.items()} for scope in saved]
    for scope in saved:
        for variable, value, copy in scope.values():
            variable.value = value
            if isinstance(value, Aggregate) and isinstance(copy, Aggregate):
                value.items[:], value.depth = copy.items, copy.depth
