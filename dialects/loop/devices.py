"""Steps of networks that concern several devices: copies between their memories, and the hooks around kernels."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import BaseAttr, ParsePropInAttrDict, VarConstraint, operand_def, prop_def, var_operand_def

from s2s.dialects.loop.interfaces import Access, AccessInterface, read_any, write_any
from s2s.dialects.operation import Op, op_definition


class BetweenDevices(Op, AccessInterface):
    """The common part of copies between devices: `source` is in the memory of device `origin`, `target` in the memory
    of `device`."""

    T: ClassVar = VarConstraint("T", BaseAttr[MemRefType[Attribute]](MemRefType))
    target = operand_def(T)
    source = operand_def(T)
    origin = prop_def(StringAttr)
    device = prop_def(StringAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target `,` $source `from` $origin `to` $device attr-dict `:` type($target)"

    def __init__(self, target: SSAValue, source: SSAValue, origin: StringAttr, device: StringAttr) -> None:
        super().__init__(operands=[target, source], properties={"origin": origin, "device": device})

    def accesses(self) -> Sequence[Access]:
        return [write_any(self.target), read_any(self.source)]


@op_definition
class DeviceCopyOp(BetweenDevices):
    """`target = source`, all elements, from the memory of a device to the memory of another one."""

    name = "loop.device_copy"


@op_definition
class StartDeviceCopyOp(BetweenDevices):
    """Start `target = source`: until the wait for it, nobody may access `target` or write to `source`."""

    name = "loop.start_device_copy"


@op_definition
class WaitDeviceCopyOp(BetweenDevices):
    """Wait until the copy of `source` to `target`, which was started before, is complete."""

    name = "loop.wait_device_copy"


class AroundDeviceCalls(Op):
    """What the first device does around kernels of `device`; no operation may move across it."""

    device = prop_def(StringAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$device attr-dict"

    def __init__(self, device: StringAttr | str) -> None:
        super().__init__(properties={"device": StringAttr(device) if isinstance(device, str) else device})


@op_definition
class EnterDeviceOp(AroundDeviceCalls):
    """Let a device run: its next kernels follow."""

    name = "loop.enter_device"


@op_definition
class LeaveDeviceOp(AroundDeviceCalls):
    """Let a device rest: its kernels are done, and others read what they have computed."""

    name = "loop.leave_device"


@op_definition
class StartDeviceCallsOp(AroundDeviceCalls):
    """Let a device run beside the first one: calls of its kernels may return before they are done."""

    name = "loop.start_device_calls"


@op_definition
class WaitDeviceCallsOp(AroundDeviceCalls):
    """Wait until the kernels of a device are done; until then nobody else may write `buffers`, or read what is written
    there."""

    name = "loop.wait_device_calls"

    buffers = var_operand_def(MemRefType)
    assembly_format = "$device (`,` $buffers^ `:` type($buffers))? attr-dict"

    def __init__(self, device: StringAttr | str, buffers: Sequence[SSAValue]) -> None:
        name = StringAttr(device) if isinstance(device, str) else device
        Op.__init__(self, operands=[buffers], properties={"device": name})


__all__ = [
    "AroundDeviceCalls",
    "BetweenDevices",
    "DeviceCopyOp",
    "EnterDeviceOp",
    "LeaveDeviceOp",
    "StartDeviceCallsOp",
    "StartDeviceCopyOp",
    "WaitDeviceCallsOp",
    "WaitDeviceCopyOp",
]
