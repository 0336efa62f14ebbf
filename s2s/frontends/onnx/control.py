"""Control flow that is decided while the model is read, and Dropout, which inference leaves out."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.formulas import concat, reshape, select, take, unsqueeze
from s2s.frontends.onnx.node import Importer, Node


def _if(node: Node) -> Sequence[Value]:
    """The branch a constant condition picks; else both are computed and one result is selected."""
    condition = node.input(0)
    if condition.array is not None:
        if condition.array.size != 1:
            raise node.invalid(f"the condition has shape {list(condition.shape)}", "give one bool")
        return node.run_body(node.body("then_branch" if condition.array.reshape(()).item() else "else_branch"), [])
    yes, no = node.run_body(node.body("then_branch"), []), node.run_body(node.body("else_branch"), [])
    if [value.type for value in yes] != [value.type for value in no]:
        raise node.unsupported(
            "the branches give different shapes or types, and the condition is computed at run time",
            "make the condition a constant, or the outputs equal in shape",
        )
    chosen = reshape(condition, [])
    return [a if a is b else select(chosen, a, b) for a, b in zip(yes, no, strict=True)]


def _loop(node: Node) -> list[Value]:
    """Unrolled: the number of steps must be known."""
    limit = node.known_number(0, "the trip count")
    going: Value | None = node.optional(1)
    carried = [node.input(position) for position in range(2, len(node.operands))]
    body = node.body("body")
    if limit is None and going is None:
        raise node.invalid("has neither a trip count nor a condition", "give one")
    collected: list[list[Value]] = [[] for _ in range(len(node.proto.output) - len(carried))]
    step = 0
    while (limit is None or step < limit) and _goes_on(node, going):
        count = node.constant(step, np.int64)
        outputs = node.run_body(body, [count, going or node.constant(True), *carried])
        going, carried = outputs[0], outputs[1 : 1 + len(carried)]
        for values, value in zip(collected, outputs[1 + len(carried) :], strict=True):
            values.append(value)
        step += 1
    if step == 0 and collected:
        raise node.unsupported("collects the values of no step at all", "give a trip count above 0")
    return [*carried, *(concat([unsqueeze(value, [0]) for value in values], 0) for values in collected)]


def _goes_on(node: Node, condition: Value | None) -> bool:
    if condition is None:
        return True
    if condition.array is None:
        raise node.unsupported(
            "whether it goes on is computed at run time", "use a loop with a constant trip count and condition"
        )
    return bool(condition.array.reshape(-1)[:1].any())


def _scan(node: Node) -> list[Value]:
    """Unrolled over the length of its sequences."""
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
    states, collected = _steps(node, states, sequences, axes, directions)
    out_axes = node.integers("scan_output_axes", [0] * len(collected))
    out_directions = node.integers("scan_output_directions", [0] * len(collected))
    return [*states, *_joined(node, collected, out_axes, out_directions)]


def _batched_scan(node: Node, states: list[Value], sequences: list[Value]) -> list[Value]:
    """Scan of opset 8: the first dimension of every operand is the batch, the second that of the sequence."""
    if node.optional(0) is not None:
        raise node.unsupported("sequence_lens is given", "convert the model to opset 9 or later")
    if any(value.rank == 0 for value in states) or any(value.rank < 2 for value in sequences):
        raise node.invalid("an operand has no batch or no sequence dimension", "fix the shapes")
    directions = node.integers("directions", [0] * len(sequences))
    if len(directions) != len(sequences):
        raise node.invalid(f"has {len(directions)} directions for {len(sequences)} sequences", "fix them")
    rows: list[list[Value]] = []
    for number in range(sequences[0].shape[0]):
        ours = [_item(node, value, 0, number) for value in (*states, *sequences)]
        last, collected = _steps(node, ours[: len(states)], ours[len(states) :], [0] * len(sequences), directions)
        rows.append([*last, *_joined(node, collected, [0] * len(collected), [0] * len(collected))])
    return [concat([unsqueeze(value, [0]) for value in column], 0) for column in zip(*rows, strict=True)]


def _steps(
    node: Node, states: list[Value], sequences: list[Value], axes: list[int], directions: list[int]
) -> tuple[list[Value], list[list[Value]]]:
    """The states after the last step, and what each step gave."""
    body = node.body("body")
    lengths = {value.shape[axis] for axis, value in zip(axes, sequences, strict=True)}
    if len(lengths) != 1:
        raise node.invalid(f"sequences have lengths {sorted(lengths)}", "make them equal")
    length = lengths.pop()
    collected: list[list[Value]] = [[] for _ in range(len(body.output) - len(states))]
    for step in range(length):
        items = [
            _item(node, value, axis, length - 1 - step if backward else step)
            for value, axis, backward in zip(sequences, axes, directions, strict=True)
        ]
        outputs = node.run_body(body, [*states, *items])
        states = outputs[: len(states)]
        for values, value in zip(collected, outputs[len(states) :], strict=True):
            values.append(value)
    return states, collected


def _joined(node: Node, collected: list[list[Value]], axes: list[int], directions: list[int]) -> list[Value]:
    """The values of all steps, one after the other along the axis of each output."""
    if len(axes) != len(collected) or len(directions) != len(collected):
        raise node.invalid(f"has not {len(collected)} scan_output_axes and scan_output_directions", "fix them")
    joined: list[Value] = []
    for values, axis, backward in zip(collected, axes, directions, strict=True):
        if not values:
            raise node.unsupported("runs over an empty sequence", "give a sequence with at least one element")
        at = node.axis(axis, values[0].rank + 1)
        ordered = reversed(values) if backward else values
        joined.append(concat([unsqueeze(value, [at]) for value in ordered], at))
    return joined


def _item(node: Node, value: Value, axis: int, position: int) -> Value:
    """The part of `value` at `position` along `axis`, without that axis."""
    if position >= value.shape[axis]:
        raise node.invalid(f"operands differ in size along axis {axis}", "make them equal")
    part = take(value, axis, position, 1)
    return reshape(part, [*value.shape[:axis], *value.shape[axis + 1 :]])


def _dropout(node: Node) -> list[Value]:
    x = node.input(0)
    if not _drops_nothing(node):
        raise node.unsupported("is in training mode", "export the model for inference")
    mask = np.broadcast_to(np.ones((), np.bool_ if node.since >= 10 else x.dtype), x.shape)
    return [x, node.constant(mask)] if node.outputs() > 1 else [x]


def _drops_nothing(node: Node) -> bool:
    """Whether this is inference, or nothing is dropped; before opset 12, engines knew nothing else."""
    if node.since < 12:
        return True
    training, ratio = node.optional(2), node.optional(1)
    never = training is None or (training.array is not None and not training.array.any())
    return never or (ratio is not None and ratio.array is not None and not ratio.array.any())


IMPORTERS: Mapping[str, Importer] = {
    "Dropout": _dropout,
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
}
