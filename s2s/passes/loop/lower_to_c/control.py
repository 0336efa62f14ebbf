"""Lower loops and conditions to C; loop-carried values become variables, assigned at the end of each iteration."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import StringAttr, i32, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from s2s.analysis.structure.products import has_flag
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import INDEX, bounds_of, condition
from s2s.passes.loop.lower_to_c.builder import Builder, assign, carried, signed_type, unsigned_type, value_type
from s2s.passes.loop.lower_to_c.integers import is_unsigned_word
from s2s.passes.loop.lower_to_c.operations import LOWERINGS, lower_block
from s2s.passes.loop.lower_to_c.parallel import is_parallel, lower_parallel


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
