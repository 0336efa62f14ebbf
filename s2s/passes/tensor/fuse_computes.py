"""Fuse the computations of a kernel, so that intermediate values stay in registers.

A pointwise consumer moves into the `apply` region of its producer, which saves a pass over memory:

    %a = tensor.compute [8 | 3] reads(%x, %w) … apply { ^bb0(%acc): yield %acc }
    %b = tensor.compute [8] epilogue(%a at identity, %c) apply { ^bb0(%av, %cv): yield max(%av + %cv, 0) }
->
    %b = tensor.compute [8 | 3] reads(%x, %w) epilogue(%c) … apply { ^bb0(%acc, %cv): yield max(%acc + %cv, 0) }

A pointwise producer moves into its consumer; its accesses are composed with the consumer's. A producer that only
moves elements does so too, where the consumer reads it as a table:

    %a = tensor.compute [4, 8] epilogue(%i at (d0)) tables(%x) apply { yield extract %x[%i, d1] }
    %b = tensor.compute [4, 16] epilogue(%j at (d1)) tables(%a) apply { yield extract %a[d0, %j] }
->
    %b = tensor.compute [4, 16] epilogue(%j at (d1), %i at (d0)) tables(%x) apply { yield extract %x[%i, %j] }

Declined where work would be repeated (a producer with arithmetic that is read more than once), where a guard of one
would have another meaning in the other, and where the consumer reads elements in another order than they are written.
On targets with caches also where a transpose would turn rows of a table that a large producer extracts into columns: a
sample of 64 channels at each pixel reads 64 neighbours, but one of each of 64 rows once the pixels are innermost.
"""

from collections.abc import Callable, Sequence
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.structure.compute import body_ops, composed, moves_only, own_position, reads_in_place, shape_of, slots
from s2s.dialects import tensor
from s2s.passes.context import target_of
from s2s.passes.tensor.build_compute import ComputeBuilder, Position, Slot, copy_region
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.affine import delinearize, ranges, simplify
from s2s.types.dtypes import size_in_bytes
from s2s.types.sizes import CUTS


def fuse_consumer(producer: tensor.ComputeOp, consumer: tensor.ComputeOp) -> tensor.ComputeOp | None:
    """Fuse `consumer` into the `apply` region of `producer`; None if that is not possible."""
    value = producer.res[0]
    if len(producer.res) != 1 or consumer.reduce is not None or value in consumer.tables:
        return None
    if any(use.operation is not consumer for use in value.uses) or _asks_for_index(consumer):
        return None
    sizes, own = consumer.parallel_sizes, producer.parallel_sizes
    if prod(sizes) != prod(own):  # the first elements are read in place, too
        return None
    epilogue = slots(consumer.epilogue, consumer.epilogue_accesses)
    if not all(
        not access.is_guarded and reads_in_place(value, access, sizes)
        for operand, access in epilogue
        if operand is value
    ):
        return None
    into = _dims_in(own, sizes)
    build = ComputeBuilder(own, producer.reduction_sizes, list(producer.inits))
    reads = [build.read(slot) for slot in slots(producer.reads, producer.read_accesses)]
    first = [build.epilogue_operand(slot) for slot in slots(producer.epilogue, producer.epilogue_accesses)]
    second = [
        None if operand is value else build.epilogue_operand((operand, _compose(access, into, own)))
        for operand, access in epilogue
    ]
    for table in [*producer.tables, *consumer.tables]:
        build.table(table)
    build.open()
    if producer.reduce is not None:
        block = build.reduce_block
        arguments = [*map(build.read_argument, reads), *build.accumulators(block), *_tables(build, block, producer)]
        block.add_op(tensor.YieldOp(*copy_region(producer.reduce, arguments, block)))
    block = build.apply_block
    arguments = [*build.accumulators(block), *map(build.epilogue_argument, first), *_tables(build, block, producer)]
    (inner,) = copy_region(producer.apply, arguments, block)
    arguments = [inner if number is None else build.epilogue_argument(number) for number in second]
    results = copy_region(consumer.apply, [*arguments, *_tables(build, block, consumer)], block)
    block.add_op(tensor.YieldOp(*results))
    return build.finish(consumer, producer, names=producer)


def fuse_producer(producer: tensor.ComputeOp, consumer: tensor.ComputeOp, l1_bytes: int = 0) -> tensor.ComputeOp | None:
    """Fuse `producer` into `consumer` where that reads it; None if that is not possible, or scatters what the producer
    reads over more than a cache of `l1_bytes`."""
    value = producer.res[0]
    if len(producer.res) != 1 or producer.reduce is not None or value in consumer.tables:
        return None
    if producer.parallel_sizes != shape_of(value):
        return None
    if l1_bytes and _turns_rows(producer, consumer) and _bytes(producer) > l1_bytes:
        return None
    accesses = [*slots(consumer.reads, consumer.read_accesses), *slots(consumer.epilogue, consumer.epilogue_accesses)]
    if any(_positions(producer, access) is None for operand, access in accesses if operand is value):
        return None
    guarded = any(access.is_guarded for access in producer.epilogue_accesses)
    for operand, access in slots(consumer.reads, consumer.read_accesses):
        if operand is value and (guarded or not _may_inline(producer, access, _cheap(producer, consumer.sizes))):
            return None
    for operand, access in slots(consumer.epilogue, consumer.epilogue_accesses):
        if operand is value and not _may_inline(producer, access, _cheap(producer, consumer.parallel_sizes)):
            return None
    return _inline(producer, consumer)


def _turns_rows(producer: tensor.ComputeOp, consumer: tensor.ComputeOp) -> bool:
    """Return whether `producer` combines extracts of neighbours along its last dimension, and `consumer` runs along
    another one."""
    last = _last_dim(producer)
    if last is None or moves_only(producer) or last not in _dims_of_rows(producer):
        return False
    accesses = [*slots(consumer.reads, consumer.read_accesses), *slots(consumer.epilogue, consumer.epilogue_accesses)]
    along = [access.map.data.results[last] for value, access in accesses if value is producer.res[0]]
    return any(expr.used_dims() and expr != AffineDimExpr(_last_dim(consumer) or 0) for expr in along)


def _bytes(op: tensor.ComputeOp) -> int:
    """Return the bytes of the result of `op`."""
    return prod(op.parallel_sizes) * size_in_bytes(tensor.element_type(op.res[0]))


def _last_dim(op: tensor.ComputeOp) -> int | None:
    """Return the last dimension with several positions."""
    return next((dim for dim in reversed(range(op.rank)) if op.sizes[dim] > 1), None)


def _dims_of_rows(op: tensor.ComputeOp) -> set[int]:
    """Return the dimensions that index the last axis of a table."""
    last = [inner.indices[-1].owner for inner in body_ops(op) if isinstance(inner, tensor.ExtractOp)]
    return {owner.dim.value.data for owner in last if isinstance(owner, tensor.IndexOp)}


def _may_inline(producer: tensor.ComputeOp, access: tensor.AccessAttr, cheap: bool) -> bool:
    if not cheap or any(divisor > 1 for divisor in access.division):
        return False
    return not access.is_guarded or _same_bounds(producer, access)


def _positions(producer: tensor.ComputeOp, access: tensor.AccessAttr) -> dict[int, Position] | None:
    """Map each dimension whose index `producer` uses to its value in the consumer; None if it is not a plain one."""
    found: dict[int, Position] = {}
    for dim in _asked_dims(producer):
        expr = access.map.data.results[dim]
        if not isinstance(expr, AffineDimExpr | AffineConstantExpr) or access.is_guarded:
            return None
        found[dim] = expr
    return found


def _asked_dims(op: tensor.ComputeOp) -> set[int]:
    return {inner.dim.value.data for inner in body_ops(op) if isinstance(inner, tensor.IndexOp)}


def _same_bounds(producer: tensor.ComputeOp, read: tensor.AccessAttr) -> bool:
    """Return whether `read` misses the result of `producer` exactly if it misses all operands: the maps only permute,
    the result ends where the operands do, and `read` never misses a dimension of one position that they leave out."""
    if CUTS in producer.attributes:
        return False
    never = {dim for dim, expr in enumerate(read.map.data.results) if expr == AffineConstantExpr(0)}
    for operand, access in slots(producer.epilogue, producer.epilogue_accesses):
        axes = list(zip(access.map.data.results, shape_of(operand), strict=True))
        moved = {expr.position: size for expr, size in axes if isinstance(expr, AffineDimExpr)}
        plain = [expr for expr, size in axes if expr == AffineConstantExpr(0) and size == 1]
        left_out = set(range(producer.rank)) - set(moved)
        if access.is_guarded or len(moved) + len(plain) < len(axes) or not left_out <= never:
            return False
        if any(size != producer.sizes[dim] for dim, size in moved.items()):
            return False
    return bool(producer.epilogue) and not producer.tables


def _cheap(producer: tensor.ComputeOp, domain: Sequence[int]) -> bool:
    """Return whether `producer` may be computed at every point of `domain`: it has no arithmetic, or repeats none."""
    return moves_only(producer) or (producer.res[0].has_one_use() and prod(domain) <= prod(producer.sizes))


def _inline(producer: tensor.ComputeOp, consumer: tensor.ComputeOp) -> tensor.ComputeOp:
    build = ComputeBuilder(consumer.parallel_sizes, consumer.reduction_sizes, list(consumer.inits))
    reads = _register(build.read, producer, slots(consumer.reads, consumer.read_accesses), consumer.sizes)
    epilogue = _register(
        build.epilogue_operand, producer, slots(consumer.epilogue, consumer.epilogue_accesses), consumer.parallel_sizes
    )
    for table in [*producer.tables, *consumer.tables]:
        build.table(table)
    build.open()
    asked: dict[SSAValue, SSAValue] = {}
    if consumer.reduce is not None:
        block = build.reduce_block
        values, guards = _arguments(build, block, producer, reads, consumer.read_accesses, build.read_argument)
        own = consumer.reduce.block.args
        arguments = [*values, *build.accumulators(block), *_tables(build, block, consumer)]
        asked |= {own[number]: guard for number, guard in guards.items()}
        block.add_op(tensor.YieldOp(*copy_region(consumer.reduce, arguments, block, asked)))
    block = build.apply_block
    values, guards = _arguments(build, block, producer, epilogue, consumer.epilogue_accesses, build.epilogue_argument)
    own, first = consumer.apply.block.args, len(build.inits)
    asked |= {own[first + number]: guard for number, guard in guards.items()}
    arguments = [*build.accumulators(block), *values, *_tables(build, block, consumer)]
    block.add_op(tensor.YieldOp(*copy_region(consumer.apply, arguments, block, asked)))
    return build.finish(consumer, producer, names=consumer)


def _register(
    add: Callable[[Slot], int], producer: tensor.ComputeOp, operands: Sequence[Slot], sizes: Sequence[int]
) -> list[list[int] | int]:
    """Register the operands of a consumer; replace the producer's result by the producer's operands."""
    numbers: list[list[int] | int] = []
    for operand, access in operands:
        if operand is producer.res[0]:
            inner = slots(producer.epilogue, producer.epilogue_accesses)
            numbers.append(
                [add((point, _compose(own, access.map.data, sizes, access.is_guarded))) for point, own in inner]
            )
        else:
            numbers.append(add((operand, access)))
    return numbers


def _arguments(
    build: ComputeBuilder,
    block: Block,
    producer: tensor.ComputeOp,
    numbers: Sequence[list[int] | int],
    accesses: Sequence[tensor.AccessAttr],
    argument: Callable[[int], BlockArgument],
) -> tuple[list[SSAValue], dict[int, SSAValue]]:
    """Return the values in `block` of a consumer's operands, and the arguments whose bounds guard the computed ones."""
    values: list[SSAValue] = []
    guards: dict[int, SSAValue] = {}
    for place, number in enumerate(numbers):
        if isinstance(number, int):
            values.append(argument(number))
            continue
        inner = [*map(argument, number), *_tables(build, block, producer)]
        values += copy_region(producer.apply, inner, block, positions=_positions(producer, accesses[place]))
        if number:
            guards[place] = argument(number[0])
    return values, guards


def _compose(
    access: tensor.AccessAttr, into: AffineMap, sizes: Sequence[int], guarded: bool = False
) -> tensor.AccessAttr:
    composition = composed(access.map.data, into, sizes)
    return tensor.AccessAttr.of(composition, guarded=guarded or access.is_guarded, divisors=access.division)


def _dims_in(own: Sequence[int], other: Sequence[int]) -> AffineMap:
    """Map a domain of `own` sizes to one of `other` sizes with the same row-major order, by its dimensions."""
    if tuple(own) == tuple(other):
        return AffineMap.identity(len(own))
    bound = ranges(own)
    return AffineMap(len(own), 0, tuple(simplify(expr, bound) for expr in delinearize(own_position(own), other)))


def _asks_for_index(op: tensor.ComputeOp) -> bool:
    return any(isinstance(inner, tensor.IndexOp) for inner in body_ops(op))


def _tables(build: ComputeBuilder, block: Block, op: tensor.ComputeOp) -> list[SSAValue]:
    return [build.table_argument(block, table) for table in op.tables]


def fuse_table(producer: tensor.ComputeOp, consumer: tensor.ComputeOp) -> tensor.ComputeOp | None:
    """Fuse `producer`, which only moves elements, into the extracts of `consumer`; None if that is not possible."""
    value = producer.res[0]
    if value not in consumer.tables or consumer.reduce is not None or not _extracts_only(producer):
        return None
    if value in consumer.epilogue or producer.parallel_sizes != shape_of(value):
        return None
    extracts = [
        op for op in body_ops(consumer) if isinstance(op, tensor.ExtractOp) and _table_of(op, consumer) is value
    ]
    into = [_into(producer, consumer, op.indices) for op in extracts]
    build = ComputeBuilder(consumer.parallel_sizes, [], [])
    epilogue = [build.epilogue_operand(slot) for slot in slots(consumer.epilogue, consumer.epilogue_accesses)]
    inner: dict[Operation, list[int]] = {}
    for op, dims in zip(extracts, into, strict=True):
        if dims is None:
            return None
        sizes = consumer.parallel_sizes
        own = slots(producer.epilogue, producer.epilogue_accesses)
        inner[op] = [build.epilogue_operand((point, _compose(access, dims, sizes))) for point, access in own]
    for table in [*producer.tables, *(table for table in consumer.tables if table is not value)]:
        build.table(table)
    build.open()
    block = build.apply_block
    given = [*map(build.epilogue_argument, epilogue), *consumer.apply.block.args[len(epilogue) :]]
    values: dict[SSAValue, SSAValue] = dict(zip(consumer.apply.block.args, given, strict=True))
    for argument, table in zip(consumer.apply.block.args[len(epilogue) :], consumer.tables, strict=True):
        if table is not value:
            values[argument] = build.table_argument(block, table)
    for op in consumer.apply.block.ops:
        if op in inner:
            arguments = [*map(build.epilogue_argument, inner[op]), *_tables(build, block, producer)]
            places: dict[int, Position] = {dim: values[index] for dim, index in enumerate(op.operands[1:])}
            values[op.results[0]] = copy_region(producer.apply, arguments, block, positions=places)[0]
            continue
        copy = op.clone(value_mapper=dict(values))
        block.add_op(copy)
        values.update(zip(op.results, copy.results, strict=True))
    return build.finish(consumer, producer, names=consumer)


def _extracts_only(op: tensor.ComputeOp) -> bool:
    """Return whether `op` yields elements of a table unmodified, and has no guarded reads."""
    last = op.apply.block.last_op
    moved = isinstance(last, tensor.YieldOp) and isinstance(last.arguments[0].owner, tensor.ExtractOp)
    plain = all(not a.is_guarded and all(divisor == 1 for divisor in a.division) for a in op.epilogue_accesses)
    return moved and plain and op.reduce is None and len(op.res) == 1


def _table_of(op: tensor.ExtractOp, compute: tensor.ComputeOp) -> SSAValue:
    """Return the operand of `compute` that `op` reads."""
    arguments = list(compute.apply.block.args)[-len(compute.tables) :]
    return compute.tables[next(place for place, argument in enumerate(arguments) if argument is op.table)]


def _into(producer: tensor.ComputeOp, consumer: tensor.ComputeOp, indices: Sequence[SSAValue]) -> AffineMap | None:
    """Return the dimensions at which the operands of `producer` are read, as functions of the consumer's dimensions."""
    used = {dim for access in producer.epilogue_accesses for dim in access.map.data.used_dims()}
    exprs: list[AffineExpr] = []
    for dim, index in enumerate(indices):
        owner = index.owner
        if isinstance(owner, tensor.IndexOp):
            exprs.append(AffineDimExpr(owner.dim.value.data))
        elif dim in used:
            return None
        else:
            exprs.append(AffineConstantExpr(0))
    return AffineMap(consumer.rank, 0, tuple(exprs))


def _fuse_into(consumer: tensor.ComputeOp, target: Target) -> tensor.ComputeOp | None:
    """Fuse one producer into `consumer`, if possible; the fused computation replaces the consumer."""
    for value in dict.fromkeys([*consumer.epilogue, *consumer.reads, *consumer.tables]):
        producer = value.owner
        if not isinstance(producer, tensor.ComputeOp):
            continue
        fused = (
            fuse_producer(producer, consumer, target.l1_bytes)
            or fuse_consumer(producer, consumer)
            or fuse_table(producer, consumer)
        )
        if fused is None:
            continue
        Rewriter.replace_op(consumer, fused)
        if not value.uses:
            Rewriter.erase_op(producer)
        return fused
    return None


@frozen
class FuseComputesPass(ModulePass):
    name = "tensor-fuse-computes"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            for inner in list(func.body.block.ops):
                current = inner if isinstance(inner, tensor.ComputeOp) else None
                while current is not None:
                    current = _fuse_into(current, target)
