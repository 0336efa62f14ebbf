"""Run the passes of a stage once for each device, with its target and on its kernels only.

While the kernels of one device are compiled, those of others are declarations, as functions of C are: passes see that
they are called, on which tensors, of which sizes if these vary, and nothing of how they compute.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Region

from s2s.analysis.network.functions import CALLBACK, DEVICE, device_of, is_kernel
from s2s.options import CompileOptions
from s2s.options.declaration import seen_by
from s2s.targets import Target, get_target
from s2s.types.devices import MAIN

STAGES = ("compute", "tensor")
"""The stages whose passes read the target of a kernel."""


class DeviceKernels(NamedTuple):
    """The kernels of one device, and the options that their passes take."""

    device: str
    options: CompileOptions

    @property
    def target(self) -> Target:
        """The target of the device."""
        return self.options.target


def parts_of(stage: str, options: CompileOptions, module: ModuleOp) -> list[DeviceKernels]:
    """Return the parts that `stage` compiles one after the other: where targets matter, one for each device that has
    kernels in `module`."""
    first = DeviceKernels(MAIN, options)
    if stage not in STAGES:
        return [first]
    used = {device_of(kernel) for kernel in _kernels(module)}
    devices = seen_by(options, stage).devices
    others = [(device.name, device.target) for device in devices if device.name in used]
    return [
        first,
        *(DeviceKernels(name, replace(options, target=options.target if t is None else t)) for name, t in others),
    ]


def targets_of_devices(options: CompileOptions) -> list[Target]:
    """Return the targets of further devices that have one of their own, which may be files."""
    return [get_target(device.target) for device in options.devices if device.target is not None]


@contextmanager
def kernels_of(module: ModuleOp, part: DeviceKernels, *, alone: bool) -> Generator[None]:
    """Hide the kernels of other devices inside of the context; with `alone` there are none."""
    if alone:
        yield
        return
    hidden: dict[str, FuncOp] = {}
    for func in _kernels(module):
        if device_of(func) != part.device:
            hidden[func.sym_name.data] = func
            declaration = FuncOp(func.sym_name.data, func.function_type, Region(), visibility="private")
            declaration.res_attrs = func.res_attrs
            declaration.attributes[CALLBACK] = StringAttr(func.sym_name.data)
            _put(declaration, func)
    yield
    for func in [each for each in module.ops if isinstance(each, FuncOp)]:
        if func.sym_name.data in hidden:
            _put(hidden[func.sym_name.data], func)
            func.erase()
        elif is_kernel(func) and part.device != MAIN:
            func.attributes[DEVICE] = StringAttr(part.device)


def _kernels(module: ModuleOp) -> list[FuncOp]:
    return [op for op in module.ops if isinstance(op, FuncOp) and is_kernel(op)]


def _put(new: FuncOp, old: FuncOp) -> None:
    """Put `new` where `old` is, which is detached."""
    block = old.parent_block()
    assert block is not None
    block.insert_op_before(new, old)
    old.detach()
