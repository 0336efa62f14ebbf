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

A loop may end at a size of the run; how often it runs is then computed in the run.
"""

from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr

from s2s.dialects import c, loop
from s2s.dialects.loop.control import PARALLEL
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import INDEX, plus_constant, ranges_of, tightest
from s2s.passes.loop.lower_to_c.builder import Builder, literal_value
from s2s.passes.loop.lower_to_c.operations import lower_block
from s2s.types.affine import bounds


def is_parallel(op: loop.ForOp) -> bool:
    """Return whether the iterations of a loop are divided among threads."""
    return op.kind.data == PARALLEL


def iterations(b: Builder, kernel: FuncOp) -> SSAValue:
    """Write the number of iterations that are divided; it is the same for every outermost loop."""
    outermost = next(op for op in kernel.body.block.ops if isinstance(op, loop.ForOp))
    return _product(b, [_trips(b, each) for each in _nest(outermost)])


def lower_parallel(b: Builder, op: loop.ForOp) -> None:
    """Lower the iterations that the function is called for."""
    if b.part is None:
        raise CompilerBug("a parallel loop in a function without a part")
    if op.index in b.values:
        lower_block(b, op.body.block)
        return
    nest = _nest(op)
    for each in nest:
        b.ranges[each.index] = (_first(each), _first(each) + max(0, _most_trips(each) - 1) * each.step.value.data)
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
    trips = [_trips(b, each) for each in nest[1:]]
    insides = [_product(b, trips[number:]) for number in range(len(nest))]
    body = c.ForOp.block(INDEX)
    body.args[0].name_hint = "part"
    with b.inside(body):
        _take_apart(b, body.args[0], nest, trips, insides)
        lower_block(b, nest[0].body.block)
    b.block.add_op(c.ForOp(*part, body))


def _nest(op: loop.ForOp) -> list[loop.ForOp]:
    """Return `op` and the parallel loops perfectly nested in it."""
    inner = next((each for each in op.body.block.ops if isinstance(each, loop.ForOp) and is_parallel(each)), None)
    return [op] if inner is None else [op, *_nest(inner)]


def _take_apart(
    b: Builder, part: SSAValue, nest: list[loop.ForOp], trips: list[SSAValue], insides: list[SSAValue]
) -> None:
    """Compute the counters of all loops from the number of an iteration. `trips` are those of all loops but the
    outermost, `insides` the iterations inside of each loop."""
    for number, (op, inside) in enumerate(zip(nest, insides, strict=True)):
        value = part if literal_value(inside) == 1 else b.binary("/", part, inside)
        if number:
            value = b.binary("%", value, trips[number - 1])
        b.bind(op.index, _moved(b, value, op))


def _moved(b: Builder, iteration: SSAValue, op: loop.ForOp) -> SSAValue:
    """Return the value of a counter in an iteration."""
    step = op.step.value.data
    value = iteration if step == 1 else b.binary("*", iteration, b.literal(step, INDEX))
    return value if _first(op) == 0 else b.binary("+", value, b.literal(_first(op), INDEX))


def _first(op: loop.ForOp) -> int:
    first = op.lower.data.results[0]
    assert isinstance(first, AffineConstantExpr)
    return first.value


def _most_trips(op: loop.ForOp) -> int:
    """Return how often a parallel loop runs at most."""
    most = op.most_trips
    if most is None:
        raise CompilerBug(f"{op.name}: a parallel loop ends at what is no size of the run")
    return most


def _trips(b: Builder, op: loop.ForOp) -> SSAValue:
    """Write how often a loop runs: `(n + 3) / 4` for steps of 4 from 0 to `n`."""
    if op.trips is not None:
        return b.literal(op.trips, INDEX)
    step, first, results = op.step.value.data, _first(op), op.upper.data.results
    end = tightest(b, "min", results, op.dims)
    runs = min(bounds(expr, ranges_of(b, op.dims))[0] for expr in results) >= first
    count = plus_constant(b, end, step - 1 - first)
    count = count if step == 1 else b.binary("/", count, b.literal(step, INDEX))
    if runs:
        return count
    begins = b.binary(">", end, b.literal(first, INDEX))
    return b.add(c.ConditionalOp(begins, count, b.literal(0, INDEX)))


def _product(b: Builder, factors: list[SSAValue]) -> SSAValue:
    """Write a product, with one literal for all constants."""
    known = [literal_value(each) for each in factors]
    constant = prod(each for each in known if each is not None)
    result: SSAValue | None = None
    for factor, value in zip(factors, known, strict=True):
        if value is None:
            result = factor if result is None else b.binary("*", result, factor)
    if result is None:
        return b.literal(constant, INDEX)
    return result if constant == 1 else b.binary("*", result, b.literal(constant, INDEX))
