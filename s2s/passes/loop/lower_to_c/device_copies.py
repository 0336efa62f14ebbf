"""Lower copies between devices, and what stands around the kernels of a device, to calls of hooks.

    loop.device_copy %y, %x from "main" to "dsp"
    loop.enter_device "dsp"
->
    net_copy_to_dsp(y, x, 1024);
    net_enter_dsp();
"""

from xdsl.dialects.builtin import IndexType

from s2s.dialects import c, loop
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.device_hooks import hook_of
from s2s.passes.loop.lower_to_c.step_table import STEP_LOWERINGS, StepBuilder


@STEP_LOWERINGS.register(loop.WaitDeviceCopyOp)
def lower_wait(steps: StepBuilder, op: loop.WaitDeviceCopyOp) -> None:
    """`net_wait_for_dsp();`, once for several waits in a row: it waits for all that is under way."""
    if isinstance(op.prev_op, loop.WaitDeviceCallsOp) and op.prev_op.device in (op.origin, op.device):
        return
    if (
        isinstance(op.prev_op, loop.WaitDeviceCopyOp)
        and op.prev_op.origin == op.origin
        and op.prev_op.device == op.device
    ):
        return
    steps.b.block.add_op(c.CallOp(hook_of(steps.names.prefix, op), []))


@STEP_LOWERINGS.register(loop.EnterDeviceOp, loop.LeaveDeviceOp, loop.StartDeviceCallsOp, loop.WaitDeviceCallsOp)
def lower_around_calls(steps: StepBuilder, op: loop.AroundDeviceCalls) -> None:
    """`net_enter_dsp();`"""
    steps.b.block.add_op(c.CallOp(hook_of(steps.names.prefix, op), []))


@STEP_LOWERINGS.register(loop.DeviceCopyOp, loop.StartDeviceCopyOp)
def lower_device_copy(steps: StepBuilder, op: loop.DeviceCopyOp | loop.StartDeviceCopyOp) -> None:
    """`net_copy_to_dsp(target, source, size);`"""
    b = steps.b
    size = b.literal(buffer_bytes(op.target), IndexType())
    b.block.add_op(c.CallOp(hook_of(steps.names.prefix, op), [b.value(op.target), b.value(op.source), size]))
