"""Kernels as C functions: one operation after the other."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.memory.buffers import written_by
from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c import lanes, memory, products
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.control import lower_for, lower_if
from s2s.passes.loop.lower_to_c.floats import FLOATS
from s2s.passes.loop.lower_to_c.index import INDEX, index_expression
from s2s.passes.loop.lower_to_c.integers import INTEGERS
from s2s.passes.loop.lower_to_c.neighbours import Neighbours
from s2s.passes.loop.lower_to_c.parallel import is_parallel, lower_parallel
from s2s.passes.loop.lower_to_c.vectors import lower_vector

DOC = "doc"
"""Attribute of a kernel: the comment above its C function."""

_SCALARS = {**INTEGERS, **FLOATS}


def lower_kernel(func: FuncOp, name: str, in_place: frozenset[int], *, restrict_macro: bool = False) -> c.FuncOp:
    """The C function called `name`. The buffers numbered `in_place` may be the first one; all others are apart."""
    types = parameter_types(func, in_place)
    block = Block(arg_types=types)
    _lower_body(func, block, Builder(block))
    return c.FuncOp(name, types, body=block, doc=doc_of(func), restrict_macro=restrict_macro)


def lower_part(func: FuncOp, name: str, in_place: frozenset[int]) -> c.FuncOp:
    """The static C function that runs the iterations of a divided kernel from its last but one argument to its last."""
    types = [*parameter_types(func, in_place), INDEX, INDEX]
    block = Block(arg_types=types)
    for argument, hint in zip(block.args[-2:], ("first", "last"), strict=True):
        argument.name_hint = hint
    _lower_body(func, block, Builder(block, part=(block.args[-2], block.args[-1])))
    return c.FuncOp(name, types, body=block, doc=doc_of(func), static=True, outline=True)


def _lower_body(func: FuncOp, block: Block, b: Builder) -> None:
    for old, new in zip(func.args, block.args, strict=False):
        b.bind(old, new)
    _lower_block(b, func.body.block)


def doc_of(func: FuncOp) -> str | None:
    """The comment above the function."""
    return getattr(func.attributes.get(DOC), "data", None)


def parameter_types(func: FuncOp, in_place: frozenset[int]) -> list[Attribute]:
    """Pointers to the buffers of a kernel: const where it only reads, restrict but for those that may be the first."""
    shared = in_place | {0} if in_place else frozenset[int]()
    written = written_by(func)
    return [
        _parameter_type(argument.type, const=argument not in written, restrict=number not in shared)
        for number, argument in enumerate(func.args)
    ]


def _parameter_type(type: Attribute, *, const: bool, restrict: bool) -> Attribute:
    """A pointer to elements of a buffer."""
    pointer = value_type(type)
    if not isinstance(pointer, c.PtrType):
        raise CompilerBug(f"a kernel takes {type}, which is not a buffer")
    return c.PtrType(pointer.element, const=const, restrict=restrict)


def _lower_block(b: Builder, block: Block) -> None:
    neighbours = Neighbours.of(b, block)
    for op in block.ops:
        _lower(b, op, neighbours)


def _lower(b: Builder, op: Operation, neighbours: Neighbours) -> None:
    """Append the C of one operation."""
    match op:
        case loop.ForOp():
            lower = lower_parallel if is_parallel(op) else lower_for
            lower(b, op, lambda inner: _lower_block(b, inner))
        case loop.IfOp():
            lower_if(b, op, lambda inner: _lower_block(b, inner))
        case loop.LoadOp():
            b.bind(op.result, memory.load(b, op, neighbours.position(b, op)))
        case loop.StoreOp():
            memory.store(b, op, neighbours.position(b, op))
        case loop.StoreAtOp():
            memory.store_at(b, op)
        case loop.StoreInterleavedOp() | loop.StageOp():
            _bytes(b, op)
        case loop.PrefetchOp():
            memory.prefetch(b, op, neighbours.position(b, op))
        case loop.CallbackOp():
            b.block.add_op(c.CallOp(op.function.data, [b.value(operand) for operand in op.operands]))
        case loop.YieldOp() | ReturnOp():
            pass
        case _:
            b.bind(op.results[0], _expression(b, op))


def _bytes(b: Builder, op: loop.StoreInterleavedOp | loop.StageOp) -> None:
    """Append a copy of bytes, or a store of several vectors."""
    if isinstance(op, loop.StageOp):
        products.stage(b, op)
    else:
        lanes.store_interleaved(b, op)


def _expression(b: Builder, op: Operation) -> SSAValue:
    """The C of an operation that gives a value."""
    match op:
        case loop.LoadAtOp():
            return memory.load_at(b, op)
        case loop.DotRowsOp() | loop.LoadGroupsOp() | loop.DotGroupsOp() | loop.WidenOp() | loop.DotOp():
            return _product(b, op)
        case loop.ApplyOp():
            return index_expression(b, op.map.data.results[0], op.indices)
        case _ if any(isinstance(value.type, VectorType) for value in (*op.operands, *op.results)):
            return lower_vector(b, op)
        case arith.ConstantOp():
            return _constant(b, op)
        case arith.SelectOp():
            chosen, otherwise = b.same_sign(op.lhs, op.rhs)
            return b.add(c.ConditionalOp(b.value(op.cond), chosen, otherwise))
        case _ if type(op) in _SCALARS:
            return _SCALARS[type(op)](b, op)
        case _:
            raise CompilerBug(f"{op.name} has no C")


def _product(
    b: Builder, op: loop.DotRowsOp | loop.LoadGroupsOp | loop.DotGroupsOp | loop.WidenOp | loop.DotOp
) -> SSAValue:
    """Sums of products of small integers, and what they are made from."""
    match op:
        case loop.DotRowsOp():
            return lanes.dot_rows(b, op)
        case loop.LoadGroupsOp():
            return lanes.load_groups(b, op)
        case loop.DotGroupsOp():
            return lanes.dot_groups(b, op)
        case loop.WidenOp():
            return products.widen(b, op)
        case loop.DotOp():
            return products.dot(b, op)


def _constant(b: Builder, op: arith.ConstantOp) -> SSAValue:
    if isinstance(op.value, DenseIntOrFPElementsAttr) or not isa(op.value, IntegerAttr | FloatAttr):
        raise CompilerBug(f"{op.value} is not a number")
    return b.literal(op.value.value.data, value_type(op.result.type))
