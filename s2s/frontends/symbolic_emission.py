"""Build operations whose properties or constant operands are sizes (`types/size.py`), or evaluate them.

Slice (x, [0], [N - 1])    a slice whose type and stated sizes are symbols
Add ([N], [1])             the constant [N + 1]
Maximum ([N - 12], [0])    no expression that is exact at all sizes: an operation of the run
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from s2s.dialects import graph
from s2s.dialects.graph.traits import FusionKind, fusion_kind
from s2s.frontends.size_arithmetic import evaluated
from s2s.interpret.graph import evaluate
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, tensor_type
from s2s.types.shapes import reduce, shape
from s2s.types.size import Ledger, Size, all_plain, at_greatest, greatest, is_size

MakeOperation: TypeAlias = Callable[..., Operation]
Properties: TypeAlias = Mapping[str, object]
Nested: TypeAlias = Sequence[Any]
"""What stands for each operand: one of its type, a list where an operand is a row of tensors, None where none is."""


def _top_k(x: AnyTensor, *, count: int, smallest: bool) -> AnyTensor:
    """The type of the places of the `count` largest elements, or smallest ones."""
    return reduce.top_k(x, count)


_STATED: Mapping[MakeOperation, Callable[..., AnyTensor]] = {
    graph.SliceOp: shape.slice,
    graph.BroadcastToOp: shape.broadcast_to,
    graph.ReshapeOp: shape.reshape,
    graph.TopKOp: _top_k,
}
"""The type rules of operations that state the shape of their result."""


def symbolic_operation(
    operation: MakeOperation, operands: Sequence[object], properties: Properties, types: Nested, ledger: Ledger
) -> Operation:
    """Return an operation on operands of these types. A property that is a size has to be one that its
    type rule takes; the operation holds the greatest value, and the ledger the size."""
    stated = {name: value for name, value in properties.items() if is_size(value)}
    rule = _STATED.get(operation) if stated else None
    if rule is None:
        return operation(*operands, **properties)
    type = rule(types[0], **properties)
    with ledger.answering():
        op = operation(*operands, **_plain(properties, at_greatest))
    Rewriter.replace_value_with_new_type(op.results[0], type)
    ledger.stated[op] = stated
    return op


class Folded(NamedTuple):
    """The result of an operation on constants: integers and sizes, or a table of which a run reads the first elements
    along axes of `type` that are sizes."""

    array: Array
    type: AnyTensor


def folded(
    operation: MakeOperation,
    types: Nested,
    properties: Properties,
    arrays: Nested,
    may_fold: Callable[[Operation], bool],
) -> Folded | None:
    """Return the result of an operation on constants; None if it is computed in the run, as where an operand has no
    array, or where one holds sizes and another is a table. Of tables only those results are folded whose first elements
    follow from the first ones of the operands."""
    known: list[Array] = _one_by_one(arrays)
    if len(known) < len(_one_by_one(types)):
        return None
    op = operation(*_arguments(types, plain=True), **_plain(properties))
    if any(array.dtype == object for array in known):
        if any(not all_plain(type.get_shape()) for type in _one_by_one(types)):
            return None
        array = evaluated(op, known)
        return None if array is None else Folded(array, as_tensor_type(op.results[0].type))
    if (not isinstance(op, graph.BroadcastToOp) and fusion_kind(op) > FusionKind.BROADCAST) or not may_fold(op):
        return None
    rule = _STATED.get(operation)
    if rule is not None:
        return Folded(evaluate(op, known)[0], rule(types[0], **properties))
    sized = operation(*_arguments(types, plain=False), **properties)
    return Folded(evaluate(op, known)[0], as_tensor_type(sized.results[0].type))


def _one_by_one(nested: Nested) -> list[Any]:
    """Return the replacements of operands one by one, without the operands that are left out."""
    parts: list[list[Any]] = [each if isinstance(each, list) else [each] for each in nested]
    return [each for part in parts for each in part if each is not None]


def _arguments(types: Nested, *, plain: bool) -> list[object]:
    """Return arguments of these types, with the greatest values of sizes if they are to be plain."""
    arguments: list[object] = []
    for type in types:
        if type is None:
            arguments.append(None)
            continue
        row = [_argument(each, plain=plain) for each in _one_by_one([type])]
        arguments.append(row if isinstance(type, list) else row[0])
    return arguments


def _argument(type: AnyTensor, *, plain: bool) -> SSAValue:
    shape = type.get_shape()
    return Block(arg_types=[tensor_type(type.element_type, tuple(greatest(shape) if plain else shape))]).args[0]


def _plain(properties: Properties, plain: Callable[[Sequence[int]], list[int]] = greatest) -> dict[str, object]:
    """Return properties with plain numbers for sizes."""
    return {name: _of_sizes(value, plain) if is_size(value) else value for name, value in properties.items()}


def _of_sizes(value: Any, plain: Callable[[Sequence[int]], list[int]]) -> object:
    return plain([value])[0] if isinstance(value, Size) else plain(value)
