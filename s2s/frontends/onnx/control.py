"""Control flow that is decided while the model is read, and Dropout, which inference leaves out."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.frontends.onnx.builder import Value
from s2s.frontends.onnx.elementwise import select
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.shape import reshape, unsqueeze
from s2s.frontends.onnx.slicing import concat, take


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
    body, operands = node.body("body"), list(node.operands)
    if node.since < 9:
        return _batched_scan(node)
    scanned = node.integer("num_scan_inputs")
    if not 0 < scanned <= len(operands):
        raise node.invalid(f"num_scan_inputs is {scanned} for {len(operands)} inputs", "fix it")
    states = [node.input(position) for position in range(len(operands) - scanned)]
    sequences = [node.input(position) for position in range(len(operands) - scanned, len(operands))]
    in_axes = node.integers("scan_input_axes", [0] * scanned)
    directions = node.integers("scan_input_directions", [0] * scanned)
    axes = [node.axis(axis, value.rank) for axis, value in zip(in_axes, sequences, strict=True)]
    lengths = {value.shape[axis] for axis, value in zip(axes, sequences, strict=True)}
    if len(lengths) != 1:
        raise node.invalid(f"sequences have lengths {sorted(lengths)}", "make them equal")
    length = lengths.pop()
    kept = len(body.output) - len(states)
    collected: list[list[Value]] = [[] for _ in range(kept)]
    for step in range(length):
        items = [
            _item(value, axis, length - 1 - step if backward else step)
            for value, axis, backward in zip(sequences, axes, directions, strict=True)
        ]
        outputs = node.run_body(body, [*states, *items])
        states = outputs[: len(states)]
        for values, value in zip(collected, outputs[len(states) :], strict=True):
            values.append(value)
    return [*states, *_joined(node, collected)]


def _joined(node: Node, collected: list[list[Value]]) -> list[Value]:
    """The values of all steps, one after the other along the axis the node asks for."""
    axes = node.integers("scan_output_axes", [0] * len(collected))
    directions = node.integers("scan_output_directions", [0] * len(collected))
    joined: list[Value] = []
    for values, axis, backward in zip(collected, axes, directions, strict=True):
        if not values:
            raise node.unsupported("runs over an empty sequence", "give a sequence with at least one element")
        at = node.axis(axis, values[0].rank + 1)
        ordered = reversed(values) if backward else values
        joined.append(concat([unsqueeze(value, [at]) for value in ordered], at))
    return joined


def _item(value: Value, axis: int, position: int) -> Value:
    part = take(value, axis, position, 1)
    return reshape(part, [*value.shape[:axis], *value.shape[axis + 1 :]])


def _batched_scan(node: Node) -> list[Value]:
    """Scan of opset 8: every operand has a batch dimension first, and the sequence dimension second."""
    raise node.unsupported("Scan of opset 8 is not supported", "convert the model to opset 9 or later")


def _dropout(node: Node) -> list[Value]:
    x = node.input(0)
    training = node.known_number(2, "training_mode") if node.since >= 12 else not node.flag("is_test", True)
    ratio = node.known_number(1, "ratio") if node.since >= 12 else 0.5
    if training and (ratio is None or ratio != 0):
        raise node.unsupported("is in training mode", "export the model for inference")
    mask = np.broadcast_to(np.ones((), np.bool_ if node.since >= 10 else x.dtype), x.shape)
    return [x, node.constant(mask)] if node.outputs() > 1 else [x]


IMPORTERS: Mapping[str, Importer] = {
    "Dropout": _dropout,
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
}
