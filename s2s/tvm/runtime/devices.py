"""Devices that TVM has names for, on which no code runs here: values that programs compare and dispatch on."""

from s2s.executor.device import Device, device


def cuda(device_id: int = 0) -> Device:
    """A graphics processor of NVIDIA."""
    return device("cuda", device_id)


def rocm(device_id: int = 0) -> Device:
    """A graphics processor of AMD."""
    return device("rocm", device_id)


def opencl(device_id: int = 0) -> Device:
    """A device of OpenCL."""
    return device("opencl", device_id)


def metal(device_id: int = 0) -> Device:
    """A device of Metal."""
    return device("metal", device_id)


def vulkan(device_id: int = 0) -> Device:
    """A device of Vulkan."""
    return device("vulkan", device_id)


def vpi(device_id: int = 0) -> Device:
    """A simulator of Verilog."""
    return device("vpi", device_id)


def ext_dev(device_id: int = 0) -> Device:
    """An accelerator."""
    return device("ext_dev", device_id)


def hexagon(device_id: int = 0) -> Device:
    """A Hexagon processor."""
    return device("hexagon", device_id)


def webgpu(device_id: int = 0) -> Device:
    """A device of WebGPU."""
    return device("webgpu", device_id)


DEVICES = (cuda, rocm, opencl, metal, vulkan, vpi, ext_dev, hexagon, webgpu)
"""The functions that make them."""
