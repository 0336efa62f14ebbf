"""The hooks that copy between devices: functions with a default definition, which a project may replace.

void net_copy_to_dsp(void *target, const void *source, size_t size)
{
    memcpy(target, source, size);
}
"""

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block

from s2s.analysis.network.functions import DEVICE, HOOK
from s2s.dialects import c, loop
from s2s.dialects.walk import walk
from s2s.types.devices import MAIN

_TYPES = (c.PtrType(c.VOID), c.PtrType(c.VOID, const=True), c.NamedType("size_t"))
_PARAMETERS = ("target", "source", "size")


def hook_of(prefix: str, copy: loop.DeviceCopyOp) -> str:
    """Return the name of the hook for a copy: all copies begin or end on the first device."""
    origin, device = copy.origin.data, copy.device.data
    return f"{prefix}_copy_from_{origin}" if device == MAIN else f"{prefix}_copy_to_{device}"


def hook_names(module: ModuleOp, prefix: str) -> list[str]:
    """Return the names of all hooks."""
    return [f"{prefix}_copy_{way}_{device}" for device in _devices(module) for way in ("to", "from")]


def device_hooks(module: ModuleOp, prefix: str) -> list[c.FuncOp]:
    """Return the default definitions of the hooks, for devices whose memory the first one can address."""
    return [_hook(f"{prefix}_copy_{way}_{device}", device) for device in _devices(module) for way in ("to", "from")]


def _devices(module: ModuleOp) -> list[str]:
    """Return the devices that tensors are copied to or from."""
    copies = [op for op in walk(module) if isinstance(op, loop.DeviceCopyOp)]
    return sorted({name for op in copies for name in (op.origin.data, op.device.data)} - {MAIN})


def _hook(name: str, device: str) -> c.FuncOp:
    block = Block(arg_types=_TYPES)
    block.add_op(c.CallOp("memcpy", list(block.args)))
    made = c.FuncOp(name, list(_TYPES), body=block, parameters=list(_PARAMETERS))
    made.attributes |= {HOOK: UnitAttr(), DEVICE: StringAttr(device)}
    return made
