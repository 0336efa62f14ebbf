"""Let the kernels of a device run beside the kernels of others, and wait for them late.

    func.call @dsp_first(%a, %x)
    func.call @other(%b, %x)
    func.call @last(%y, %a, %b)
->                                                              with {devices=dsp}
    loop.start_device_calls "dsp"
    func.call @dsp_first(%a, %x)
    func.call @other(%b, %x)
    loop.wait_device_calls "dsp", %a, %x : …
    func.call @last(%y, %a, %b)

A device does what it is handed in order: kernels, and the copies that hooks start for it. So the wait stands before the
first step of somebody else that writes a buffer of its kernels, or reads one that they write, or that copies between it
and another device at once, and before the end. It names the buffers of the kernels, which so live until then; those of
a device with a memory of its own (`apart`) are touched by that device alone. A wait for copies of the device waits for
its kernels, too. Declined for devices that `devices` does not list.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.memory.buffers import written_by
from s2s.analysis.network.functions import device_of
from s2s.dialects import loop
from s2s.support.frozen import frozen


@frozen
class StartDeviceCallsPass(ModulePass):
    """Insert the operations that start the kernels of devices, and the operations that wait for them."""

    name = "loop-start-device-calls"

    devices: tuple[str, ...] = ()
    """The devices whose kernels are started."""
    apart: tuple[str, ...] = ()
    """Devices with a memory of their own."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp)}
        for func in [each for each in functions.values() if not each.is_declaration]:
            _Queues(self, functions).run(func)


@dataclass
class _Queues:
    """The kernels that devices have been handed and nobody has waited for."""

    wanted: StartDeviceCallsPass
    functions: Mapping[str, FuncOp]
    buffers: dict[str, dict[SSAValue, None]] = field(default_factory=dict[str, dict[SSAValue, None]])
    """The buffers of these kernels by device, in the order of their first uses."""
    written: dict[str, set[SSAValue]] = field(default_factory=dict[str, set[SSAValue]])
    """Buffers that the kernels write."""

    def run(self, func: FuncOp) -> None:
        """Insert starts and waits into a network function."""
        for op in list(func.body.block.ops):
            if not isinstance(op, (*loop.STEPS, ReturnOp)):
                continue
            device = device_of(self.functions[op.callee.string_value()]) if isinstance(op, CallOp) else None
            for other in [each for each in self.buffers if each != device and self._is_waited_for(each, op)]:
                buffers = [] if other in self.wanted.apart else list(self.buffers[other])
                Rewriter.insert_op(loop.WaitDeviceCallsOp(other, buffers), InsertPoint.before(op))
                del self.buffers[other]
            if device in self.wanted.devices:
                if device not in self.buffers:
                    Rewriter.insert_op(loop.StartDeviceCallsOp(device), InsertPoint.before(op))
                    self.written[device] = set()
                self.buffers.setdefault(device, {}).update(dict.fromkeys(map(loop.whole_of, op.operands)))
                self.written[device] |= self._writes(op)

    def _is_waited_for(self, device: str, op: Operation) -> bool:
        """Return whether a step of somebody else wants the kernels of `device` to be done."""
        if isinstance(op, loop.DeviceCopyOp | loop.WaitDeviceCopyOp):
            return device in (op.origin.data, op.device.data)
        if isinstance(op, loop.StartDeviceCopyOp):
            return device not in (op.origin.data, op.device.data) and self._touches(device, op)
        return isinstance(op, ReturnOp) or self._touches(device, op)

    def _touches(self, device: str, op: Operation) -> bool:
        read = any(loop.whole_of(operand) in self.written[device] for operand in op.operands)
        return read or not self._writes(op).isdisjoint(self.buffers[device])

    def _writes(self, op: Operation) -> set[SSAValue]:
        """Return the buffers that a step writes; all that it touches where its kernel does not tell."""
        kernel = self.functions[op.callee.string_value()] if isinstance(op, CallOp) else None
        if not isinstance(op, CallOp) or kernel is None or not kernel.body.blocks:
            return set(map(loop.whole_of, op.operands))
        written = written_by(kernel)
        pairs = zip(kernel.body.block.args, op.arguments, strict=True)
        return {loop.whole_of(given) for argument, given in pairs if argument in written}
