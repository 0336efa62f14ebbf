"""The arrays that a caller hands over for inputs and outputs: the sizes that they tell, and the results they take."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2s.c_syntax.interface import Port
from s2s.errors import InputError
from s2s.types.dtypes import Array
from s2s.types.interface import Axis, InputSizes


def copy_into(name: str, value: Array, out: Any) -> None:
    """Write a result into the array of the caller."""
    array = np.asarray(out)
    if array.dtype != value.dtype or array.shape != value.shape or not array.flags.writeable:
        wanted = f"{value.dtype}{list(value.shape)}"
        raise InputError(f"{name}: {array.dtype}{list(array.shape)} given; give an array {wanted} that may be written")
    array[...] = value


def check_array(port: Port, array: Array, shape: tuple[int, ...], *, is_written: bool) -> None:
    """Refuse an array that a run cannot use where it lies."""
    if array.dtype != port.dtype or array.shape != shape:
        wanted = f"{port.dtype}{list(shape)}"
        raise InputError(f"{port.name}: {array.dtype}{list(array.shape)} given, {wanted} wanted; convert it")
    if not array.flags.c_contiguous or (is_written and not array.flags.writeable):
        raise InputError(f"{port.name}: is not contiguous, or may not be written; give a contiguous array")


def told_by_shapes(shapes: Mapping[Port, tuple[int, ...]], sizes: InputSizes) -> dict[str, int]:
    """Return the sizes of a run whose inputs have these shapes, 0 for a size that no input has; raise an error where
    shapes contradict each other, or the bounds."""
    axes = [
        (port.name, number, Axis(name, size))
        for port, shape in shapes.items()
        if len(shape) == len(port.shape)
        for number, (name, size) in enumerate(zip(port.varies, shape, strict=True))
        if name
    ]
    told = sizes.told(axis for _, _, axis in axes)
    every = sizes.every(told)
    for port, number, (name, size) in axes:
        bounds = sizes.given.get(name)
        if bounds is None and every[name] != size:
            other = sizes.words(name, told)
        elif every[name] != size:
            other = f"{name} is {every[name]} elsewhere"
        elif bounds is not None and size not in bounds.values:
            other = f"{name} is within {bounds}"
        else:
            continue
        raise InputError(f"{port}: axis {number} has size {size}, and {other}; make them agree")
    return {name: told.get(name, 0) for name in sizes.given}
