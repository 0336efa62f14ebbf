"""Lower a parallel loop to a loop over the iterations that one thread executes.

    loop.for %i = 0 to 8 step 2 parallel { … }
->
    for (int32_t i = first * 2; i < last * 2; i += 2) { … }

Parallel loops inside of each other are taken together, as one count of iterations:

    loop.for %i = 0 to 8 step 2 parallel { loop.for %j = 0 to 5 parallel { … } }
->
    for (int32_t part = first; part < last; part++) {
        const int32_t i = part / 5 * 2;
        const int32_t j = part % 5;
"""

from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.dialects import c, loop
from s2s.dialects.loop.control import PARALLEL
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import INDEX
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import lower_block


def is_parallel(op: loop.ForOp) -> bool:
    """Return whether the iterations of a loop are divided among threads."""
    return op.kind.data == PARALLEL


def iterations_of(kernel: FuncOp) -> int:
    """Return the number of iterations that are divided; it is the same for every outermost loop."""
    outermost = next(op for op in kernel.body.block.ops if isinstance(op, loop.ForOp))
    return prod(_trips(each) for each in _nest(outermost))


def lower_parallel(b: Builder, op: loop.ForOp) -> None:
    """Lower the iterations that the function is called for."""
    if b.part is None:
        raise CompilerBug("a parallel loop in a function without a part")
    if op.index in b.values:
        lower_block(b, op.body.block)
        return
    nest = _nest(op)
    for each in nest:
        b.ranges[each.index] = (_first(each), _first(each) + (_trips(each) - 1) * each.step.value.data)
    if len(nest) > 1:
        _lower_together(b, nest, b.part)
        return
    first, last = (_moved(b, end, op) for end in b.part)
    body = c.ForOp.block(INDEX)
    body.args[0].name_hint = op.index.name_hint
    b.values[op.index] = body.args[0]
    with b.inside(body):
        lower_block(b, op.body.block)
    b.block.add_op(c.ForOp(first, last, body, step=op.step.value.data))


def _lower_together(b: Builder, nest: list[loop.ForOp], part: tuple[SSAValue, SSAValue]) -> None:
    """Lower perfectly nested parallel loops to one loop over all their iterations."""
    body = c.ForOp.block(INDEX)
    body.args[0].name_hint = "part"
    with b.inside(body):
        _take_apart(b, body.args[0], nest)
        lower_block(b, nest[0].body.block)
    b.block.add_op(c.ForOp(*part, body))


def _nest(op: loop.ForOp) -> list[loop.ForOp]:
    """Return `op` and the parallel loops perfectly nested in it."""
    inner = next((each for each in op.body.block.ops if isinstance(each, loop.ForOp) and is_parallel(each)), None)
    return [op] if inner is None else [op, *_nest(inner)]


def _take_apart(b: Builder, part: SSAValue, nest: list[loop.ForOp]) -> None:
    """Compute the counters of all loops from the number of an iteration."""
    for number, op in enumerate(nest):
        inside = prod(_trips(each) for each in nest[number + 1 :])
        value = part if inside == 1 else b.binary("/", part, b.literal(inside, INDEX))
        if number:
            value = b.binary("%", value, b.literal(_trips(op), INDEX))
        b.bind(op.index, _moved(b, value, op))


def _moved(b: Builder, iteration: SSAValue, op: loop.ForOp) -> SSAValue:
    """Return the value of a counter in an iteration."""
    step = op.step.value.data
    value = iteration if step == 1 else b.binary("*", iteration, b.literal(step, INDEX))
    return value if _first(op) == 0 else b.binary("+", value, b.literal(_first(op), INDEX))


def _first(op: loop.ForOp) -> int:
    assert op.fixed_bounds is not None
    return op.fixed_bounds[0]


def _trips(op: loop.ForOp) -> int:
    assert op.trips is not None
    return op.trips
