"""Lower calls of C functions that the user supplies, and declare these."""

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region, SSAValue

from s2s.analysis.network.functions import SOURCE
from s2s.dialects import c, loop
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.operations import LOWERINGS

DOC = "Supplied by the user: writes its outputs, which come first, from its inputs."


@LOWERINGS.register(loop.CallbackOp)
def call(b: Builder, op: loop.CallbackOp) -> None:
    """A call of a function of the user."""
    b.block.add_op(c.CallOp(op.function.data, [b.value(operand) for operand in op.operands]))


def callback_prototypes(kernels: Iterable[FuncOp]) -> list[c.FuncOp]:
    """Return one prototype for each function that `kernels` call, with its definition if there is one."""
    found: dict[str, c.FuncOp] = {}
    for kernel in kernels:
        for op in walk(kernel):
            if isinstance(op, loop.CallbackOp) and op.function.data not in found:
                made = _prototype(op)
                source = kernel.attributes.get(SOURCE)
                if isinstance(source, StringAttr):
                    made.attributes[SOURCE] = source
                found[op.function.data] = made
    return list(found.values())


def _prototype(op: loop.CallbackOp) -> c.FuncOp:
    types = [*_pointers(op.outputs, const=False), *_pointers(op.inputs, const=True)]
    names = [*_numbered("y", len(op.outputs)), *_numbered("x", len(op.inputs))]
    return c.FuncOp(op.function.data, types, body=Region(), parameters=names, doc=DOC)


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
