"""Turns a function into Python closures, once, so that running it looks nothing up.

Every value has a numbered place in a list, the frame; every operation becomes a closure that reads and writes places.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineMap

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, Position, position
from s2s.interpret.loop import groups, memory, products, rows
from s2s.interpret.loop.scope import Kernel, Scope, Step
from s2s.interpret.numbers import fused_multiply_add, maximum, minimum, where
from s2s.interpret.scalar import Scalar, dtype_of, function_of, is_scalar_op, number
from s2s.types.dtypes import Array

Translator = Callable[[Scope, Any], Step | None]


def translate_function(scope: Scope, function: FuncOp) -> Kernel:
    """`function` as a Python function of its buffers."""
    for argument in function.body.block.args:
        scope.new(argument)
    body = _block(scope, function.body.block)
    constants = scope.constants

    def run(buffers: Sequence[Array]) -> None:
        frame = constants.copy()
        frame[: len(buffers)] = buffers
        for step in body:
            step(frame)

    return run


def _block(scope: Scope, block: Block) -> tuple[Step, ...]:
    """The operations of a block in order, its terminator left out."""
    steps = [_operation(scope, op) for op in block.ops if not isinstance(op, ReturnOp | loop.YieldOp)]
    return tuple(step for step in steps if step is not None)


def _operation(scope: Scope, op: Operation) -> Step | None:
    translator = _TRANSLATORS.get(type(op))
    if translator is not None:
        return translator(scope, op)
    if is_scalar_op(op):
        return _scalar(scope, op, function_of(op))
    raise CompilerBug(f"{scope.where(op)}: the operation has no meaning at loop level")


def _scalar(scope: Scope, op: Operation, function: Callable[..., Scalar]) -> Step:
    """`function` on the operands; indices are Python integers elsewhere and become numbers of 64 bits here."""
    places = scope.operands(op.operands)
    if any(isinstance(operand.type, IndexType) for operand in op.operands):
        function = _on_indices(function)
    if len(op.results) != 1:
        return _several(function, places, [scope.new(result) for result in op.results])
    result = scope.new(op.results[0])
    match places:
        case [a]:

            def step(frame: Frame) -> None:
                frame[result] = function(frame[a])

        case [a, b]:

            def step(frame: Frame) -> None:
                frame[result] = function(frame[a], frame[b])

        case _:

            def step(frame: Frame) -> None:
                frame[result] = function(*[frame[place] for place in places])

    return step


def _on_indices(function: Callable[..., Scalar]) -> Callable[..., Scalar]:
    def on_indices(*values: Scalar) -> Scalar:
        return function(*[np.int64(value) if isinstance(value, int) else value for value in values])

    return on_indices


def _several(function: Callable[..., Scalar], places: Sequence[int], results: Sequence[int]) -> Step:
    def step(frame: Frame) -> None:
        for result, value in zip(results, function(*[frame[place] for place in places]), strict=True):
            frame[result] = value

    return step


def _for(scope: Scope, op: loop.ForOp) -> Step:
    dims = scope.operands(op.dims)
    lower, upper = _bound(op.lower.data, dims, max), _bound(op.upper.data, dims, min)
    stride, down = op.step.value.data, op.down is not None
    inits = scope.operands(op.inits)
    index, *carried = [scope.new(argument) for argument in op.body.block.args]
    body = _block(scope, op.body.block)
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


def _if(scope: Scope, op: loop.IfOp) -> Step:
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
    """What a branch does, the handing on of its values included."""
    body = _block(scope, block)
    return (*body, _move(_yielded(scope, block), results))


def _move(sources: Sequence[int], targets: Sequence[int]) -> Step:
    """Copies values, all at the same time: a target may also be a source."""
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


def _apply(scope: Scope, op: loop.ApplyOp) -> Step:
    value, result = position(op.map.data.results[0], scope.operands(op.indices)), scope.new(op.result)

    def step(frame: Frame) -> None:
        frame[result] = value(frame)

    return step


def _constant(scope: Scope, op: arith.ConstantOp) -> None:
    scope.new(op.result, int(number(op.value)) if isinstance(op.result.type, IndexType) else number(op.value))


def _broadcast(scope: Scope, op: loop.BroadcastOp) -> Step:
    shape, dtype = op.result.type.get_shape(), dtype_of(op.result.type)

    def repeat(value: Scalar) -> Scalar:
        vector = np.empty(shape, dtype)
        vector.fill(value)
        return vector

    return _scalar(scope, op, repeat)


def _fma(scope: Scope, op: loop.FmaOp) -> Step:
    return _scalar(scope, op, fused_multiply_add if scope.options.fused else _multiply_then_add)


def _multiply_then_add(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    return a * b + c


def _reduce(scope: Scope, op: loop.ReduceOp) -> Step:
    combine = _COMBINE[op.kind.data]

    def lane_by_lane(vector: Scalar) -> Scalar:
        return reduce(combine, vector)

    return _scalar(scope, op, lane_by_lane)


def _halve(scope: Scope, op: loop.HalveOp) -> Step:
    combine = _COMBINE[op.kind.data]
    (lanes,) = op.result.type.get_shape()

    def fold(vector: Scalar) -> Scalar:
        return combine(vector[:lanes], vector[lanes:])

    return _scalar(scope, op, fold)


_COMPARE: Mapping[str, Callable[[Scalar, Scalar], Scalar]] = {
    "oeq": np.equal,
    "une": np.not_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
}


def _choose(scope: Scope, op: loop.ChooseOp) -> Step:
    compare = _COMPARE[op.predicate.data]

    def choose(a: Scalar, b: Scalar, x: Scalar, y: Scalar) -> Scalar:
        return where(compare(a, b), x, y)

    return _scalar(scope, op, choose)


def _call(scope: Scope, op: CallOp) -> Step:
    callee = scope.callee(op.callee.string_value())
    places = scope.operands(op.operands)
    called = scope.called

    def step(frame: Frame) -> None:
        buffers = [frame[place] for place in places]
        callee(buffers)
        if called is not None:
            called(op, buffers)

    return step


def _copy(scope: Scope, op: loop.CopyOp) -> Step:
    target, source = scope.place(op.target), scope.place(op.source)

    def step(frame: Frame) -> None:
        frame[target][:] = frame[source]

    return step


def _call_if(scope: Scope, op: loop.CallIfOp) -> Step:
    condition, places = scope.place(op.condition), _places(scope, op)
    then, otherwise = (scope.callee(name) for name in op.networks)

    def step(frame: Frame) -> None:
        (then if frame[condition][0] else otherwise)([frame[place] for place in places])

    return step


def _call_while(scope: Scope, op: loop.CallWhileOp) -> Step:
    places, flag = _places(scope, op), scope.place(op.flag)
    condition, body = (scope.callee(name) for name in op.networks)
    first = len(places) - len(op.buffers)

    def step(frame: Frame) -> None:
        buffers = [frame[place] for place in places]
        while True:
            condition([*buffers[:first], frame[flag], *buffers[first:]])
            if not frame[flag][0]:
                break
            body(buffers)

    return step


def _call_for(scope: Scope, op: loop.CallForOp) -> Step:
    body, steps = scope.callee(op.body.string_value()), op.steps.value.data
    arena = [] if op.arena is None else [scope.place(op.arena)]
    slices = list(zip(scope.operands(op.buffers), op.slices, strict=True))

    def step(frame: Frame) -> None:
        for index in range(steps):
            buffers = [frame[place] for place in arena]
            buffers += [frame[place][start + index * stride :] for place, (start, stride) in slices]
            body(buffers)

    return step


def _places(scope: Scope, op: loop.NetworkCall) -> list[int]:
    """Where the buffers of the networks are, their arena in front."""
    return scope.operands([*([] if op.arena is None else [op.arena]), *op.buffers])


_COMBINE: Mapping[str, Callable[[Scalar, Scalar], Scalar]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": maximum,
    "min": minimum,
}

_TRANSLATORS: Mapping[type[Operation], Translator] = {
    arith.ConstantOp: _constant,
    loop.AllocOp: memory.alloc,
    loop.ApplyOp: _apply,
    loop.DotGroupsOp: groups.dot_groups,
    loop.DotOp: products.dot,
    loop.DotRowsOp: rows.dot_rows,
    loop.BroadcastOp: _broadcast,
    loop.CallForOp: _call_for,
    loop.CallIfOp: _call_if,
    loop.CallWhileOp: _call_while,
    loop.CopyOp: _copy,
    loop.FmaOp: _fma,
    loop.ForOp: _for,
    loop.IfOp: _if,
    loop.LoadAtOp: memory.load_at,
    loop.LoadGroupsOp: groups.load_groups,
    loop.LoadOp: memory.load,
    loop.PoisonOp: memory.poison,
    loop.ChooseOp: _choose,
    loop.HalveOp: _halve,
    loop.ReduceOp: _reduce,
    loop.CastLanesOp: rows.cast,
    loop.LookUpLanesOp: rows.look_up,
    loop.RescaleLanesOp: rows.rescale,
    loop.SaturateLanesOp: rows.saturate,
    loop.PrefetchOp: memory.prefetch,
    loop.StageOp: products.stage,
    loop.StoreAtOp: memory.store_at,
    loop.StoreOp: memory.store,
    loop.StoreInterleavedOp: groups.store_interleaved,
    loop.ViewOp: memory.view,
    loop.WeightOp: memory.weight,
    loop.WidenOp: products.widen,
    CallOp: _call,
}
