"""Mark where the kernels of a device begin and end, so that a firmware can wake it, or flush caches.

    func.call @first(%a, %x)
    func.call @dsp_second(%b, %a)
    func.call @dsp_third(%c, %b)
    func.call @fourth(%y, %c)
->                                                              with {devices=dsp}
    func.call @first(%a, %x)
    loop.enter_device "dsp"
    func.call @dsp_second(%b, %a)
    func.call @dsp_third(%c, %b)
    loop.leave_device "dsp"
    func.call @fourth(%y, %c)

Kernels of one device with nothing but allocations between them are entered and left once; a copy between them begins
or ends a transfer, so the device is left before it. Declined for devices that `devices` does not list.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import device_of
from s2s.dialects import loop
from s2s.support.frozen import frozen


@frozen
class HookDeviceCallsPass(ModulePass):
    """Insert the operations that call the hooks of devices before and after kernels."""

    name = "loop-hook-device-calls"

    devices: tuple[str, ...] = ()
    """The devices that are entered and left."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp)}
        for func in [each for each in functions.values() if not each.is_declaration]:
            steps = [each for each in func.body.block.ops if isinstance(each, loop.STEPS)]
            for device, calls in _runs(steps, functions):
                if device in self.devices:
                    Rewriter.insert_op(loop.EnterDeviceOp(device), InsertPoint.before(calls[0]))
                    Rewriter.insert_op(loop.LeaveDeviceOp(device), InsertPoint.after(calls[-1]))


def _runs(steps: Sequence[Operation], functions: Mapping[str, FuncOp]) -> Iterator[tuple[str | None, list[Operation]]]:
    """Group steps that follow each other by the device that runs them; None for what is no call of a kernel."""

    def device(step: Operation) -> str | None:
        return device_of(functions[step.callee.string_value()]) if isinstance(step, CallOp) else None

    for found, run in groupby(steps, key=device):
        yield found, list(run)
