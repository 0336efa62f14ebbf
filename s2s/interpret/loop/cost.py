"""Count what a run of a network of loops executes, exactly: from the affine bounds of its loops and its conditions.

    for i = 0 to 10 step 4 {
      for j = i to min(i + 4, 10) {     3 times; its body 4 + 4 + 2 times
        if i + j >= 4 { … }             holds 0 + 4 + 2 times

A loop whose index steers nothing inside of it, no bound and no condition, counts as its turns times its body; of any
other each turn is counted, once for each set of the indices that steer it. Sizes of the run have their greatest values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineExpr, AffineMap

from s2s.dialects import loop
from s2s.interpret.loop.run import find_function
from s2s.types.hints import isa

Indices = Mapping[SSAValue, int]
"""The known indices; one without a value is taken as 0."""
Price = Callable[[Operation], int]
"""The count of an operation each time that it runs, without its regions."""
_HOLDS: Mapping[AffineConstraintKind, Callable[[int], bool]] = {
    AffineConstraintKind.ge: lambda difference: difference >= 0,
    AffineConstraintKind.le: lambda difference: difference <= 0,
    AffineConstraintKind.eq: lambda difference: difference == 0,
}


def executed_operations(module: ModuleOp) -> int:
    """Return the operations that `@main` and its kernels execute."""
    return _Executed(module, lambda _: 1).function("main")


def executed_multiply_adds(module: ModuleOp) -> int:
    """Return the products that `@main` and its kernels add up or add to something; vectors count as their lanes."""
    return _Executed(module, _multiply_adds).function("main")


def _multiply_adds(op: Operation) -> int:
    match op:
        case loop.IntrinsicOp():
            return op.intrinsic.products * _lanes(op.result.type)
        case loop.IntrinsicRowsOp():
            return op.steps.value.data * op.lanes
        case math.FmaOp() | loop.FmaOp():
            return _lanes(op.results[0].type)
        case arith.MuliOp() | arith.MulfOp():
            is_added = any(isinstance(use.operation, arith.AddiOp | arith.AddfOp) for use in op.result.uses)
            return _lanes(op.result.type) if is_added else 0
        case _:
            return 0


def _lanes(type: Attribute) -> int:
    return prod(type.get_shape()) if isa(type, VectorType) else 1


class _Executed:
    """Counts what the functions of a module execute, in the unit of a price."""

    def __init__(self, module: ModuleOp, price: Price) -> None:
        self._module, self._price = module, price
        self._functions: dict[str, int] = {}
        self._blocks: dict[tuple[Block, tuple[int, ...]], int] = {}
        self._steering: dict[Block, tuple[SSAValue, ...]] = {}

    def function(self, name: str) -> int:
        """Return the count of a function and its callees; a loop of unknown length counts as one iteration."""
        if name not in self._functions:
            block = find_function(self._module, name).body.block
            tile = next((op for op in block.ops if isinstance(op, loop.TileOp)), None)
            tiles: list[Indices] = (
                [{}] if tile is None else [{tile.result: number} for number in range(tile.count.value.data)]
            )
            self._functions[name] = sum(self._block(block, indices) for indices in tiles)
        return self._functions[name]

    def _block(self, block: Block, indices: Indices) -> int:
        """Return the count of one execution of a block."""
        key = block, tuple(indices.get(value, 0) for value in self._steering_of(block))
        if key not in self._blocks:
            computed = dict(indices)
            self._blocks[key] = sum(self._operation(op, computed) for op in block.ops)
        return self._blocks[key]

    def _operation(self, op: Operation, indices: dict[SSAValue, int]) -> int:
        """Return the count of an operation with what it runs; note the indices that it computes."""
        match op:
            case loop.ForOp():
                return self._price(op) + self._loop(op, indices)
            case loop.IfOp():
                holds = all(
                    _HOLDS[constraint.kind](_at(constraint.lhs - constraint.rhs, op.dims, indices))
                    for constraint in op.condition.data.constraints
                )
                taken = op.then if holds else op.otherwise
                return self._price(op) + (0 if taken is None else self._block(taken.block, indices))
            case loop.SizeOp():
                indices[op.result] = op.bounds[1]
            case loop.ApplyOp():
                indices[op.result] = _at(op.map.data.results[0], op.indices, indices)
            case _:
                pass
        return self._price(op) + sum(times * self.function(name) for name, times in _called(op))

    def _loop(self, op: loop.ForOp, indices: Indices) -> int:
        """Return the count of the turns of a loop."""
        first = max(_all_at(op.lower.data, op.dims, indices))
        values = range(first, min(_all_at(op.upper.data, op.dims, indices)), op.step.value.data)
        body = op.body.block
        if op.index not in self._steering_of(body):
            return len(values) * self._block(body, {**indices, op.index: first})
        return sum(self._block(body, {**indices, op.index: value}) for value in values)

    def _steering_of(self, block: Block) -> tuple[SSAValue, ...]:
        """Return the indices from outside of a block on which its bounds and conditions depend."""
        if block not in self._steering:
            steering: dict[SSAValue, None] = {}
            for op in reversed(list(block.ops)):
                if isinstance(op, loop.ApplyOp) and op.result in steering:
                    steering.update(dict.fromkeys(op.indices))
                elif isinstance(op, loop.ForOp | loop.IfOp):
                    inner = (part for region in op.regions for part in region.blocks)
                    steering.update(dict.fromkeys(value for part in inner for value in self._steering_of(part)))
                    steering.update(dict.fromkeys(op.dims))
            computed = (result for op in block.ops if not isinstance(op, loop.TileOp) for result in op.results)
            inside = {*block.args[1:], *computed}
            self._steering[block] = tuple(value for value in steering if value not in inside)
        return self._steering[block]


def _called(op: Operation) -> Iterable[tuple[str, int]]:
    """Yield the functions that an operation calls, and how often."""
    match op:
        case CallOp():
            yield op.callee.string_value(), 1
        case loop.CallForOp():
            yield op.body.string_value(), op.steps.value.data
        case loop.CallRowsOp():
            yield from ((piece.body, piece.steps) for piece in op.pieces)
        case loop.NetworkCall():
            yield from ((callee, 1) for callee in op.networks)
        case _:
            pass


def _all_at(bound: AffineMap, dims: Sequence[SSAValue], indices: Indices) -> list[int]:
    return [_at(result, dims, indices) for result in bound.results]


def _at(expr: AffineExpr, dims: Sequence[SSAValue], indices: Indices) -> int:
    return expr.eval([indices.get(value, 0) for value in dims], [])
