"""Write zeros to the lanes of scratch that a loop reads in longer steps than the loop that writes it, where a size of
the run cuts both short.

    loop.for %j = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 8 { … store %v to %s[%j], 8 lanes }
    loop.for %k = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 16 { … load %s[%k], 16 lanes }
->
    loop.for %j = 0 to min affine_map<(d0) -> (d0 + 8, 32)>(%n) step 8 {
      %w = loop.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%n, %j) { … yield %v } else { yield zeros }
      store %w to %s[%j], 8 lanes
    }

With n = 20, the first loop writes lanes 0 to 23, and the second one reads lanes 0 to 31: 24 to 31 are what an earlier
iteration or another kernel has left there. No result depends on them, but each thread needs scratch of its own then
whose values are its own: `loop-divide-among-threads` asks for proof that an iteration reads what it has written.

Declined for loops that carry values, that read the same scratch, or that write something else.
"""

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, FloatAttr, IntegerAttr, IntegerType, ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.passes import ModulePass
from xdsl.traits import MemoryEffectKind

from s2s.analysis.memory.buffers import read_by, written_by
from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.memory.accesses import Accesses
from s2s.memory.counters import Counter
from s2s.memory.private import least_later
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.support.frozen import frozen
from s2s.types.affine import Linear, coefficient, linear
from s2s.types.hints import isa

Store = loop.StoreOp | loop.StoreInterleavedOp


@frozen
class FillLanesPass(ModulePass):
    name = "loop-fill-lanes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel, _ in kernels_of_main(op):
            if any(isinstance(inner, loop.SizeOp) for inner in kernel.body.block.ops):
                _Lanes(kernel).fill()


class _Lanes:
    """Finds the loops of a kernel that write scratch, and by how many lanes other loops read more."""

    def __init__(self, kernel: FuncOp) -> None:
        self.accesses = Accesses(kernel)
        self.scratch = [argument for argument in kernel.args if argument in read_by(kernel) & written_by(kernel)]
        traces = [trace for argument in self.scratch if (trace := self.accesses.own_trace(argument)) is not None]
        self.counters = traces[0].counters if traces else ()
        self.ranges = [(counter.first, counter.last) for counter in self.counters]
        self.later: dict[loop.ForOp, int] = {}
        """By how many values a loop ends later now."""
        self.loops = [op for op in walk(kernel) if isinstance(op, loop.ForOp) and self._end(op) is not None]

    def fill(self) -> None:
        """Let each loop that writes scratch write all the lanes that other loops read. Loops that compute scratch of
        scratch are taken from the last one on: what ends later reads more."""
        for op in reversed(self.loops):
            if (stores := _stores_of(op, self.scratch)) and (lanes := self._later(op, stores)):
                self._extend(op, lanes)

    def _counter(self, op: loop.ForOp) -> Counter | None:
        number = self.accesses.number_of(op)
        return None if number is None or number >= len(self.counters) else self.counters[number]

    def _end(self, op: loop.ForOp) -> Linear | None:
        """Return where the loop ends if a size of the run cuts it short; None for others."""
        counter = self._counter(op)
        if counter is None or len(counter.cuts) != 1:
            return None
        return linear(counter.cuts[0] + counter.end, self.ranges)

    def _later(self, writer: loop.ForOp, stores: Sequence[Store]) -> int:
        """Return by how many values a writer's loop has to end later for the last steps of all loops that read."""
        readers = [op for op in self.loops if self._end(op) == self._end(writer) and self._reads(op, writer, stores)]
        return max((least_later(_step(writer), _step(op)) + self.later.get(op, 0) for op in readers), default=0)

    def _reads(self, reader: loop.ForOp, writer: loop.ForOp, stores: Sequence[Store]) -> bool:
        """Return whether a loop loads from the buffer of `stores` along the dimension of their loop. One of a single
        step moves nothing."""
        counter = self._counter(reader)
        moves = counter is not None and counter.goes_on
        moved = {
            (store.buffer, _moved(store.map.data.results[0], store.indices, writer.index) if moves else 0)
            for store in stores
        }
        return any(
            access.kind is MemoryEffectKind.READ
            and access.start is not None
            and (access.buffer, _moved(access.start, access.indices, reader.index)) in moved
            for op in walk(reader)
            if isinstance(op, loop.AccessInterface)
            for access in op.accesses()
        )

    def _extend(self, op: loop.ForOp, lanes: int) -> None:
        """Let a loop end later, and store zeros there."""
        ends = list(op.upper.data.results)
        (end,) = [expr for expr in ends if not isinstance(expr, AffineConstantExpr)]
        _choose(op, end)
        self.later[op] = lanes
        fixed = tuple(expr for expr in ends if expr is not end)
        if (counter := self._counter(op)) is not None and self._always_ends_behind(op, counter, lanes):
            self.later[op] = counter.span
            op.upper = AffineMapAttr(AffineMap(len(op.dims), 0, fixed or (AffineConstantExpr(counter.end),)))
        else:
            op.upper = AffineMapAttr(AffineMap(len(op.dims), 0, (end + lanes, *fixed)))

    def _always_ends_behind(self, op: loop.ForOp, counter: Counter, lanes: int) -> bool:
        """Return whether a loop that ends later by `lanes` takes all its values at each size: inside of a loop `%b` to
        `n`, one to `n - %b + 8` takes 0 and 8."""
        end, parent = self._end(op), op.parent_op()
        while end is not None and isinstance(parent, loop.ForOp):
            number, outer = self.accesses.number_of(parent), self._end(parent)
            if number is not None and outer is not None:
                rest = end.plus(outer, -1).plus(Linear(0, {AffineDimExpr(number): 1}))
                if not rest.terms and rest.constant + lanes >= counter.last:
                    return True
            parent = parent.parent_op()
        return False


def _step(op: loop.ForOp) -> int:
    return op.step.value.data


def _moved(start: AffineExpr, indices: Sequence[SSAValue], index: SSAValue) -> int | None:
    """Return by how many elements a position moves for each value of a loop; 0 where it stays."""
    if index not in indices:
        return 0
    return coefficient(start, list(indices).index(index), [(0, 1 << 30)] * len(indices))


def _stores_of(op: loop.ForOp, scratch: Sequence[SSAValue]) -> list[Store]:
    """Return the stores of a loop that writes nothing but scratch, which it does not read, and carries no values."""
    stores = [inner for inner in op.body.block.ops if isinstance(inner, Store)]
    targets = {store.buffer for store in stores}
    others = [inner for inner in op.body.block.ops if not isinstance(inner, Store)]
    is_copy = targets <= set(scratch) and not targets & read_by(op) and not any(map(written_by, others))
    return stores if is_copy and not op.inits else []


def _choose(op: loop.ForOp, end: AffineExpr) -> None:
    """Let a loop compute what it stores only in front of `end`, and else store zeros."""
    block = op.body.block
    stores = [inner for inner in block.ops if isinstance(inner, Store)]
    values = list(dict.fromkeys(value for store in stores for value in _values(store)))
    then, otherwise = Block(), Block()
    for inner in [inner for inner in block.ops if inner not in stores and not isinstance(inner, loop.YieldOp)]:
        inner.detach()
        then.add_op(inner)
    zeros = {type: list(_zero(type)) for type in dict.fromkeys(value.type for value in values)}
    otherwise.add_ops([zero for ops in zeros.values() for zero in ops])
    then.add_op(loop.YieldOp(*values))
    otherwise.add_op(loop.YieldOp(*(zeros[value.type][-1].results[0] for value in values)))
    inside = AffineConstraintExpr(
        AffineConstraintKind.ge, end + AffineDimExpr(len(op.dims)) * -1 + -1, AffineConstantExpr(0)
    )
    choice = loop.IfOp(
        AffineSet(len(op.dims) + 1, 0, (inside,)),
        [*op.dims, op.index],
        Region(then),
        Region(otherwise),
        [value.type for value in values],
    )
    block.insert_op_before(choice, stores[0])
    for value, result in zip(values, choice.res, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(result, lambda use: use.operation in stores)


def _values(store: Store) -> Sequence[SSAValue]:
    return [store.value] if isinstance(store, loop.StoreOp) else store.values


def _zero(type: Attribute) -> Iterator[Operation]:
    """Yield the operations that make a zero of a type, the zero last."""
    element = type.element_type if isa(type, VectorType) else type
    zero = FloatAttr(0.0, element) if isinstance(element, AnyFloat) else _integer_zero(element)
    scalar = arith.ConstantOp.create(properties={"value": zero}, result_types=[element])
    yield scalar
    if isa(type, VectorType):
        yield loop.BroadcastOp(scalar.results[0], type.get_shape()[0])


def _integer_zero(type: Attribute) -> Attribute:
    if not isa(type, IntegerType):
        raise CompilerBug(f"{type} has no zero")
    return IntegerAttr(0, type)
