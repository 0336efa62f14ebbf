"""Start copies between devices early, and wait for them late.

    func.call @first(%a, %x)
    func.call @other(%z, %x)
    loop.device_copy %b, %a from "main" to "dsp"
    func.call @second(%c, %b)
->                                                              with {devices=dsp}
    func.call @first(%a, %x)
    loop.start_device_copy %b, %a from "main" to "dsp"
    func.call @other(%z, %x)
    loop.wait_device_copy %b, %a from "main" to "dsp"
    func.call @second(%c, %b)

A copy starts after the last step that touches its source before it, and is waited for before the first step after it
that touches source or target. Steps in between run while it is under way; both buffers live until the wait. Declined
for devices that `devices` does not list: their copies stay where they are.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.dialects import loop
from s2s.dialects.graph.traits import copy_provenance
from s2s.support.frozen import frozen


@frozen
class StartDeviceCopiesPass(ModulePass):
    """Split the copies of some devices into start and wait."""

    name = "loop-start-device-copies"

    devices: tuple[str, ...] = ()
    """The devices whose hooks start copies."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                for copy in [each for each in func.body.block.ops if isinstance(each, loop.DeviceCopyOp)]:
                    if {copy.origin.data, copy.device.data} & set(self.devices):
                        _split(func.body.block, copy)


def _split(block: Block, copy: loop.DeviceCopyOp) -> None:
    buffers = {loop.whole_of(copy.target), loop.whole_of(copy.source)}
    ops = list(block.ops)
    place = ops.index(copy)
    before = [each for each in ops[:place] if _touches(each, buffers)]
    after = next(each for each in ops[place + 1 :] if isinstance(each, ReturnOp) or _touches(each, buffers))
    operands = (copy.target, copy.source, copy.origin, copy.device)
    start, wait = loop.StartDeviceCopyOp(*operands), loop.WaitDeviceCopyOp(*operands)
    copy_provenance(start, copy)
    first = before[-1] if before else None
    if first is None:
        block.insert_op_before(start, ops[0])
    else:
        block.insert_op_after(start, first)
    _move_up(block, copy.target, start)
    _move_up(block, copy.source, start)
    block.insert_op_before(wait, after)
    copy.detach()
    copy.erase()


def _touches(op: Operation, buffers: set[SSAValue]) -> bool:
    """Return whether `op` is a step that accesses one of the buffers."""
    return isinstance(op, loop.STEPS) and any(loop.whole_of(operand) in buffers for operand in op.operands)


def _move_up(block: Block, buffer: SSAValue, reader: Operation) -> None:
    """Move what defines `buffer` in front of `reader` where it stands behind."""
    op = buffer.owner
    if not isinstance(op, Operation) or list(block.ops).index(op) < list(block.ops).index(reader):
        return
    for operand in op.operands:
        _move_up(block, operand, reader)
    op.detach()
    block.insert_op_before(op, reader)
