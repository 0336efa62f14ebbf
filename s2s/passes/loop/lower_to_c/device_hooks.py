"""The hooks that copy between devices: functions with a default definition, which a project may replace.

void net_copy_to_dsp(void *target, const void *source, size_t size)
{
    memcpy(target, source, size);
}
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block

from s2s.analysis.network.functions import DEVICE, HOOK
from s2s.dialects import c, loop
from s2s.dialects.walk import walk
from s2s.types.devices import MAIN

_TYPES = (c.PtrType(c.VOID), c.PtrType(c.VOID, const=True), c.NamedType("size_t"))
_PARAMETERS = ("target", "source", "size")


def hook_of(prefix: str, op: loop.BetweenDevices) -> str:
    """Return the name of the hook that a step calls: all copies begin or end on the first device."""
    origin, device = op.origin.data, op.device.data
    other, way = (origin, "from") if device == MAIN else (device, "to")
    if isinstance(op, loop.WaitDeviceCopyOp):
        return f"{prefix}_wait_for_{other}"
    return f"{prefix}_{'start_' if isinstance(op, loop.StartDeviceCopyOp) else ''}copy_{way}_{other}"


def hook_names(module: ModuleOp, prefix: str) -> list[str]:
    """Return the names of all hooks."""
    return [hook.sym_name.data for hook in device_hooks(module, prefix)]


def device_hooks(module: ModuleOp, prefix: str) -> list[c.FuncOp]:
    """Return the default definitions of the hooks, for devices whose memory the first one can address."""
    made: list[c.FuncOp] = []
    for device, is_started in _devices(module).items():
        start = "start_" if is_started else ""
        made += [_copy(f"{prefix}_{start}copy_{way}_{device}", device) for way in ("to", "from")]
        if is_started:
            made.append(_hook(f"{prefix}_wait_for_{device}", device, Block(), ()))
    return made


def _devices(module: ModuleOp) -> dict[str, bool]:
    """Return the devices that tensors are copied to or from, each with whether its copies are started."""
    copies = [op for op in walk(module) if isinstance(op, loop.BetweenDevices)]
    found = {
        name: not isinstance(op, loop.DeviceCopyOp)
        for op in copies
        for name in (op.origin.data, op.device.data)
        if name != MAIN
    }
    return dict(sorted(found.items()))


def _copy(name: str, device: str) -> c.FuncOp:
    block = Block(arg_types=_TYPES)
    block.add_op(c.CallOp("memcpy", list(block.args)))
    return _hook(name, device, block, _PARAMETERS)


def _hook(name: str, device: str, body: Block, parameters: Sequence[str]) -> c.FuncOp:
    made = c.FuncOp(name, list(body.arg_types), body=body, parameters=list(parameters))
    made.attributes |= {HOOK: UnitAttr(), DEVICE: StringAttr(device)}
    return made
