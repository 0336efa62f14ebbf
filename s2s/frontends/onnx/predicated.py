"""Branches that select elements: both are computed, and a run takes the results of one.

A network that another one runs has no result whose size depends on the data, so both branches are imported in place.
Masks are predicated: a branch that is not taken finds nothing, so that its results are empty along the axes of what is
found, and those of both branches are concatenated there. Other results are selected:

    y, n = If (c) <then: Compress (x, m) and 1, else: z of 2 rows and 0>
->
    y = Concat (Compress (x, m and c), Compress (z, [not c, not c]))
    n = Where (c, 1, 0)
"""

from collections.abc import Sequence

from onnx import GraphProto

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import broadcast_to, concat, reshape, select
from s2s.frontends.networks import Formulas, Values, kinds_of, network
from s2s.frontends.onnx.narrow import marked
from s2s.frontends.onnx.node import Node
from s2s.frontends.selection import true_places
from s2s.types.size import alike, is_empty

Shape = tuple[int, ...]


def both_branches(
    node: Node, condition: Value, branches: tuple[Formulas, Formulas], inputs: Sequence[Value]
) -> list[Value]:
    """The results of that one of two branches, each computed in place, which a run takes."""
    yes = reshape(condition, [])
    sides = yes, emit(graph.LogicalNotOp, yes)
    axes = [found_axes(node, formulas, inputs) for formulas in branches]
    bodies = node.body("then_branch"), node.body("else_branch")
    results = [_in_place(node, body, side) for body, side in zip(bodies, sides, strict=True)]
    pairs = zip(zip(*results, strict=True), zip(*axes, strict=True), strict=True)
    return [_taken(node, sides, values, found) for values, found in pairs]


def _in_place(node: Node, body: GraphProto, condition: Value) -> list[Value]:
    """The results of a branch that finds nothing unless `condition` holds."""
    builder, outer = node.builder, node.builder.taken
    builder.taken = condition if outer is None else emit(graph.LogicalAndOp, outer, condition)
    try:
        return node.run_body(body, [])
    finally:
        builder.taken = outer


def found_axes(node: Node, formulas: Formulas, inputs: Sequence[Value]) -> list[list[int]]:
    """For each result of a branch the axes that are as long as what is found: twice as long where there is room for
    twice as many."""
    once, twice = (_shapes(node, formulas, inputs, room) for room in (1, 2))
    found: list[list[int]] = []
    for one, two in zip(once, twice, strict=True):
        axes = [axis for axis, sizes in enumerate(zip(one, two, strict=True)) if sizes[0] != sizes[1]]
        if len(axes) > 1 or any(2 * one[axis] != two[axis] for axis in axes):
            raise node.unsupported(
                "a result of a branch has an axis of which a part is found in the data, or several such axes",
                "return what is found, and put it together outside of the branch",
            )
        found.append(axes)
    return found


def _shapes(node: Node, formulas: Formulas, inputs: Sequence[Value], room: int) -> list[Shape]:
    """The shapes of the results of a branch with `room` times the room for its findings."""
    builder, before = node.builder, len(node.builder.functions)

    def probed(inner: Builder, values: Values) -> Sequence[Value]:
        inner.probed_room = room
        return formulas(inner, values)

    try:
        return [value.shape for value in network(builder, builder.node, kinds_of(inputs), probed)[1]]
    finally:
        del builder.functions[before:]


def _taken(node: Node, sides: tuple[Value, Value], values: tuple[Value, Value], found: Sequence[list[int]]) -> Value:
    """That one of two values whose side holds; `found` are the axes along which each is empty where its does not."""
    (one, other), narrow = values, values[0].narrow
    fits = one.element == other.element and narrow == other.narrow and one.rank == other.rank
    differ = [
        axis for axis in range(one.rank) if fits and not alike(one.shape[axis : axis + 1], other.shape[axis : axis + 1])
    ]
    axes = sorted({*found[0], *found[1], *differ})
    if not fits or len(axes) > 1 or one.texts is not None or other.texts is not None:
        raise node.waits(
            f"the branches give {one.type} and {other.type}, of sizes that depend on the data",
            "make the condition a constant, or let the outputs differ along one axis only",
        )
    if not axes:
        return one if is_empty(one.shape) else marked(select(sides[0], one, other), narrow)
    axis = axes[0]
    parts = [
        marked(value if axis in own else _predicated(value, axis, side), narrow)
        for value, side, own in zip(values, sides, found, strict=True)
        if not is_empty(value.shape[axis : axis + 1])
    ]
    return marked(concat(parts, axis), narrow)


def _predicated(value: Value, axis: int, condition: Value) -> Value:
    """`value`, or nothing of it along `axis` unless `condition` holds."""
    places = true_places(broadcast_to(condition, [value.shape[axis]]))
    return emit(graph.GatherOp, value, places, axis=axis)
