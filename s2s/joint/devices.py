"""Divide what devices are asked to run among several networks that are compiled with the same options.

    layers = ["block2/*", "head/dense"]     kws has block2/conv and block2/relu, ic has head/dense
    ->
    kws: layers = ["block2/*"]              ic: layers = ["head/dense"]

A layer or an operator that one network alone refuses, since it has none of that name, may be one of another.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from s2s.analysis.network.functions import main_of
from s2s.compilation import Compilation
from s2s.decisions.device import layer_of
from s2s.options import CompileOptions
from s2s.types.devices import Device, Devices


def devices_of_networks(models: Sequence[Path], options: Sequence[CompileOptions]) -> list[Devices]:
    """Return the devices for each network, compiled with `options` of its own but one set of devices, with the layers
    and operators that it has, or that none of them has."""
    devices = options[0].devices
    if not devices:
        return [()] * len(models)
    alone = [replace(each, devices=()) for each in options]
    modules = (Compilation(model, each).at("simplify").module for model, each in zip(models, alone, strict=True))
    met = [_met(module, devices) for module in modules]
    every = set[tuple[str, str, str]]().union(*met)
    return [tuple(_left(device, found, every) for device in devices) for found in met]


def _met(module: ModuleOp, devices: Devices) -> set[tuple[str, str, str]]:
    """Return what is asked of devices that the network has: device, kind and text."""
    ops = list(main_of(module).body.block.ops)
    names = {op.name.partition(".")[2] for op in ops}
    layers = {
        (device.name, "layer", pattern)
        for device in devices
        for pattern in device.layers
        if any(layer_of(op, Device(device.name, layers=(pattern,))) is not None for op in ops)
    }
    return layers | {(each.name, "operator", name) for each in devices for name in each.operators if name in names}


def _left(device: Device, met: Set[tuple[str, str, str]], every: Set[tuple[str, str, str]]) -> Device:
    """Return the device without what only other networks have."""
    others = every - met
    return device._replace(
        layers=tuple(each for each in device.layers if (device.name, "layer", each) not in others),
        operators=tuple(each for each in device.operators if (device.name, "operator", each) not in others),
    )
