"""Branches: `If`, by what its condition is known from.

A constant condition selects a branch while the model is read. Of one that is computed, or that follows from sizes of
axes, both branches become networks.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from onnx import GraphProto

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Builder, SizeInsideError, Value
from s2s.frontends.networks import BranchesDifferError, Formulas, Kind, Values, branch
from s2s.frontends.onnx.bodies import arguments_of
from s2s.frontends.onnx.branches import branch_of_sizes
from s2s.frontends.onnx.node import Node
from s2s.frontends.onnx.predicated import both_branches, found_axes
from s2s.types.dtypes import from_dense
from s2s.types.size import Size, alike, proves

_RELATIONS: Mapping[type[graph.CompareOp], str] = {
    graph.EqualOp: "==",
    graph.LessOp: "<",
    graph.LessEqualOp: "<=",
    graph.GreaterOp: ">",
    graph.GreaterEqualOp: ">=",
}


def either_branch(node: Node) -> Sequence[Value]:
    """Import the branch that the condition selects; both become networks if the condition is only known at run time."""
    condition = node.input(0)
    if prod(condition.shape) != 1:
        raise node.invalid(f"the condition has shape {list(condition.shape)}", "give one bool")
    if condition.array is not None:
        return node.run_body(node.body("then_branch" if condition.array.reshape(()).item() else "else_branch"), [])
    branches = _but_for_nothing(node, condition)
    return _either(node, condition) if branches is None else branches


def _but_for_nothing(node: Node, condition: Value) -> Sequence[Value] | None:
    """The results of the branch that all sizes but 0 select, where it gives of nothing what the other one does; None
    for any other condition."""
    chosen = _answer(node.builder, condition)
    if chosen is None:
        return None
    try:
        return branch(node.builder, node.builder.node, condition, *_branches(node))
    except BranchesDifferError as error:
        taken, other = (error.then, error.otherwise) if chosen else (error.otherwise, error.then)
        if not _hold_nothing(taken, other):
            return None
    return node.run_body(node.body("then_branch" if chosen else "else_branch"), [])


def _answer(builder: Builder, condition: Value) -> bool | None:
    """The answer that a comparison of a size with a number has at all sizes but 0, if it has one."""
    op = condition.ssa.owner if condition.ssa is not None else None
    while isinstance(op, graph.ReshapeOp):
        op = op.x.owner
    relation = _RELATIONS.get(type(op)) if isinstance(op, graph.CompareOp) else None
    if not isinstance(op, graph.CompareOp) or relation is None:
        return None
    sides = [_number(builder, each.owner) for each in op.operands]
    if sides[0] is None or sides[1] is None:
        return None
    return proves(sides[0], relation, sides[1], of_something=True)


def _number(builder: Builder, op: object) -> int | None:
    """The one number of the run, or the constant, that `op` gives."""
    if isinstance(op, graph.SizeValuesOp) and len(op.values) == 1:
        return builder.ledger.stated[op]["values"][0]
    return int(from_dense(op.value).item()) if isinstance(op, graph.ConstantOp) else None


def _hold_nothing(taken: Sequence[Kind], other: Sequence[Kind]) -> bool:
    """Whether the results of the other branch equal the results that the taken branch gives for nothing: of the same
    rank, and without elements along the axes that differ."""
    return all(
        one.type.element_type == two.type.element_type
        and one.type.get_num_dims() == two.type.get_num_dims()
        and all(map(_is_of_nothing, one.type.get_shape(), two.type.get_shape()))
        for one, two in zip(taken, other, strict=True)
    )


def _is_of_nothing(size: int, other: int) -> bool:
    """Whether two sizes are equal, or both are sizes of no elements."""
    return alike([size], [other]) or (isinstance(size, Size) and size.of_nothing == other == 0)


def _branches(node: Node) -> tuple[Formulas, Formulas, list[Value]]:
    """The branches of a node as networks, and what they read from outside."""
    then, otherwise = node.body("then_branch"), node.body("else_branch")
    outside = node.bodies.captures(then, otherwise)

    def formulas(body: GraphProto) -> Callable[[Builder, Values], Values]:
        return lambda inner, values: node.bodies.run_inside(body, inner, [], arguments_of(outside, values))

    return formulas(then), formulas(otherwise), list(outside.values())


def _either(node: Node, condition: Value) -> Sequence[Value]:
    """The results of the branch that a run selects."""
    then, otherwise, inputs = _branches(node)
    branches = then, otherwise
    before = len(node.builder.functions)
    try:
        if node.builder.probed_room is not None and _select(node, branches, inputs):
            return both_branches(node, condition, branches, inputs)
        try:
            return branch(node.builder, node.builder.node, condition, *branches, inputs)
        except BranchesDifferError as error:
            return branch_of_sizes(node, condition, branches, (error.then, error.otherwise), inputs)
        except SizeInsideError:
            del node.builder.functions[before:]
            if node.builder.is_inner:
                raise
            return both_branches(node, condition, branches, inputs)
    except InputError as error:
        if "--bind" in str(error):
            raise
        raise InputError(
            f"{node.place}: a branch, whose condition is computed at run time, does not fit ({error}); "
            "if an input decides on it, give its number, as in --bind NAME=NUMBER"
        ) from error


def _select(node: Node, branches: tuple[Formulas, Formulas], inputs: Sequence[Value]) -> bool:
    """Whether a branch has a result whose size depends on the data."""
    return any(axes for formulas in branches for axes in found_axes(node, formulas, inputs))


__all__ = ["either_branch"]
