"""Control flow: branches and loops over bodies.

A body becomes a network of its own that runs as often as the model says. It is imported in place, step after step,
where that is one step, or where the types of what it carries change from step to step.
"""

from collections.abc import Mapping, Sequence
from itertools import count as numbers_from
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.errors import EndsEarly, UnknownValueError
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, concat, equal, less, reshape, select, take, transpose, unsqueeze
from s2s.frontends.networks import TypesChangeError, Values, repeat, scan
from s2s.frontends.onnx import trip_counts
from s2s.frontends.onnx.bodies import arguments_of
from s2s.frontends.onnx.narrow import marked
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.selection import true_places
from s2s.types.size import Size, greatest, integer_of, is_empty


def _if(node: Node) -> Sequence[Value]:
    from s2s.frontends.onnx.conditions import either_branch

    return either_branch(node)


def _loop(node: Node) -> list[Value]:
    """A scan where the number of steps is known, else a loop that tests its condition."""
    limit, going = node.optional(0), node.optional(1)
    carried = [node.input(position) for position in range(2, len(node.operands))]
    _check_limits(node, limit, going)
    known = going is None or going.array is not None
    if going is not None and going.array is not None and not going.array.any():
        return _unrolled_loop(node, 0, carried)
    steps = None if limit is None or limit.array is None else max(integer_of(limit.array.reshape(()).item()), 0)
    several = steps is not None and _are_several(steps)
    collects = len(node.proto.output) > len(carried)
    try:
        if known and steps is not None and several and (found := _counted_loop(node, steps, carried)) is not None:
            return found
        if not collects and (steps is None or several):
            return _tested_loop(node, limit, going, carried, [])
        if steps is not None and several:
            return _collected(node, steps, limit, going, carried)
    except TypesChangeError as error:
        if not known or (steps is None and limit is not None):
            raise node.waits(str(error), "or make the trip count and the condition constants") from None
    if steps is None and limit is not None:
        most = trip_counts.greatest(node.builder.materialize(limit))
        if most is not None:
            return _collecting_loop(node, most, limit, going, carried) if most > 0 else _unrolled_loop(node, 0, carried)
    if not known or (steps is None and limit is not None):
        raise node.waits(
            "collects the values of a number of steps that is computed at run time, without a bound",
            "bound the trip count by Min with a constant, or make the trip count and the condition constants",
        )
    return _unrolled_loop(node, steps, carried)


def _are_several(steps: int) -> bool:
    """Whether a loop is a network of its own: one of a single step is imported in place, of a size it may be."""
    return isinstance(steps, Size) or steps > 1


def _collected(node: Node, steps: int, limit: Value | None, going: Value | None, carried: list[Value]) -> list[Value]:
    """A loop of at most `steps` steps that collects values: in place as long as it is known to go on, else one that
    tests its condition."""
    if going is None or going.array is not None:
        try:
            return _unrolled_loop(node, steps, carried)
        except _UnknownEndError:
            pass
    return _collecting_loop(node, steps, limit, going, carried)


def _check_limits(node: Node, limit: Value | None, going: Value | None) -> None:
    """Refuse a loop that nothing limits, or that more than one number does."""
    if limit is None and going is None:
        raise node.invalid("has neither a trip count nor a condition", "give one")
    for value in (limit, going):
        if value is not None and prod(value.shape) != 1:
            raise node.invalid(f"its trip count or condition has shape {list(value.shape)}", "give one number")


class _UnknownEndError(UnknownValueError):
    """Whether a loop goes on is known at run time only."""


class _StopsEarlyError(EndsEarly):
    """The condition that a body returns is not known to hold."""


def _counted_loop(node: Node, steps: int, carried: list[Value]) -> list[Value] | None:
    """A loop whose condition always holds; None for another."""
    body = node.body("body")
    outside = node.bodies.captures(body)
    node.require_small(steps, "the trip count")

    def step(inner: Builder, state: Values, slices: Values, kept: Values) -> tuple[Values, Values]:
        inner.counts[inner.materialize(slices[0])] = range(*greatest([steps]))
        inputs = [slices[0], inner.constant(np.asarray(True)), *state]
        going, *outputs = node.bodies.run_inside(body, inner, inputs, arguments_of(outside, kept))
        if going.array is None or not going.array.all():
            raise _StopsEarlyError
        return outputs[: len(state)], outputs[len(state) :]

    try:
        last, parts = scan(
            node.builder,
            node.builder.node,
            step,
            carried=carried,
            scanned=[node.counted(steps, np.dtype(np.int64))],
            kept=list(outside.values()),
            steps=steps,
        )
    except _StopsEarlyError:
        return None
    return [*last, *parts]


def _collecting_loop(
    node: Node, steps: int, limit: Value | None, going: Value | None, carried: list[Value]
) -> list[Value]:
    """A loop of at most `steps` steps that collects a value in each: the rows that were written of tables with room for
    all steps. One step is imported in place, only for the types of the values."""
    first = node.run_body(node.body("body"), [node.constant(0, np.int64), node.constant(True), *carried])
    collected = first[1 + len(carried) :]
    (steps,) = greatest([steps])
    node.require_small(steps * sum(max(prod(value.shape), 1) for value in collected), "what the loop collects")
    tables = [_table(value, steps) for value in collected]
    taken, *found = _tested_loop(node, limit, going, carried, tables)
    places = true_places(less(node.constant(np.arange(steps, dtype=np.int64)), taken))
    rows = [marked(emit(graph.GatherOp, table, places, axis=0), table.narrow) for table in found[len(carried) :]]
    return [*found[: len(carried)], *rows]


def _table(row: Value, steps: int) -> Value:
    """Room for as many values like `row`."""
    return marked(row.builder.filled(0, (steps, *row.shape), row.dtype), row.narrow)


def _with_row(table: Value, at: Value, row: Value) -> Value:
    """`table` with `row` at position `at` of its first dimension."""
    numbers = np.arange(table.shape[0], dtype=np.int64).reshape(-1, *[1] * row.rank)
    return marked(select(equal(table.builder.constant(numbers), at), unsqueeze(row, [0]), table), row.narrow)


def _tested_loop(
    node: Node, limit: Value | None, going: Value | None, carried: list[Value], tables: list[Value]
) -> list[Value]:
    """A loop whose number of steps is known at run time only: what it carries after the last step. With `tables`, into
    which each step writes a row, it gives first the number of steps, and the tables last."""
    body, count = node.body("body"), len(carried) + len(tables)
    outside = node.bodies.captures(body)
    first = node.constant(np.zeros((), np.int64))
    test = node.constant(np.asarray(True)) if going is None else reshape(going, [])
    most = node.constant(np.iinfo(np.int64).max, np.int64) if limit is None else reshape(limit, [])
    if node.builder.taken is not None:
        test = emit(graph.LogicalAndOp, test, node.builder.taken)

    def condition(inner: Builder, values: Values) -> Values:
        at, still, most = values[0], values[1], values[2 + count]
        return [emit(graph.LogicalAndOp, still, less(at, most))]

    def step(inner: Builder, values: Values) -> Values:
        at, state = values[0], values[2 : 2 + len(carried)]
        if limit is not None and limit.array is not None:
            inner.counts[inner.materialize(at)] = range(*greatest([integer_of(limit.array.item())]))
        inside = arguments_of(outside, values[3 + count :])
        still, *outputs = node.bodies.run_inside(body, inner, [at, inner.constant(np.asarray(True)), *state], inside)
        if limit is None and still.array is not None and still.array.any():
            raise node.unsupported("never ends", "give a trip count, or a condition that changes")
        written = values[2 + len(carried) : 2 + count]
        rows = [_with_row(table, at, row) for table, row in zip(written, outputs[len(carried) :], strict=True)]
        return [at + 1, reshape(cast(still, np.dtype(np.bool_)), []), *outputs[: len(carried)], *rows]

    kept = [most, *outside.values()]
    found = repeat(node.builder, node.builder.node, condition, step, [first, test, *carried, *tables], kept)
    return [found[0], *found[2:]] if tables else found[2:]


def _unrolled_loop(node: Node, steps: int | None, carried: list[Value]) -> list[Value]:
    """Step after step: the condition must be known; without a number of steps, it ends the loop."""
    body = node.body("body")
    going = node.constant(True)
    collected: list[list[Value]] = [[] for _ in range(len(node.proto.output) - len(carried))]
    for step in numbers_from() if steps is None else range(steps):
        outputs = node.run_body(body, [node.constant(step, np.int64), going, *carried])
        going, carried = outputs[0], outputs[1 : 1 + len(carried)]
        for values, value in zip(collected, outputs[1 + len(carried) :], strict=True):
            values.append(value)
        if step + 1 != steps and not _goes_on(node, going):
            break
    if collected and not collected[0]:
        raise node.unsupported("collects the values of no step at all", "give a trip count above 0")
    return [*carried, *(_stacked(values) for values in collected)]


def _goes_on(node: Node, condition: Value) -> bool:
    if condition.array is None:
        raise _UnknownEndError(
            f"{node.place}: whether it goes on is computed at run time; keep the types of what it carries from step to "
            "step"
        )
    return bool(condition.array.reshape(-1)[:1].any())


def _scan(node: Node) -> list[Value]:
    operands = node.inputs() if node.since >= 9 else [node.input(i) for i in range(1, len(node.operands))]
    scanned = node.integer("num_scan_inputs")
    if not 0 < scanned <= len(operands):
        raise node.invalid(f"num_scan_inputs is {scanned} for {len(operands)} inputs", "fix it")
    states, sequences = operands[:-scanned], operands[-scanned:]
    if node.since < 9:
        return _batched_scan(node, states, sequences)
    axes = node.integers("scan_input_axes", [0] * scanned)
    directions = node.integers("scan_input_directions", [0] * scanned)
    if len(axes) != scanned or len(directions) != scanned:
        raise node.invalid(f"has not {scanned} scan_input_axes and scan_input_directions", "fix them")
    axes = [node.axis(axis, value.rank) for axis, value in zip(axes, sequences, strict=True)]
    outputs = len(node.body("body").output) - len(states)
    out_axes = node.integers("scan_output_axes", [0] * outputs)
    out_directions = node.integers("scan_output_directions", [0] * outputs)
    if len(out_axes) != outputs or len(out_directions) != outputs:
        raise node.invalid(f"has not {outputs} scan_output_axes and scan_output_directions", "fix them")
    fronted = [_moved(value, axis, 0) for value, axis in zip(sequences, axes, strict=True)]
    states, stacked = _steps(node, states, fronted, directions, out_directions)
    placed = [_moved(value, 0, node.axis(axis, value.rank)) for value, axis in zip(stacked, out_axes, strict=True)]
    return [*states, *placed]


def _batched_scan(node: Node, states: list[Value], sequences: list[Value]) -> list[Value]:
    """Scan of opset 8: the first dimension of every operand is the batch, the second the sequence."""
    if node.optional(0) is not None:
        raise node.unsupported("sequence_lens is given", "convert the model to opset 9 or later")
    if any(value.rank == 0 for value in states) or any(value.rank < 2 for value in sequences):
        raise node.invalid("an operand has no batch or no sequence dimension", "fix the shapes")
    directions = node.integers("directions", [0] * len(sequences))
    if len(directions) != len(sequences):
        raise node.invalid(f"has {len(directions)} directions for {len(sequences)} sequences", "fix them")
    if is_empty(sequences[0].shape[:1]):
        raise node.unsupported("has a batch of no sequences", "give one at least, or convert the model to opset 9")
    rows: list[list[Value]] = []
    for number in range(sequences[0].shape[0]):
        ours = [_item(node, value, number) for value in (*states, *sequences)]
        forward = [0] * (len(node.body("body").output) - len(states))
        last, stacked = _steps(node, ours[: len(states)], ours[len(states) :], directions, forward)
        rows.append([*last, *stacked])
    return [_stacked(column) for column in zip(*rows, strict=True)]


def _steps(
    node: Node, states: list[Value], sequences: list[Value], directions: list[int], out_directions: list[int]
) -> tuple[list[Value], list[Value]]:
    """The states after the last step, and what the steps gave, stacked in front; sequences are sliced in front."""
    body = node.body("body")
    lengths = {value.shape[0] for value in sequences}
    if len(lengths) != 1:
        raise node.invalid(f"sequences have lengths {sorted(lengths)}", "make them equal")
    length = lengths.pop()
    if is_empty([length]):
        raise node.unsupported("runs over an empty sequence", "give a sequence with at least one element")
    outside = node.bodies.captures(body)

    def step(inner: Builder, state: Values, slices: Values, kept: Values) -> tuple[Values, Values]:
        outputs = node.bodies.run_inside(body, inner, [*state, *slices], arguments_of(outside, kept))
        return outputs[: len(state)], outputs[len(state) :]

    if _are_several(length):
        backward = [at for at, way in enumerate([*directions, *out_directions]) if way]
        try:
            return scan(
                node.builder,
                node.builder.node,
                step,
                carried=states,
                scanned=sequences,
                kept=list(outside.values()),
                steps=length,
                backward=backward,
            )
        except TypesChangeError:
            pass
    collected: list[list[Value]] = [[] for _ in range(len(body.output) - len(states))]
    for number in range(length):
        items = [
            _item(node, value, length - 1 - number if backward else number)
            for value, backward in zip(sequences, directions, strict=True)
        ]
        outputs = node.run_body(body, [*states, *items])
        states = outputs[: len(states)]
        for values, value in zip(collected, outputs[len(states) :], strict=True):
            values.append(value)
    ordered = [values[::-1] if way else values for values, way in zip(collected, out_directions, strict=True)]
    return states, [_stacked(values) for values in ordered]


def _stacked(values: Sequence[Value]) -> Value:
    return marked(concat([unsqueeze(value, [0]) for value in values], 0), values[0].narrow)


def _moved(value: Value, source: int, target: int) -> Value:
    """`value` with dimension `source` moved to `target`."""
    order = [axis for axis in range(value.rank) if axis != source]
    order.insert(target, source)
    return marked(transpose(value, order), value.narrow)


def _item(node: Node, value: Value, position: int) -> Value:
    """The part of `value` at `position` of its first dimension, without that dimension."""
    if position >= value.shape[0]:
        raise node.invalid("operands differ in size along axis 0", "make them equal")
    return marked(reshape(take(value, 0, position, 1), value.shape[1:]), value.narrow)


IMPORTERS: Mapping[str, Importer] = {
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
}
