"""The meaning of loops and conditions."""

from collections.abc import Callable, Sequence

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineMap

from s2s.dialects import loop
from s2s.interpret.affine import Frame, Position, position
from s2s.interpret.loop.operations import MEANINGS, translate_block
from s2s.interpret.loop.scope import Scope, Step


@MEANINGS.register(loop.ForOp)
def for_loop(scope: Scope, op: loop.ForOp) -> Step:
    """`loop.for`."""
    dims = scope.operands(op.dims)
    lower, upper = _bound(op.lower.data, dims, max), _bound(op.upper.data, dims, min)
    stride, down = op.step.value.data, op.down is not None
    inits = scope.operands(op.inits)
    index, *carried = [scope.new(argument) for argument in op.body.block.args]
    body = translate_block(scope, op.body.block)
    yielded = _yielded(scope, op.body.block)
    results = [scope.new(result) for result in op.results]
    begin, carry, end = _move(inits, carried), _move(yielded, carried), _move(carried, results)
    body = (*body, carry) if carried else body

    def step(frame: Frame) -> None:
        begin(frame)
        values = range(lower(frame), upper(frame), stride)
        for value in reversed(values) if down else values:
            frame[index] = value
            for part in body:
                part(frame)
        end(frame)

    return step


@MEANINGS.register(loop.IfOp)
def condition(scope: Scope, op: loop.IfOp) -> Step:
    """`loop.if`."""
    dims = scope.operands(op.dims)
    conditions = [_condition(constraint, dims) for constraint in op.condition.data.constraints]
    results = [scope.new(result) for result in op.results]
    then = _branch(scope, op.then.block, results)
    otherwise = () if op.otherwise is None else _branch(scope, op.otherwise.block, results)

    def step(frame: Frame) -> None:
        for part in then if all(condition(frame) for condition in conditions) else otherwise:
            part(frame)

    return step


def _branch(scope: Scope, block: Block, results: Sequence[int]) -> tuple[Step, ...]:
    """Compile a branch, with the copies of the values that it yields."""
    body = translate_block(scope, block)
    return (*body, _move(_yielded(scope, block), results))


def _move(sources: Sequence[int], targets: Sequence[int]) -> Step:
    """Compile a parallel copy of values: a target may also be a source."""
    match sources, targets:
        case [], []:
            return lambda frame: None
        case [source], [target]:

            def step(frame: Frame) -> None:
                frame[target] = frame[source]

        case _:

            def step(frame: Frame) -> None:
                for target, value in zip(targets, [frame[source] for source in sources], strict=True):
                    frame[target] = value

    return step


def _yielded(scope: Scope, block: Block) -> list[int]:
    last = block.last_op
    return scope.operands(last.operands) if last is not None else []


def _bound(bound: AffineMap, dims: Sequence[int], choose: Callable[[Sequence[int]], int]) -> Position:
    values = [position(result, dims) for result in bound.results]
    if len(values) == 1:
        return values[0]
    return lambda frame: choose([value(frame) for value in values])


def _condition(constraint: AffineConstraintExpr, dims: Sequence[int]) -> Callable[[Frame], bool]:
    difference = position(constraint.lhs - constraint.rhs, dims)
    match constraint.kind:
        case AffineConstraintKind.ge:
            return lambda frame: difference(frame) >= 0
        case AffineConstraintKind.le:
            return lambda frame: difference(frame) <= 0
        case AffineConstraintKind.eq:
            return lambda frame: difference(frame) == 0


@MEANINGS.register(loop.YieldOp, ReturnOp)
def nothing(scope: Scope, op: Operation) -> None:
    """Compile a terminator to nothing: loops and conditions read its operands themselves."""
