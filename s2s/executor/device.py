"""Devices by TVM's names and numbers. There is one: the processor that runs Python."""

from typing import cast

from s2s.errors import InputError
from s2s.support.frozen import frozen

CPU = 1
"""DLPack's number of the processor."""

_CPU_NAMES = ("cpu", "c", "llvm")
"""What TVM calls the processor: the device, and the targets that compile for it."""


@frozen
class Device:
    """A device: its kind as DLPack numbers it, and which one of that kind."""

    device_type: int
    device_id: int = 0

    @property
    def exist(self) -> bool:
        """Whether this machine has the device."""
        return (self.device_type, self.device_id) == (CPU, 0)

    def sync(self) -> None:
        """Wait until all work on the device is done. Calls return when their work is done, so nothing is left."""

    def __str__(self) -> str:
        """`cpu(0)`."""
        return f"cpu({self.device_id})"


def device(name: str | int = "cpu", device_id: int = 0) -> Device:
    """The device of a kind, by its name or DLPack's number: `device("cpu", 0)`."""
    kind = name.split(" ")[0] if isinstance(name, str) else name
    if kind not in (*_CPU_NAMES, CPU) or device_id != 0:
        raise InputError(f"device {name!r}, {device_id}: s2s runs on the processor only; use device('cpu', 0)")
    return Device(CPU, device_id)


def cpu(device_id: int = 0) -> Device:
    """The processor."""
    return device("cpu", device_id)


def check_device(given: object) -> None:
    """Accept the processor in each way TVM names it: None, "cpu", a device with type 1, or a list of one of these."""
    devices = list(cast("list[object]", given)) if isinstance(given, (list, tuple)) else [given]
    if len(devices) == 1:
        only = devices[0]
        if only is None or only == "cpu" or getattr(only, "device_type", None) == CPU:
            return
    raise InputError(f"device {given}: the graph executor runs on the processor only; leave the device out")
