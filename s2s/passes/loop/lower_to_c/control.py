"""Lower loops and conditions to C; loop-carried values become variables, assigned at the end of each iteration."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import StringAttr, VectorType, i32, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from s2s.analysis.structure.products import has_flag
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import INDEX, condition, ranges_of, tightest
from s2s.passes.loop.lower_to_c.builder import Builder, carried, literal_value, signed_type, unsigned_type, value_type
from s2s.passes.loop.lower_to_c.integers import is_unsigned_word
from s2s.passes.loop.lower_to_c.operations import LOWERINGS, lower_block
from s2s.passes.loop.lower_to_c.parallel import is_parallel, lower_parallel
from s2s.types.affine import Range, bounds


@LOWERINGS.register(loop.ForOp)
def lower_for(b: Builder, op: loop.ForOp) -> None:
    """Lower a loop; of a parallel loop, only the range of iterations that the function is called for."""
    if is_parallel(op):
        lower_parallel(b, op)
    elif op.kind.data == loop.SCALABLE:
        from s2s.passes.loop.lower_to_c.strips import lower_strips

        lower_strips(b, op, *bounds_of(b, op))
    else:
        if isinstance(reason := op.attributes.get(loop.STRIP_MINE), StringAttr):
            b.block.add_op(c.CommentOp(f"One by one, not in strips: {reason.data}."))
        _lower_serial(b, op)


def _lower_serial(b: Builder, op: loop.ForOp) -> None:
    """Lower a serial loop; a carried value may reuse the variable of the previous loop."""
    variables = [_variable_for(b, op, number) for number in range(len(op.carried))]
    lower, upper = bounds_of(b, op)
    body = c.ForOp.block(INDEX)
    body.args[0].name_hint = op.index.name_hint
    b.values[op.index] = body.args[0]
    with b.inside(body):
        for argument, variable in zip(op.carried, variables, strict=True):
            b.bind(argument, b.add(c.LoadOp(variable)))
        lower_block(b, op.body.block)
        yielded = zip(variables, _yielded(op.body.block), strict=True)
        assign(b, variables, [_with_sign_of(b, variable, value) for variable, value in yielded])
    step = op.step.value.data
    if op.down is not None and op.fixed_bounds is not None:
        first, end = op.fixed_bounds
        last = first + (end - 1 - first) // step * step
        lower, upper, step = b.literal(last, INDEX), b.literal(first - 1, INDEX), -step
    unroll = None if op.unroll is None else op.unroll.value.data
    b.block.add_op(c.ForOp(lower, upper, body, step=step, unroll=unroll))
    for result, variable in zip(op.res, variables, strict=True):
        b.bind(result, b.add(c.LoadOp(variable)))


def bounds_of(b: Builder, op: loop.ForOp) -> tuple[SSAValue, SSAValue]:
    """Write where a loop begins and ends, and record the range of its index."""
    lower, upper = tightest(b, "max", op.lower.data.results, op.dims), _end(b, op)
    b.ranges[op.index] = _range(b, op)
    return lower, upper


def _end(b: Builder, op: loop.ForOp) -> SSAValue:
    """Write the end of a loop in the innermost block whose counter it depends on, once for all loops that it ends."""
    key = op.upper, tuple(op.dims)
    if key not in b.ends:
        with b.inside(b.home(op.dims)):
            end = b.ends[key] = tightest(b, "min", op.upper.data.results, op.dims)
        if literal_value(end) is not None or end in b.sizes.values():
            return b.ends.pop(key)
        end.name_hint = f"{op.index.name_hint or 'i'}_end"
    return b.ends[key]


@LOWERINGS.register(loop.IfOp)
def lower_if(b: Builder, op: loop.IfOp) -> None:
    """Lower a condition. Its results are variables that both branches assign, or that are initialised with constants of
    `else`."""
    test = condition(b, op.condition.data, op.dims)
    otherwise = op.otherwise
    initial: Sequence[SSAValue | None] = [None] * len(op.res)
    if otherwise is not None and _only_constants(otherwise.block):
        lower_block(b, otherwise.block)
        initial = [b.signed(value) for value in _yielded(otherwise.block)]
        otherwise = None
    variables = [_declare(b, result, start) for result, start in zip(op.res, initial, strict=True)]
    branches = [_branch(b, region.block, variables) for region in (op.then, otherwise) if region]
    b.block.add_op(c.IfOp(test, *branches))
    for result, variable in zip(op.res, variables, strict=True):
        b.bind(result, b.add(c.LoadOp(variable)))


@LOWERINGS.register(loop.YieldOp, ReturnOp)
def lower_end(b: Builder, op: Operation) -> None:
    """Lower a terminator to nothing: loops and conditions assign its operands themselves."""


def _branch(b: Builder, block: Block, variables: Sequence[SSAValue]) -> Block:
    lowered = Block()
    with b.inside(lowered):
        lower_block(b, block)
        assign(b, variables, [b.signed(value) for value in _yielded(block)])
    return lowered


def _only_constants(block: Block) -> bool:
    return all(isinstance(op, arith.ConstantOp | loop.YieldOp) for op in block.ops)


def _yielded(block: Block) -> Sequence[SSAValue]:
    last = block.last_op
    return last.arguments if isinstance(last, loop.YieldOp) else ()


def _declare(b: Builder, value: SSAValue, initial: SSAValue | None) -> SSAValue:
    """Declare a variable for `value`."""
    variable = b.add(c.VariableOp(carried(signed_type(value_type(value.type))), initial))
    variable.name_hint = value.name_hint
    return variable


def _variable_for(b: Builder, op: loop.ForOp, number: int) -> SSAValue:
    """Return the variable of a loop-carried value.

    It is the variable of the initial value if the enclosing or the previous loop carries that value and nothing else
    uses it.
    """
    init, wraps = op.inits[number], _wraps(op, number)
    load = b.value(init).owner
    here = init.owner if isinstance(init, BlockArgument) else init.owner.parent_block()
    alone = len(list(init.uses)) == 1 and here is op.parent_block()
    if (
        alone
        and isinstance(load, c.LoadOp)
        and isinstance(load.place.owner, c.VariableOp)
        and is_unsigned_word(load.result.type) == wraps
    ):
        return load.place
    if not wraps:
        return _declare(b, op.carried[number], b.signed(init))
    variable = b.add(c.VariableOp(unsigned_type(init.type), b.unsigned(init)))
    variable.name_hint = op.carried[number].name_hint
    return variable


def _wraps(op: loop.ForOp, number: int) -> bool:
    """Return whether a loop-carried value is a sum that may overflow; its variable is unsigned.

    A signed variable would be converted in each iteration. gcc 11 and 12.2 vectorise several such sums wrongly whose
    results are converted once more (their bug 107212).
    """
    value = _yielded(op.body.block)[number]
    if isinstance(value, OpResult) and isinstance(value.owner, loop.ForOp):
        return _wraps(value.owner, value.index)
    if not isinstance(value.owner, arith.AddiOp) or value.type not in (i32, i64):
        return False
    return not has_flag(value.owner, arith.IntegerOverflowFlag.NSW)


def _with_sign_of(b: Builder, variable: SSAValue, value: SSAValue) -> SSAValue:
    """Return `value` as signed or unsigned as a loop's variable."""
    wraps = isinstance(variable.type, c.LValueType) and is_unsigned_word(variable.type.element)
    return b.unsigned(value) if wraps else b.signed(value)


def assign(b: Builder, variables: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
    """Assign each variable its value, unless it holds it already."""
    for variable, value in zip(variables, values, strict=True):
        if _reads(value, variable):
            continue
        added = _compound(variable, value)
        if added is None and _is_fresh_sum(b, value):
            assert isinstance(value.owner, Operation)
            _assign_early(b, c.AssignOp(variable, value), value.owner)
        elif added is None:
            b.block.add_op(c.AssignOp(variable, value))
        else:
            operator, operand = added
            b.block.add_op(c.AssignOp(variable, operand, f"{operator}="))


def _is_fresh_sum(b: Builder, value: SSAValue) -> bool:
    """Return whether `value` is a vector or the result of an intrinsic, computed in this block, and only one variable
    takes it."""
    maker = value.owner
    return (
        isinstance(maker, c.CallOp)
        and (isinstance(value.type, VectorType) or maker.intrinsic is not None)
        and maker.parent_block() is b.block
        and not value.uses
    )


def _assign_early(b: Builder, assign: c.AssignOp, maker: Operation) -> None:
    """Assign a sum as soon as it is computed, if no later operation reads the variable's old value.

    Registers are few: if all accumulators of a tile were assigned at the end, all that they read would have to
    be in registers by then, and accumulators would make way for it.
    """
    old = [use.operation for use in assign.place.uses if isinstance(use.operation, c.LoadOp)]
    readers = [use.operation for load in old if load.parent_block() is b.block for use in load.result.uses]
    if any(reader is not maker and not reader.is_before_in_block(maker) for reader in readers):
        b.block.add_op(assign)
        return
    b.block.insert_op_after(assign, maker)


def _reads(value: SSAValue, variable: SSAValue) -> bool:
    return isinstance(value.owner, c.LoadOp) and value.owner.place is variable


def _compound(variable: SSAValue, value: SSAValue) -> tuple[str, SSAValue] | None:
    """Match `variable += operand`: return operator and operand if `value` is that and has no other use."""
    op = value.owner
    if not isinstance(op, c.BinaryOp) or op.operator.data not in ("+", "-", "*") or op.result.uses:
        return None
    for old, operand in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if _reads(old, variable) and old.type == value.type == operand.type and len(list(old.uses)) == 1:
            if old is op.rhs and op.operator.data == "-":
                return None
            op.detach()
            op.erase()
            return op.operator.data, operand
    return None


def _range(b: Builder, op: loop.ForOp) -> Range:
    """Return the range of the counter."""
    known = ranges_of(b, op.dims)
    low = max(bounds(expr, known)[0] for expr in op.lower.data.results)
    high = min(bounds(expr, known)[1] for expr in op.upper.data.results) - 1
    return low, max(low, high)
