"""The inputs and outputs of a built tree, as its record describes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2s.c_syntax.types import dtype_named
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.interface import Axis, EmptyTensor, InputSizes, ModelTensor
from s2s.types.size_formulas import parse_map
from s2s.types.sizes import Extents, SizeRange, shape_at


@frozen
class Port:
    """An input or output, as the record of a tree describes it."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int | None = None
    """The offset in the arena at which it may lie."""
    model: ModelTensor | None = None
    """The tensor in the model, if its bytes are packed."""
    varies: Extents = ()
    """For each axis the size that it has at run time, empty for a constant one; none if all are constant."""
    texts: tuple[str, ...] = ()
    """The texts that its elements number, if it is of texts in the model."""

    def shape_at(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape that the port has in a run with these `sizes`."""
        return shape_at(self.shape, self.varies, sizes)

    def part_of(self, elements: Array, sizes: Mapping[str, int]) -> Array:
        """Return a view of the flat `elements` in the shape that they have in a run of these `sizes`."""
        whole = elements.reshape(self.shape)
        return whole[tuple(map(slice, self.shape_at(sizes)))] if self.varies else whole

    @property
    def model_type(self) -> str:
        """The element type and shape in the model."""
        return (
            f"{self.dtype}{list(self.shape)}" if self.model is None else f"{self.model.dtype}{list(self.model.shape)}"
        )

    @property
    def size(self) -> int:
        """Bytes."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    @staticmethod
    def of(described: Mapping[str, Any]) -> "Port":
        """Return the input or output that an entry of the record describes."""
        model = (
            ModelTensor(described["model"]["dtype"], tuple(described["model"]["shape"]))
            if "model" in described
            else None
        )
        dtype, shape = dtype_named(described["dtype"]), tuple(described["shape"])
        varies, texts = tuple(described.get("varies", ())), tuple(described.get("texts", ()))
        return Port(described["name"], dtype, shape, described.get("offset"), model, varies, texts)


def empty_tensor(described: Mapping[str, Any]) -> EmptyTensor:
    """Return the input or output without elements that an entry of the record describes."""
    tensor = ModelTensor(described["dtype"], tuple(described["shape"]))
    return EmptyTensor(described["name"], described["number"], tensor)


def copy_into(name: str, value: Array, out: Any) -> None:
    """Write a result into the array of the caller."""
    array = np.asarray(out)
    if array.dtype != value.dtype or array.shape != value.shape or not array.flags.writeable:
        wanted = f"{value.dtype}{list(value.shape)}"
        raise InputError(f"{name}: {array.dtype}{list(array.shape)} given; give an array {wanted} that may be written")
    array[...] = value


def input_sizes(record: Mapping[str, Any]) -> InputSizes:
    """Return the sizes of a run and the sizes that follow from them, as the record of a tree describes them."""
    given = {
        size["name"]: SizeRange(size["least"], size["most"], step=size.get("step", 1))
        for size in record.get("sizes", ())
    }
    return InputSizes(given, {name: parse_map(text) for name, text in record.get("derived_sizes", {}).items()})


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
