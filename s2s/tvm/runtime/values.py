"""Values of packed functions other than functions: from Python to slots of a frame for C, and back."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from s2s.errors import InputError
from s2s.executor.device import Device
from s2s.tvm.runtime import abi as codes
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.tensors import adopt, descriptor_of, memory_of
from s2s.types.weights import Array

Value = Any
"""What goes into and comes out of a packed function: None, numbers, texts, bytes, arrays, devices, functions."""


def store(slot: Any, value: Value, kept: list[object]) -> int:
    """Write a value into a slot and return its type code; what it points at goes to `kept`."""
    if isinstance(value, np.ndarray):
        return _store_tensor(slot, cast(Array, value), kept)
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        slot.v_int64 = fits(int(cast(int, value)))
        return codes.INT
    if isinstance(value, (float, np.floating)):
        slot.v_float64 = float(cast(float, value))
        return codes.FLOAT
    if isinstance(value, str):
        return store_text(slot, value, kept)
    return _store_other(slot, value, kept)


def _store_tensor(slot: Any, array: Array, kept: list[object]) -> int:
    descriptor = descriptor_of(array)
    kept += (array, descriptor)
    slot.v_handle = descriptor.pointer
    return codes.TENSOR


def store_text(slot: Any, value: str, kept: list[object]) -> int:
    """Write a text into a slot and return its type code; its bytes go to `kept`."""
    if "\0" in value:
        raise InputError("packed function: a text with a zero character cannot be passed; pass bytes")
    text = abi().from_buffer(value.encode() + b"\0")
    kept.append(text)
    slot.v_handle = text
    return codes.TEXT


def _store_other(slot: Any, value: Value, kept: list[object]) -> int:
    ffi = abi()
    if value is None:
        slot.v_handle = ffi.NULL
        return codes.NULL
    if isinstance(value, (bytes, bytearray)):
        data = ffi.from_buffer(value)
        described = ffi.new("s2s_bytes *", {"data": ffi.cast("const char *", data), "size": len(value)})
        kept += (data, described)
        slot.v_handle = described
        return codes.BYTES
    if isinstance(value, Device):
        slot.v_device = {"type": value.device_type, "id": value.device_id}
        return codes.DEVICE
    if isinstance(value, ffi.CData):
        slot.v_handle = ffi.cast("void *", value)
        return codes.HANDLE
    if hasattr(value, "__dlpack__"):
        return _store_tensor(slot, np.from_dlpack(value), kept)
    raise InputError(
        f"packed function: a {type(cast(object, value)).__name__} cannot be passed; "
        "give numbers, texts, bytes, arrays, devices or functions"
    )


def fits(value: int) -> int:
    """`value`, if it fits into 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise InputError(f"packed function: {value} does not fit into 64 bits; pass a smaller number")
    return value


def load(slot: Any, code: int) -> Value:
    """The value of a slot that C has written. A tensor that C lends is copied, one that it gives away is not."""
    if code not in _LOADERS:
        raise InputError(
            f"packed function: a value of type code {code} cannot be taken; return a number, text, tensor or handle"
        )
    return _LOADERS[code](slot)


def _bytes(slot: Any) -> bytes:
    described = abi().cast("s2s_bytes *", slot.v_handle)
    return bytes(abi().buffer(described.data, described.size)) if described.size else b""


_LOADERS: dict[int, Callable[[Any], Value]] = {
    codes.INT: lambda slot: slot.v_int64,
    codes.UINT: lambda slot: slot.v_int64 % 2**64,
    codes.FLOAT: lambda slot: slot.v_float64,
    codes.HANDLE: lambda slot: slot.v_handle,
    codes.NULL: lambda slot: None,
    codes.DEVICE: lambda slot: Device(slot.v_device.type, slot.v_device.id),
    codes.TENSOR: lambda slot: memory_of(abi().cast("s2s_tensor *", slot.v_handle))[1].numpy(),
    codes.TEXT: lambda slot: bytes(abi().string(slot.v_str)).decode(),
    codes.BYTES: _bytes,
    codes.MANAGED: lambda slot: adopt(abi().cast("s2s_managed *", slot.v_handle)),
}
