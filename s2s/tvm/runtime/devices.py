"""Devices that TVM has names for, on which no code runs here: values that programs compare and dispatch on."""

from s2s.executor.device import Device, device


def cuda(dev_id: int = 0) -> Device:
    """A graphics processor of NVIDIA."""
    return device("cuda", dev_id)


def rocm(dev_id: int = 0) -> Device:
    """A graphics processor of AMD."""
    return device("rocm", dev_id)


def opencl(dev_id: int = 0) -> Device:
    """A device of OpenCL."""
    return device("opencl", dev_id)


def metal(dev_id: int = 0) -> Device:
    """A device of Metal."""
    return device("metal", dev_id)


def vulkan(dev_id: int = 0) -> Device:
    """A device of Vulkan."""
    return device("vulkan", dev_id)


def vpi(dev_id: int = 0) -> Device:
    """A simulator of Verilog."""
    return device("vpi", dev_id)


def ext_dev(dev_id: int = 0) -> Device:
    """An accelerator."""
    return device("ext_dev", dev_id)


def hexagon(dev_id: int = 0) -> Device:
    """A Hexagon processor."""
    return device("hexagon", dev_id)


def webgpu(dev_id: int = 0) -> Device:
    """A device of WebGPU."""
    return device("webgpu", dev_id)


DEVICES = (cuda, rocm, opencl, metal, vulkan, vpi, ext_dev, hexagon, webgpu)
"""The functions that make them."""
