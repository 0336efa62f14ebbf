"""Devices by TVM's names and numbers. Code runs on one: the processor that runs Python."""

from collections.abc import Mapping
from typing import ClassVar, cast

from s2s.errors import InputError, WrongValueError
from s2s.support.frozen import frozen
from s2s.types.weights import Array

CPU = 1
"""DLPack's number of the processor."""
_NUMBERS: Mapping[str, int] = {
    "cpu": CPU,
    "llvm": CPU,
    "c": CPU,
    "stackvm": CPU,
    "test": CPU,
    "hybrid": CPU,
    "composite": CPU,
    "cuda": 2,
    "nvptx": 2,
    "opencl": 4,
    "cl": 4,
    "sdaccel": 4,
    "vulkan": 7,
    "metal": 8,
    "vpi": 9,
    "rocm": 10,
    "ext_dev": 12,
    "webgpu": 15,
    "hexagon": 16,
    "aocl": 32,
    "aocl_sw_emu": 32,
}
"""DLPack's numbers by the names of devices, and of the targets that compile for them."""
_NAMES = {number: name for name, number in reversed(_NUMBERS.items())}


@frozen
class Device:
    """A device: its kind as DLPack numbers it, and which one of that kind."""

    STR2MASK: ClassVar[Mapping[str, int]] = _NUMBERS
    """DLPack's numbers by name."""
    MASK2STR: ClassVar[Mapping[int, str]] = _NAMES
    """The names of devices by DLPack's numbers."""
    device_type: int
    device_id: int = 0

    @property
    def exist(self) -> bool:
        """Whether code runs on the device."""
        return (self.device_type, self.device_id) == (CPU, 0)

    def sync(self) -> None:
        """Wait until all work on the device is done. Calls return when their work is done, so nothing is left."""

    def place(self, array: Array) -> Array:
        """Return an array that lies on the device: the one of this process, as it is one on the processor."""
        return array

    def __str__(self) -> str:
        """`cpu(0)`."""
        return f"{_NAMES.get(self.device_type, f'device of type {self.device_type}')}({self.device_id})"


def device(dev_type: str | int = "cpu", dev_id: int = 0) -> Device:
    """The device of a kind, by its name, its target or DLPack's number: `device("cpu", 0)`. One on which no code runs
    is a value alone; `exist` tells."""
    kind = dev_type.split(" ")[0] if isinstance(dev_type, str) else dev_type
    number = _NUMBERS.get(kind) if isinstance(kind, str) else kind
    if number not in _NAMES:
        raise WrongValueError(f"device {dev_type!r}: is not known; give {', '.join(_NUMBERS)}")
    return Device(number, dev_id)


def cpu(dev_id: int = 0) -> Device:
    """The processor."""
    return Device(CPU, dev_id)


def check_device(given: object) -> None:
    """Accept the processor in each way TVM names it: None, "cpu", a device with type 1, or a list of one of these."""
    devices = list(cast("list[object]", given)) if isinstance(given, (list, tuple)) else [given]
    if len(devices) == 1:
        only = devices[0]
        kind = getattr(only, "device_type", None), getattr(only, "device_id", 0)
        if only is None or only == "cpu" or kind == (CPU, 0):
            return
    raise InputError(f"device {given}: a network runs on the processor only; leave the device out, or give cpu(0)")
