"""Build a `tensor.compute` from index expressions and Python functions on scalars.

    d = dims(3)
    compute(
        rewriter, op, [m, n], [k],
        reads=[at(a, d[0], d[2]), at(b, d[2], d[1])],
        inits=[(0, f32)],
        reduce=lambda s, x, w, acc: acc + x * w,
        apply=lambda s, acc: acc,
    )

The builder guards accesses that can miss their operand, simplifies index expressions by the sizes of the domain,
inlines a one-element `graph.constant` into the region, and computes floats narrower than f32 in f32,
rounded once when they are stored.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Required, TypedDict, Unpack

from xdsl.builder import Builder
from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from s2s.analysis.structure.compute import DIM_NAMES, shape_of
from s2s.analysis.structure.extents import reshaped
from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import type_of
from s2s.dialects.tensor import AccessAttr
from s2s.errors import UnsupportedError
from s2s.passes.graph.lower_to_tensor.conversion import Number, number_attribute, widened
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.types.affine import bounds, ranges, simplify
from s2s.types.dtypes import from_dense, is_float, scalar_type, tensor_type
from s2s.types.sizes import VARIES, extents_attribute, extents_of

Index = AffineExpr | int
Outcome = Scalar | tuple[Scalar, ...]
Body = (
    Callable[[Scalars], Outcome]
    | Callable[[Scalars, Scalar], Outcome]
    | Callable[[Scalars, Scalar, Scalar], Outcome]
    | Callable[[Scalars, Scalar, Scalar, Scalar], Outcome]
    | Callable[[Scalars, Scalar, Scalar, Scalar, Scalar], Outcome]
    | Callable[[Scalars, Scalar, Scalar, Scalar, Scalar, Scalar], Outcome]
    | Callable[[Scalars, *tuple[Scalar, ...]], Outcome]
)
"""A function that writes a region: it takes the region's arguments and returns what the region yields."""


class Operand(NamedTuple):
    """A tensor and the expressions of its indices over the dimensions of the domain."""

    value: SSAValue
    indices: tuple[AffineExpr, ...]
    divisors: tuple[int, ...]
    guarded: bool = False
    """Whether an index may be out of bounds in a run whose sizes are not the greatest."""


class Argument(NamedTuple):
    """An argument of a region: a block argument of `type`, or a known number."""

    element: Attribute
    type: Attribute | None
    name: str | None = None
    number: Number = 0


def place(op: Operation) -> str:
    """The location of `op` for error messages: `conv1 (graph.conv)`."""
    return f"{', '.join(graph.provenance(op)) or 'a node'} ({op.name})"


def dims(count: int) -> tuple[AffineExpr, ...]:
    """The dimensions of a domain."""
    return tuple(AffineDimExpr(position) for position in range(count))


def at(value: SSAValue, *indices: Index, divisors: Sequence[int] | None = None) -> Operand:
    """`value[indices]`, each index divided by its divisor; an access with a remainder misses the operand."""
    exprs = tuple(AffineConstantExpr(index) if isinstance(index, int) else index for index in indices)
    return Operand(value, exprs, tuple(divisors or (1,) * len(exprs)))


def aligned(value: SSAValue, indices: Sequence[AffineExpr]) -> Operand:
    """`value` broadcast by numpy's rule to a tensor with indices `indices`."""
    shape = shape_of(value)
    last = indices[len(indices) - len(shape) :]
    return at(value, *(0 if size == 1 else index for size, index in zip(shape, last, strict=True)))


class Parts(TypedDict, total=False):
    """The operands and the bodies of a computation; see `structured`."""

    reads: Sequence[Operand]
    epilogue: Sequence[Operand]
    tables: Sequence[SSAValue]
    inits: Sequence[tuple[Number, Attribute]]
    reduce: Body | None
    apply: Required[Body]
    widen: bool
    names: Sequence[str]
    shape: Sequence[int] | None


def compute(
    rewriter: PatternRewriter,
    op: Operation,
    parallel: Sequence[int],
    reduction: Sequence[int] = (),
    *,
    element: Attribute | None = None,
    hint: str | None = None,
    **parts: Unpack[Parts],
) -> SSAValue:
    """Insert a computation of shape `parallel` before `op`, and return its result.

    `element` is the element type of the result, by default that of `op`; `hint` names an intermediate result.
    """
    element = type_of(op.results[0]).element_type if element is None else element
    if 0 in parallel:
        raise UnsupportedError(
            f"{place(op)}: the result {list(parallel)} has no element; take the node out of the model"
        )
    made = structured(parallel, reduction, element=element, **parts)
    graph.copy_provenance(made, op)
    _state_extents(made, op)
    made.res[0].name_hint = hint
    return rewriter.insert(made).res[0]


def _state_extents(made: tensor.ComputeOp, op: Operation) -> None:
    """Give the domain of `made` the extents that `op` states for its result, where that is its result as well."""
    shape = shape_of(op.results[0])
    if VARIES in op.attributes and shape == shape_of(made.res[0]):
        parallel = reshaped(shape, extents_of(op.attributes[VARIES], len(shape)), made.parallel_sizes)
        made.properties["extents"] = extents_attribute([*parallel, *[""] * len(made.reduction_sizes)])


def structured(
    parallel: Sequence[int],
    reduction: Sequence[int] = (),
    *,
    reads: Sequence[Operand] = (),
    epilogue: Sequence[Operand] = (),
    tables: Sequence[SSAValue] = (),
    inits: Sequence[tuple[Number, Attribute]] = (),
    reduce: Body | None = None,
    apply: Body,
    element: Attribute | Sequence[Attribute],
    widen: bool = True,
    names: Sequence[str] = (),
    shape: Sequence[int] | None = None,
) -> tensor.ComputeOp:
    """Build a computation over the domain `parallel`, `reduction`; its result has `shape`, by default `parallel`.

    `reduce` combines the accumulators, which start from `inits`, with the elements of `reads`; `apply` computes the
    result from the accumulators and the elements of `epilogue`. Both see `tables` as a whole. Without `widen` they see
    narrow floats as they are stored. `names` are those of the dimensions. A reduction over no element yields the
    initial values. Several elements make as many results, each of which `apply` returns a scalar for.
    """
    elements = [element] if isinstance(element, Attribute) else list(element)
    accumulators = [Argument(kind, scalar_type(kind), "acc") for _, kind in inits]
    if reduce is None or 0 in reduction:
        accumulators = [Argument(kind, None, number=number) for number, kind in inits]
        reads, reduction, inits, reduce = (), (), (), None
    sizes = [*parallel, *reduction]
    whole = [Argument(type_of(table).element_type, table.type, table.name_hint) for table in tables]
    taken, read_accesses = region_arguments(reads, sizes)
    pointed, epilogue_accesses = region_arguments(epilogue, parallel)
    region = None
    if reduce is not None:
        region = write_region([*taken, *accumulators, *whole], reduce, [kind for _, kind in inits], widen=widen)
    made = tensor.ComputeOp(
        parallel,
        reduction,
        reads=read_accesses,
        epilogue=epilogue_accesses,
        tables=tables,
        inits=[number_attribute(number, kind) for number, kind in inits],
        reduce=region,
        apply=write_region([*accumulators, *pointed, *whole], apply, elements, widen=widen),
        result_types=[tensor_type(each, tuple(parallel if shape is None else shape)) for each in elements],
    )
    if names:
        made.attributes[DIM_NAMES] = StringAttr(" ".join(names))
    return made


def move(
    rewriter: PatternRewriter,
    op: Operation,
    parallel: Sequence[int],
    epilogue: Sequence[Operand],
    *,
    tables: Sequence[SSAValue] = (),
    apply: Body = lambda s, x: x,
) -> SSAValue:
    """Like `compute`, for operators that yield elements unmodified."""
    return compute(rewriter, op, parallel, epilogue=epilogue, tables=tables, apply=apply, widen=False)


def region_arguments(
    operands: Iterable[Operand], sizes: Sequence[int]
) -> tuple[list[Argument], list[tuple[SSAValue, AccessAttr]]]:
    """The region arguments for `operands`, and the accesses to the operands that are not inlined constants."""
    arguments: list[Argument] = []
    accesses: list[tuple[SSAValue, AccessAttr]] = []
    for operand in operands:
        kind = type_of(operand.value).element_type
        access = access_of(operand, sizes)
        number = None if access.is_guarded else constant_number(operand.value)
        if number is None:
            arguments.append(Argument(kind, scalar_type(kind), operand.value.name_hint))
            accesses.append((operand.value, access))
        else:
            arguments.append(Argument(kind, None, number=number))
    return arguments, accesses


def access_of(operand: Operand, sizes: Sequence[int]) -> AccessAttr:
    """The access of `operand` from a domain of `sizes`, guarded unless it hits an element at every point."""
    domain = ranges(sizes)
    indices = tuple(simplify(index, domain) for index in operand.indices)
    guarded = operand.guarded or any(divisor > 1 for divisor in operand.divisors)
    for index, size in zip(indices, type_of(operand.value).get_shape(), strict=True):
        low, high = bounds(index, domain)
        guarded = guarded or low < 0 or high >= size
    return AccessAttr.of(AffineMap(len(sizes), 0, indices), guarded=guarded, divisors=operand.divisors)


def constant_number(value: SSAValue) -> Number | None:
    """The value of all elements, if `value` is a splat `graph.constant`."""
    if not isinstance(value.owner, graph.ConstantOp):
        return None
    dense = value.owner.value
    if len(dense) != 1 and not dense.is_splat():
        return None
    return from_dense(dense).reshape(-1)[0].item()


def write_region(arguments: Sequence[Argument], body: Body, yields: Sequence[Attribute], *, widen: bool) -> Region:
    """Build a region that takes `arguments`, computes `body` and yields its results as `yields`."""
    block = Block(arg_types=[argument.type for argument in arguments if argument.type is not None])
    builder = Builder(InsertPoint.at_end(block))
    s = Scalars(builder)
    free = iter(block.args)
    values: list[Scalar] = []
    for argument in arguments:
        kind = widened(argument.element) if widen else argument.element
        if argument.type is None:
            values.append(s.constant(argument.number, kind))
            continue
        passed = next(free)
        passed.name_hint = argument.name
        value = s.argument(passed, argument.element)
        values.append(value if isinstance(argument.type, TensorType) else s.cast(value, kind))
    outcome = body(s, *values)
    results = (outcome,) if isinstance(outcome, Scalar) else outcome
    stored = [s.cast(y, kind) if is_float(y.element) else y for y, kind in zip(results, yields, strict=True)]
    builder.insert(tensor.YieldOp(*(y.value for y in stored)))
    return Region(block)
