"""Mark the buffers of `main` that are in the memory of another device than the first one.

    %a = loop.alloc : memref<4xf32>
    loop.device_copy %a, %x from "main" to "dsp" : memref<4xf32>
    func.call @dsp_k(%b, %a)
->                                                              with {devices=dsp}
    %a = loop.alloc {memory_scope = "dsp"} : memref<4xf32>
    loop.device_copy %a, %x from "main" to "dsp" : memref<4xf32>
    func.call @dsp_k(%b, %a)

A buffer is in the memory of the device whose kernels access it; a copy between devices reads one memory and writes
another one. `loop-plan-memory` gives each memory an arena, and the graph JSON states the scope of each entry. A buffer
that two memories would have to hold is refused: a copy is missing. Declined for devices that share the memory of the
first one, which `devices` does not list, and for constants.
"""

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import device_of, main_of
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN

MEMORY_SCOPE = "memory_scope"
"""Attribute of an alloc, and of the view that replaces it: the device whose memory holds it; absent for the first."""


@frozen
class AnnotateMemoryScopePass(ModulePass):
    """Write the memory of each buffer."""

    name = "loop-annotate-memory-scope"

    devices: tuple[str, ...] = ()
    """The devices with a memory of their own."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp)}
        for buffer, device in _owners(main_of(op), kernels, self.devices).items():
            if device != MAIN and isinstance(buffer.owner, loop.AllocOp):
                buffer.owner.attributes[MEMORY_SCOPE] = StringAttr(device)


def scope_of(op: Operation) -> str:
    """Return the device whose memory holds a buffer."""
    found = op.attributes.get(MEMORY_SCOPE)
    return found.data if isinstance(found, StringAttr) else MAIN


def _owners(main: FuncOp, kernels: Mapping[str, FuncOp], devices: Sequence[str]) -> dict[SSAValue, str]:
    """Return the device whose memory holds each buffer; refuse a buffer that two memories would have to hold."""
    found: dict[SSAValue, str] = {}
    for op in main.body.block.ops:
        for value, device in _accessed(op, kernels, devices):
            buffer = loop.whole_of(value)
            if isinstance(buffer.owner, loop.WeightOp):
                continue
            held = MAIN if isinstance(buffer, BlockArgument) else found.setdefault(buffer, device)
            if held != device:
                raise CompilerBug(
                    f"{buffer.name_hint or 'a buffer'}: {device} accesses it, and it is in the memory of {held}; a "
                    "copy is missing"
                )
    return found


def _accessed(op: Operation, kernels: Mapping[str, FuncOp], devices: Sequence[str]) -> list[tuple[SSAValue, str]]:
    """Return the buffers that a step accesses, each with the memory that the access goes to."""
    if isinstance(op, loop.BetweenDevices):
        return [(op.target, op.device.data), (op.source, op.origin.data)]
    if not isinstance(op, loop.STEPS):
        return []
    device = device_of(kernels[op.callee.string_value()]) if isinstance(op, CallOp) else MAIN
    return [(operand, device if device in devices else MAIN) for operand in op.operands]
