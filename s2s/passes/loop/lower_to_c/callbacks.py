"""Lower calls of C functions that the user or a code generator supplies, and declare them."""

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region, SSAValue

from s2s.analysis.network.functions import DEFINITIONS, DEVICE, EXTERNAL, HEADERS, PACKED, SOURCE
from s2s.dialects import c, loop
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import index_expression
from s2s.passes.loop.lower_to_c.arena import element_of
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.hints import isa

DOC = "Supplied by the user: writes its outputs, which come first, from its inputs."
DOC_OF_PACKED = "Calls the packed function {packed}: writes its outputs, which come first, from its inputs."
DOC_OF_GENERATOR = "Code for {generator}: writes its outputs, which come first, from its inputs."


CARRIED = (SOURCE, EXTERNAL, DEFINITIONS, HEADERS, PACKED, DEVICE)
"""What a prototype keeps of the kernel that calls it, for the file of its source."""


@LOWERINGS.register(loop.WeightOp)
def weight(b: Builder, op: loop.WeightOp) -> SSAValue:
    """The array that holds a constant of the code generator."""
    return b.add(c.SymbolOp(b.weights[op.weight.data], c.PtrType(element_of(op.result.type), const=True)))


@LOWERINGS.register(loop.CallbackOp)
def call(b: Builder, op: loop.CallbackOp) -> None:
    """A call of a C function."""
    b.block.add_op(c.CallOp(op.function.data, [b.value(operand) for operand in op.operands]))


@LOWERINGS.register(loop.BlockCallOp)
def block_call(b: Builder, op: loop.BlockCallOp) -> None:
    """A call of a C function with pointers to blocks, which are not `const`, as the function may leave that out."""
    arguments: list[SSAValue] = []
    for each in op.arguments:
        if isa(each, IntegerAttr) and isinstance(each.type, IndexType):
            number = each.value.data
            at = index_expression(b, op.map.data.results[number], op.indices)
            arguments.append(_without_const(b, pointer(b, op.buffers[number], at)))
        elif isa(each, IntegerAttr) or isa(each, FloatAttr):
            arguments.append(b.literal(each.value.data, each.type))
    b.block.add_op(c.CallOp(op.function.data, arguments, header=op.header.data))


def _without_const(b: Builder, value: SSAValue) -> SSAValue:
    type = value.type
    return b.add(c.CastOp(value, c.PtrType(type.element))) if isinstance(type, c.PtrType) and type.is_const else value


def callback_prototypes(kernels: Iterable[FuncOp]) -> list[c.FuncOp]:
    """Return one prototype for each function that `kernels` call, with its definition if there is one."""
    found: dict[str, c.FuncOp] = {}
    for kernel in kernels:
        for op in walk(kernel):
            if isinstance(op, loop.CallbackOp) and op.function.data not in found:
                kept = {key: kernel.attributes[key] for key in CARRIED if key in kernel.attributes}
                found[op.function.data] = _prototype(op, kept)
    return list(found.values())


def _prototype(op: loop.CallbackOp, kept: Mapping[str, Attribute]) -> c.FuncOp:
    generator, packed = kept.get(EXTERNAL), kept.get(PACKED)
    doc = DOC_OF_GENERATOR.format(generator=generator.data) if isinstance(generator, StringAttr) else DOC
    doc = DOC_OF_PACKED.format(packed=packed.data) if isinstance(packed, StringAttr) else doc
    types = [*_pointers(op.outputs, const=False), *_pointers(op.inputs, const=True)]
    names = [*_numbered("y", len(op.outputs)), *_numbered("x", len(op.inputs))]
    made = c.FuncOp(op.function.data, types, body=Region(), parameters=names, doc=doc)
    made.attributes |= kept
    return made


def _pointers(buffers: Sequence[SSAValue], *, const: bool) -> list[Attribute]:
    found: list[Attribute] = []
    for buffer in buffers:
        pointer = value_type(buffer.type)
        if not isinstance(pointer, c.PtrType):
            raise CompilerBug(f"a callback takes {buffer.type}, which is not a buffer")
        found.append(c.PtrType(pointer.element, const=const))
    return found


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}{number}" for number in range(count)]
