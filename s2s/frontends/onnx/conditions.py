"""Branches: `If`, by what its condition is known from.

A constant condition selects a branch while the model is read. One that follows from sizes of axes may be another one in
another run. Of one that is computed both branches become networks.
"""

from collections.abc import Callable, Sequence
from math import prod

from onnx import GraphProto

from s2s.errors import InputError
from s2s.frontends.builder import Builder, SizeInsideError, Value
from s2s.frontends.networks import BranchesDifferError, Formulas, Kind, Values, branch
from s2s.frontends.onnx.bodies import arguments_of
from s2s.frontends.onnx.branches import branch_of_sizes
from s2s.frontends.onnx.node import Node
from s2s.frontends.onnx.predicated import both_branches, found_axes
from s2s.types.sizes import OR_NOTHING


def either_branch(node: Node) -> Sequence[Value]:
    """Import the branch that the condition selects; both become networks if the condition is only known at run time."""
    condition = node.input(0)
    if prod(condition.shape) != 1:
        raise node.invalid(f"the condition has shape {list(condition.shape)}", "give one bool")
    if condition.array is not None:
        found = _of_a_size(node, condition)
        return _taken(node, condition) if found is None else found
    return _either(node, condition)


def _taken(node: Node, condition: Value) -> Sequence[Value]:
    """The results of the branch that a known condition selects."""
    assert condition.array is not None
    return node.run_body(node.body("then_branch" if condition.array.reshape(()).item() else "else_branch"), [])


def _of_a_size(node: Node, condition: Value) -> Sequence[Value] | None:
    """The results of the branch that a run selects by a size, where the network computes sizes and both branches
    give tensors of one shape. None where the branch of the greatest sizes stands for both: which it is, is noted, to be
    compared at smaller sizes."""
    assert condition.array is not None
    if not (condition.sized and condition.kept):
        return None
    builder, chosen = node.builder, bool(condition.array.reshape(()).item())
    decided = "then" if chosen else "else"
    if builder.computes_sizes:
        try:
            found = node.bodies.attempt(lambda: branch(builder, builder.node, condition, *_branches(node)))
        except BranchesDifferError as error:
            taken, other = (error.then, error.otherwise) if chosen else (error.otherwise, error.then)
            decided = f"{decided}{OR_NOTHING}" if _holds_nothing(taken, other) else decided
        else:
            if found is not None:
                return found
    builder.decided[builder.node] = decided
    return None


def _holds_nothing(taken: Sequence[Kind], other: Sequence[Kind]) -> bool:
    """Whether the results of the other branch equal the results that the taken branch gives for nothing: of the same
    rank, and without elements along the axes that differ."""
    return all(
        one.type.element_type == two.type.element_type
        and one.type.get_num_dims() == two.type.get_num_dims()
        and all(b in (a, 0) for a, b in zip(one.type.get_shape(), two.type.get_shape(), strict=True))
        for one, two in zip(taken, other, strict=True)
    )


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
