"""Describe what inputs and outputs are beside plain tensors: their form in the model, and the sizes that they tell.

`main` has an argument or a result for each tensor that a caller hands over. Two kinds differ from the model:

- elements of a narrow type are passed as packed bytes: the attributes of the argument hold the type of the model;
- a tensor without elements is not passed at all: an attribute of `main` lists it.

The sizes of a run follow from the shapes of its inputs: of `x [2, 4*q]` and `y [q + 1]`, [2, 12] and [4] tell q = 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.narrow import NARROW, dtype_of_name, pack, unpack
from s2s.types.size_formulas import SizeFormula, named_size, told_sizes
from s2s.types.sizes import SizeRange, with_derived

EMPTY_INPUTS, EMPTY_OUTPUTS = "empty_inputs", "empty_outputs"
"""Attributes of `main`: what is not passed."""
TEXTS = "texts"
"""The attribute of a result of `main` whose elements number texts: these."""
_TYPE, _SHAPE, _NUMBER = "model_type", "model_shape", "number"


class ModelTensor(NamedTuple):
    """An element type by its name in numpy or ml_dtypes, and a shape."""

    type_name: str
    shape: tuple[int, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return dtype_of_name(self.type_name)

    @property
    def is_packed(self) -> bool:
        """Whether the network passes packed bytes instead of elements."""
        return self.dtype in NARROW and prod(self.shape) > 0

    @property
    def has_axes(self) -> bool:
        """Whether the packed bytes have the axes of the tensor, so that a size of theirs may vary."""
        return NARROW[self.dtype].fills_byte

    def unpacked(self, data: Array) -> Array:
        """The tensor whose packed bytes are `data`; of the sizes of `data` if that has its axes."""
        return unpack(data, self.dtype, data.shape if self.has_axes else self.shape)

    def attributes(self) -> dict[str, Attribute]:
        """The attributes that say so."""
        return {_TYPE: StringAttr(self.type_name), _SHAPE: DenseArrayBase.from_list(i64, self.shape)}


class EmptyTensor(NamedTuple):
    """An input or output without elements: its name, its place among all of the model, its type."""

    name: str
    number: int
    tensor: ModelTensor

    def value(self) -> Array:
        """The only value of a tensor without elements."""
        return np.zeros(self.tensor.shape, self.tensor.dtype)


class BytePorts(NamedTuple):
    """The names of the inputs and outputs that are passed as bytes, and in the model as real numbers."""

    inputs: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()


def model_tensor(attributes: Mapping[str, Attribute]) -> ModelTensor | None:
    """Read back what `ModelTensor.attributes` wrote; None for a tensor that is passed as it is."""
    name, shape = attributes.get(_TYPE), attributes.get(_SHAPE)
    if not isinstance(name, StringAttr) or not isinstance(shape, DenseArrayBase):
        return None
    return ModelTensor(name.data, tuple(int(size) for size in shape.iter_values()))


def empty_attribute(tensors: Sequence[EmptyTensor]) -> ArrayAttr[DictionaryAttr]:
    """The attribute of `main` that lists `tensors`."""
    return ArrayAttr(
        [
            DictionaryAttr(
                {"name": StringAttr(each.name), _NUMBER: IntegerAttr(each.number, i64), **each.tensor.attributes()}
            )
            for each in tensors
        ]
    )


def empty_tensors(main: FuncOp, attribute: str) -> tuple[EmptyTensor, ...]:
    """Return the tensors that `attribute` of `main` lists."""
    listed = main.attributes.get(attribute)
    return tuple(map(_empty, listed)) if isa(listed, ArrayAttr[DictionaryAttr]) else ()


def _empty(entry: DictionaryAttr) -> EmptyTensor:
    name, number, tensor = entry.data["name"], entry.data[_NUMBER], model_tensor(entry.data)
    if not isinstance(name, StringAttr) or not isinstance(number, IntegerAttr) or tensor is None:
        raise CompilerBug(f"{entry} describes no tensor")
    return EmptyTensor(name.data, number.value.data, tensor)


class Passed(Protocol):
    """An input or output that is passed."""

    @property
    def name(self) -> str:
        """As in the model."""
        ...

    @property
    def model(self) -> ModelTensor | None:
        """The model's description of a packed tensor."""
        ...

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that its elements number; none where they are numbers in the model."""
        ...


def declared_names(ports: Sequence[Passed], empty: Sequence[EmptyTensor]) -> list[str]:
    """The names of all inputs or outputs of the model, in its order."""
    return with_empty([port.name for port in ports], empty)


def with_empty(names: Sequence[str], empty: Sequence[EmptyTensor]) -> list[str]:
    """Insert the names of the empty tensors at their places."""
    every = list(names)
    for each in sorted(empty, key=lambda tensor: tensor.number):
        every.insert(each.number, each.name)
    return every


def as_declared(ports: Sequence[Passed], empty: Sequence[EmptyTensor], passed: Sequence[Array]) -> list[Array]:
    """Convert passed arrays to the arrays that the model declares: unpacked, with the empty tensors in their places."""
    found = [
        value if port.model is None else port.model.unpacked(value) for port, value in zip(ports, passed, strict=True)
    ]
    for each in sorted(empty, key=lambda tensor: tensor.number):
        found.insert(each.number, each.value())
    return found


def as_passed(ports: Sequence[Passed], empty: Sequence[EmptyTensor], declared: Sequence[Array]) -> list[Array]:
    """The inverse of `as_declared`; texts become their numbers."""
    left_out = {each.number for each in empty}
    passed = [tensor for number, tensor in enumerate(declared) if number not in left_out]
    return [
        (_numbers(value, port.texts) if port.texts else value) if port.model is None else pack(value)
        for port, value in zip(ports, passed, strict=True)
    ]


def texts_of(attributes: Mapping[str, Attribute]) -> tuple[str, ...]:
    """The texts that a result of `main` numbers."""
    listed = attributes.get(TEXTS)
    return tuple(text.data for text in listed) if isa(listed, ArrayAttr[StringAttr]) else ()


def _numbers(value: Array, texts: Sequence[str]) -> Array:
    """The numbers of texts as an engine gives them; what numbers them already stays."""
    if value.dtype.kind not in "OUS":
        return value
    numbers = {text: number for number, text in enumerate(texts)}
    return np.array([numbers.get(str(text), -1) for text in value.reshape(-1)], np.int64).reshape(value.shape)


class Axis(NamedTuple):
    """An axis of an input in a run: the name of its size, and the size."""

    name: str
    size: int


@frozen
class InputSizes:
    """The sizes that a run is given or computes, in the order of the module, and the sizes that follow from them."""

    given: Mapping[str, SizeRange] = field(default_factory=dict[str, SizeRange])
    derived: Mapping[str, AffineMap] = field(default_factory=dict[str, AffineMap])

    def told(self, axes: Iterable[Axis]) -> dict[str, int]:
        """Return the given sizes of a run whose inputs have these axes: the first where axes contradict each other."""
        values = {name: bounds.values for name, bounds in self.given.items()}
        return told_sizes([(self._formula(axis.name), axis.size) for axis in axes], values)

    def every(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Return the sizes of a run and the sizes that follow from them; one that is computed later counts as 0."""
        return with_derived({name: sizes.get(name, 0) for name in self.given}, self.derived)

    def words(self, name: str, sizes: Mapping[str, int]) -> str:
        """Return what a size is, and the sizes it follows from: `4*q is 12 with q = 3`."""
        used = " and ".join(f"{each} = {sizes[each]}" for each in self._formula(name).used)
        return f"{name} is {self.every(sizes)[name]} with {used}"

    def _formula(self, name: str) -> SizeFormula:
        if name in self.given:
            return named_size(name)
        return SizeFormula(tuple(self.given), self.derived[name].results[0])
