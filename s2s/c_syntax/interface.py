"""The interface of a network in C: its inputs and outputs, its memory, and the functions that a program calls.

    s2s_status net_run(weights, arena…, pool, dims, inputs…, outputs…);     weights: of a pack; pool: with threads;
                                                                            dims: if sizes vary
    s2s_status net_reset(arena);                                   if the network keeps state
    s2s_status net_load(arena…);                                   if constants are copied to memory pools at start

Whatever defines, declares or calls these functions takes the order of their parameters from here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from math import prod
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

from s2s.c_syntax.identifiers import c_macro, port_identifiers, size_identifiers
from s2s.c_syntax.types import c_type, element_name, element_named
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, size_in_bytes, to_numpy
from s2s.types.interface import EmptyTensor, InputSizes, ModelTensor, declared_names
from s2s.types.sizes import Extents, SizeRange, shape_at

T = TypeVar("T")


class Quantisation(NamedTuple):
    """Per-tensor quantisation: `real = scale * (q - zero_point)`."""

    scale: float
    zero_point: int

    def formula(self) -> str:
        """The formula, for comments."""
        if self.zero_point == 0:
            return f"real = {self.scale:g} * q"
        return f"real = {self.scale:g} * (q {'-' if self.zero_point > 0 else '+'} {abs(self.zero_point)})"


@frozen
class Port:
    """An input or output of a network."""

    name: str
    """The name in the model: any text."""
    element: Attribute
    shape: tuple[int, ...]
    layout: str = ""
    """The meaning of the dimensions, if known: `N, time, band, C`."""
    quantisation: Quantisation | None = None
    offset: int | None = None
    """The byte offset in the arena at which it may lie; None if the arena has no room for it."""
    model: ModelTensor | None = None
    """The tensor in the model, if its bytes are packed."""
    varies: Extents = ()
    """For each axis the size that it has at run time, empty for a constant one; none if all are constant."""
    texts: tuple[str, ...] = ()
    """The texts that its elements number, if it is of texts in the model."""
    identifier: str = ""
    """The parameter of the run function; empty until `named_ports` has seen all inputs and outputs."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type in numpy."""
        return to_numpy(self.element)

    @property
    def c_type(self) -> str:
        """The element type in C."""
        return c_type(self.element)

    @property
    def count(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.count * size_in_bytes(self.element)

    @property
    def named_shape(self) -> tuple[int | str, ...]:
        """The shape, with the names of sizes that vary."""
        return tuple(name or size for size, name in zip(self.shape, self.axes, strict=True))

    @property
    def axes(self) -> Extents:
        """For each axis the size that it has at run time, empty for a constant one."""
        return self.varies or ("",) * len(self.shape)

    @property
    def model_type(self) -> str:
        """The element type and shape in the model, in words."""
        dtype, shape = (self.dtype, self.shape) if self.model is None else (self.model.dtype, self.model.shape)
        return f"{dtype}{list(shape)}"

    def as_dict(self) -> dict[str, Any]:
        """The port as the record of a tree has it; what is seldom there is left out."""
        quantised, model = self.quantisation, self.model
        return {
            "name": self.name,
            "identifier": self.identifier,
            "dtype": element_name(self.element),
            "shape": list(self.shape),
            "layout": self.layout,
            "size": self.size,
            "offset": self.offset,
            "quantisation": None if quantised is None else quantised._asdict(),
            **({"varies": list(self.varies)} if self.varies else {}),
            **({"texts": list(self.texts)} if self.texts else {}),
            **({} if model is None else {"model": {"dtype": model.type_name, "shape": list(model.shape)}}),
        }

    @staticmethod
    def of(record: Mapping[str, Any]) -> "Port":
        """The inverse of `as_dict`."""
        quantised, model = record["quantisation"], record.get("model")
        return Port(
            record["name"],
            element_named(record["dtype"]),
            tuple(record["shape"]),
            layout=record["layout"],
            quantisation=None if quantised is None else Quantisation(**quantised),
            offset=record["offset"],
            model=None if model is None else ModelTensor(model["dtype"], tuple(model["shape"])),
            varies=tuple(record.get("varies", ())),
            texts=tuple(record.get("texts", ())),
            identifier=record["identifier"],
        )

    def shape_at(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The shape in a run of these `sizes`."""
        return shape_at(self.shape, self.varies, sizes)

    def part_of(self, elements: Array, sizes: Mapping[str, int]) -> Array:
        """A view of the flat `elements` in the shape that they have in a run of these `sizes`."""
        every = elements.reshape(self.shape)
        return every[tuple(map(slice, self.shape_at(sizes)))] if self.varies else every


class StateInfo(NamedTuple):
    """A state tensor, which keeps its value between runs at a fixed offset of the arena."""

    name: str
    """The name in the model: any text."""
    element: Attribute
    shape: tuple[int, ...]
    offset: int
    """The byte offset in the arena."""

    @property
    def size(self) -> int:
        """Bytes."""
        return prod(self.shape) * size_in_bytes(self.element)


class ArenaPool(NamedTuple):
    """The part of the arena in one memory pool."""

    name: str
    offset: int
    """Where it would begin if all parts stood one after the other."""
    size: int
    """Bytes."""
    address: int | None = None
    """The address of the pool, where the user gives it: this part is at the start of the pool."""

    @property
    def parameter(self) -> str:
        """The parameter of the run function."""
        return f"arena_{self.name}"


class Threads(NamedTuple):
    """The threads that kernels are divided among."""

    most: int
    by: Literal["pthreads", "openmp"]

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags for compiler and linker."""
        return ("-pthread",) if self.by == "pthreads" else ("-fopenmp", "-DS2S_POOL_OPENMP")


@frozen(kw_only=True)
class Interface:
    """A network as its caller knows it."""

    name: str
    """The prefix of its C names: a C identifier."""
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arena_size: int
    arena_align: int
    executor: Literal["aot", "graph"] = "aot"
    profile: Literal["default", "misra"] = "default"
    """The coding standard of the emitted C."""
    pack: bool = False
    """Whether the weights come in a pack, which the caller binds."""
    threads: Threads | None = None
    """The threads of divided kernels; None if no kernel is divided."""
    states: tuple[StateInfo, ...] = ()
    empty_inputs: tuple[EmptyTensor, ...] = ()
    """Inputs of the model without elements, which are not passed."""
    empty_outputs: tuple[EmptyTensor, ...] = ()
    pools: tuple[ArenaPool, ...] = ()
    """The parts of the arena in memory pools, or in the memories of several devices, each with a pointer of its own."""
    loaded: int = 0
    """The bytes of the arena that constants are copied to at start."""
    sizes: Mapping[str, SizeRange] = field(default_factory=dict[str, SizeRange])
    """The sizes that are known in a run only, by their names in the model."""
    computed_sizes: tuple[str, ...] = ()
    """The sizes that kernels compute; the caller gives the others."""
    derived_sizes: Mapping[str, AffineMap] = field(default_factory=dict[str, AffineMap])
    """The sizes that follow from other sizes, by name."""

    @property
    def macro(self) -> str:
        """The prefix of its macros."""
        return c_macro(self.name)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The inputs and the outputs, in the order of the run function."""
        return (*self.inputs, *self.outputs)

    @property
    def size_fields(self) -> dict[str, str]:
        """The fields of the structure of sizes, by the names of the sizes in the model."""
        return size_identifiers(self.sizes)

    @property
    def input_sizes(self) -> InputSizes:
        """The sizes that the shapes of inputs tell, and the sizes that follow from these."""
        return InputSizes({name: size._replace(special=()) for name, size in self.sizes.items()}, self.derived_sizes)

    @property
    def input_names(self) -> list[str]:
        """The names of all inputs of the model, in its order."""
        return declared_names(self.inputs, self.empty_inputs)

    @property
    def output_names(self) -> list[str]:
        """The names of all outputs of the model, in its order."""
        return declared_names(self.outputs, self.empty_outputs)

    @property
    def arena_type(self) -> str | None:
        """The type of the arena if it has one; else the caller passes bytes."""
        return f"{self.name}_arena" if self.profile == "misra" and self.arena_size else None

    @property
    def io(self) -> Literal["caller", "arena"]:
        """Whether the arena has room for inputs and outputs."""
        return "caller" if all(port.offset is None for port in self.ports) else "arena"

    @property
    def state_size(self) -> int:
        """Bytes at the start of the arena that hold the state."""
        return max((state.offset + state.size for state in self.states), default=0)

    @property
    def ports_size(self) -> int:
        """Bytes of inputs and outputs outside of the arena."""
        return sum(port.size for port in self.ports if port.offset is None)

    def port_macro(self, port: Port) -> str:
        """The prefix of the macros of an input or output."""
        return c_macro(f"{self.name}_{port.identifier}")

    def place_of(self, port: Port, arena: str) -> str:
        """A pointer in C to the place of an input or output in an arena, an array of bytes."""
        return f"({port.c_type} *)(void *)({arena} + {self.port_macro(port)}_OFFSET)"

    def arguments(self, arenas: Iterable[T], ports: Iterable[T], *, weights: T, pool: T, sizes: T) -> list[T]:
        """The arguments of the run function in order; it takes `weights`, `pool` and `sizes` only if it has such a
        parameter."""
        first = [weights] if self.pack else []
        return first + run_order(arenas, [pool] if self.threads else [], [sizes] if self.sizes else [], ports)

    def run(
        self,
        arenas: Iterable[str],
        ports: Iterable[str],
        *,
        weights: str = "&weights",
        pool: str = "&pool",
        sizes: str = "&dims",
    ) -> str:
        """A call of the run function in C."""
        return f"{self.name}_run({', '.join(self.arguments(arenas, ports, weights=weights, pool=pool, sizes=sizes))})"

    def bind(self, pack: str, size: str, weights: str = "&weights") -> str:
        """A call in C of the function that binds a pack of weights."""
        return f"{self.name}_bind_weights({weights}, {pack}, {size})"

    def reset(self, arenas: Sequence[str]) -> str:
        """A call in C of the function that sets the state to its first values."""
        return f"{self.name}_reset({arenas[0]})"

    def load(self, arenas: Iterable[str]) -> str:
        """A call in C of the function that copies constants to memory pools."""
        return f"{self.name}_load({', '.join(arenas)})"

    def prototypes(self) -> str:
        """Declarations of all functions for a caller that knows no types, such as cffi: each pointer is `void *`."""
        pointer = "void *"
        arenas = [pointer] * max(len(self.pools), 1)
        functions = [self.run(arenas, [pointer] * len(self.ports), weights=pointer, pool=pointer, sizes=pointer)]
        functions += [self.reset(arenas)] if self.states else []
        functions += [self.load(arenas)] if self.loaded else []
        functions += [self.bind(pointer, "size_t", pointer)] if self.pack else []
        return " ".join(f"int {function};" for function in functions)


def run_order(arenas: Iterable[T], pool: Iterable[T], sizes: Iterable[T], ports: Iterable[T]) -> list[T]:
    """The parameters of a run function in order; `pool` and `sizes` hold one or none."""
    return [*arenas, *pool, *sizes, *ports]


def named_ports(inputs: Sequence[Port], outputs: Sequence[Port]) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Give all inputs and outputs of a network their identifiers."""
    names = port_identifiers((port.name for port in inputs), (port.name for port in outputs))
    named_inputs, named_outputs = (
        tuple(replace(port, identifier=name) for port, name in zip(ports, listed, strict=True))
        for ports, listed in zip((inputs, outputs), names, strict=True)
    )
    return named_inputs, named_outputs


class HasInterface:
    """A network that can be run, wherever it is; its interface tells the rest."""

    interface: Interface

    @property
    def name(self) -> str:
        """The prefix of its C names."""
        return self.interface.name

    @property
    def executor(self) -> str:
        """Whether it is a function to call, `aot`, or tables, `graph`."""
        return self.interface.executor

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs that are passed, in order."""
        return self.interface.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs that are passed, in order."""
        return self.interface.outputs

    @property
    def input_names(self) -> list[str]:
        """The names of all inputs of the model, in order."""
        return self.interface.input_names

    @property
    def output_names(self) -> list[str]:
        """The names of all outputs of the model, in order."""
        return self.interface.output_names
