"""The hooks around devices: functions with a default definition, which a project may replace.

void net_copy_to_dsp(void *target, const void *source, size_t size)
{
    memcpy(target, source, size);
}

Hooks that enter or leave a device, start its kernels, or wait for it, do nothing by default.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block

from s2s.analysis.network.functions import DEVICE, HOOK
from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.passes.loop.plan_memory import operations_of_networks
from s2s.types.devices import MAIN

_TYPES = (c.PtrType(c.VOID), c.PtrType(c.VOID, const=True), c.NamedType("size_t"))
_PARAMETERS = ("target", "source", "size")
TO, FROM, START, WAIT, ENTER, LEAVE = WAYS = ("copy_to", "copy_from", "start", "wait_for", "enter", "leave")
"""What the hooks of a device do, in the order in which they are declared."""


_AROUND: dict[type[loop.AroundDeviceCalls], str] = {
    loop.EnterDeviceOp: ENTER,
    loop.LeaveDeviceOp: LEAVE,
    loop.StartDeviceCallsOp: START,
    loop.WaitDeviceCallsOp: WAIT,
}


def hook_of(prefix: str, op: loop.BetweenDevices | loop.AroundDeviceCalls) -> str:
    """Return the name of the hook that a step calls: all copies begin or end on the first device."""
    if isinstance(op, loop.AroundDeviceCalls):
        return f"{prefix}_{_AROUND[type(op)]}_{op.device.data}"
    origin, device = op.origin.data, op.device.data
    other, way = (origin, "from") if device == MAIN else (device, "to")
    if isinstance(op, loop.WaitDeviceCopyOp):
        return f"{prefix}_wait_for_{other}"
    return f"{prefix}_{'start_' if isinstance(op, loop.StartDeviceCopyOp) else ''}copy_{way}_{other}"


def hook_names(module: ModuleOp, prefix: str) -> list[str]:
    """Return the names of all hooks."""
    return [hook.sym_name.data for hook in device_hooks(module, prefix)]


def device_hooks(module: ModuleOp, prefix: str) -> list[c.FuncOp]:
    """Return the default definitions of the hooks that the steps call, for memories that the first device can
    address."""
    made: dict[str, c.FuncOp] = {}
    for op in operations_of_networks(module):
        if isinstance(op, loop.AroundDeviceCalls):
            made.setdefault(name := hook_of(prefix, op), _hook(name, op.device.data, Block(), ()))
        elif isinstance(op, loop.BetweenDevices):
            device = next(name for name in (op.origin.data, op.device.data) if name != MAIN)
            name = hook_of(prefix, op)
            if isinstance(op, loop.WaitDeviceCopyOp):
                made.setdefault(name, _hook(name, device, Block(), ()))
            else:
                made.setdefault(name, _copy(name, device))
    return sorted(made.values(), key=lambda hook: (_device(hook), WAYS.index(way_of(hook))))


def _copy(name: str, device: str) -> c.FuncOp:
    block = Block(arg_types=_TYPES)
    block.add_op(c.CallOp("memcpy", list(block.args), header=headers.STRING))
    return _hook(name, device, block, _PARAMETERS)


def _hook(name: str, device: str, body: Block, parameters: Sequence[str]) -> c.FuncOp:
    made = c.FuncOp(name, list(body.arg_types), body=body, parameters=list(parameters))
    made.attributes |= {HOOK: UnitAttr(), DEVICE: StringAttr(device)}
    return made


def way_of(hook: c.FuncOp) -> str:
    """Return what a hook does, one of `WAYS`."""
    return next(way for way in WAYS if hook.sym_name.data.endswith(f"{way}_{_device(hook)}"))


def _device(hook: c.FuncOp) -> str:
    device = hook.attributes[DEVICE]
    assert isinstance(device, StringAttr)
    return device.data
