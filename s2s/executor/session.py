"""Executors of networks in loaded libraries: the C context, its memory, and the arrays bound to it.

All memory is numpy's: the arena, one array for each output, and one for each input that is set. The C side only ever
sees them by zero-copy calls, so it makes no copies of its own, and an array lives as long as it is bound.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, NoReturn, Protocol

import numpy as np

from s2s.errors import CompilerBug, InputError
from s2s.executor.declarations import graph_symbol, status_phrases
from s2s.executor.device import CPU
from s2s.executor.element_types import DType, dlpack_of_numpy, numpy_of_dlpack
from s2s.executor.ndarray import NDArray, aligned_empty
from s2s.interpret.host import host
from s2s.support.frozen import frozen
from s2s.types.weights import Array

FAILED_FUNCTION = -17
"""S2S_ERR_FUNCTION: a packed function that a kernel calls is missing or has failed."""


def raise_failure(place: str) -> NoReturn:
    """Raise what made a packed function fail that a kernel of `place` has called."""
    functions = host()
    if functions is not None:
        functions.raise_error(place)
    raise InputError(f"{place}: it calls a packed function that is not registered; register it by s2s.register_func")


class LoadedLibrary(Protocol):
    """A compiled tree in this process.

    `ffi` has read `executor_declarations(name)`, `lib` has the functions and tables, `name` is the name of the model.
    """

    @property
    def ffi(self) -> Any:
        """The cffi instance."""
        ...

    @property
    def lib(self) -> Any:
        """Functions and variables of the library."""
        ...

    @property
    def name(self) -> str:
        """The prefix of all names of the model."""
        ...


@frozen
class Port:
    """An input or output of a network. A parameter is an input that has a value from the start."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    is_parameter: bool


class Executor(ABC):
    """A network with the memory of its inputs and outputs. Executors call C; that they do by the methods below."""

    def __init__(self, ffi: Any, name: str) -> None:
        self._ffi: Any = ffi
        self.name = name
        self.inputs: tuple[Port, ...] = ()
        self.outputs: tuple[Port, ...] = ()
        self._own_inputs: dict[int, NDArray] = {}
        self._bound_inputs: dict[int, tuple[Array, object]] = {}
        self._bound_outputs: dict[int, Array] = {}

    def set_input(self, index: int, value: Array) -> None:
        """Copy `value`, converted to the element type of the input where that loses no kind of value."""
        converted = _converted(value, self.inputs[index])
        if index not in self._own_inputs:
            self._own_inputs[index] = converted
        self._own_inputs[index][...] = converted
        self.bind_input(index, self._own_inputs[index])

    def set_parameter(self, index: int, value: Array) -> None:
        """Copy the value of an input that belongs to the model, not to a run."""
        self.set_input(index, value)
        ports = list(self.inputs)
        ports[index] = replace(ports[index], is_parameter=True)
        self.inputs = tuple(ports)

    def bind_input(self, index: int, value: Array, owner: object = None) -> None:
        """Read the input from the memory of `value` at each run, without a copy. `owner` is kept alive with it."""
        name = f"input {self.inputs[index].name!r}"
        self._check(self._bind_input(index, self._described(value, name)), name)
        self._bound_inputs[index] = (value, owner)

    def bind_output(self, index: int, value: Array) -> None:
        """Write the output to the memory of `value` at each run, without a copy."""
        name = f"output {self.outputs[index].name!r}"
        if not value.flags.writeable:
            raise InputError(f"{name}: the array is read-only; give one that can be written")
        self._check(self._bind_output(index, self._described(value, name)), name)
        self._bound_outputs[index] = value

    def input_memory(self, index: int) -> Array | None:
        """The memory the input is read from, None if it has no value yet.

        For a parameter that has not been replaced this is memory of the library: read-only, and gone with the executor.
        """
        return self._bound_inputs[index][0] if index in self._bound_inputs else self._linked_value(index)

    def output_memory(self, index: int) -> Array:
        """The memory the output is written to."""
        return self._bound_outputs[index]

    def run(self) -> None:
        """Run the network; every input must have a value."""
        missing = [port.name for index, port in enumerate(self.inputs) if self.input_memory(index) is None]
        if missing:
            raise InputError(f"{self.name}: no value for {', '.join(missing)}; set it before run")
        self._check(self._run(), self.name)

    @abstractmethod
    def fixed_constant(self, name: str) -> Array | None:
        """The value of a constant of that name that cannot be replaced, None if there is none."""

    @abstractmethod
    def _linked_value(self, index: int) -> Array | None:
        """The value that an input has from the start."""

    @abstractmethod
    def _bind_input(self, index: int, tensor: Any) -> int:
        """Let the C side read an input there; a status."""

    @abstractmethod
    def _bind_output(self, index: int, tensor: Any) -> int:
        """Let the C side write an output there; a status."""

    @abstractmethod
    def _run(self) -> int:
        """Run the network; a status."""

    def _described(self, array: Array, place: str) -> Any:
        """The memory of `array` for a zero-copy call of the runtime."""
        if not array.flags.c_contiguous or not array.dtype.isnative:
            raise InputError(
                f"{place}: the array is not contiguous in native byte order; give np.ascontiguousarray of it"
            )
        self._shape_of_call = self._ffi.new("int64_t[]", array.shape)
        tensor = self._ffi.new("s2s_tensor *")
        tensor.data = self._pointer(array)
        tensor.device.type = CPU
        tensor.ndim = array.ndim
        tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = dlpack_of_numpy(array.dtype)
        tensor.shape = self._shape_of_call
        return tensor

    def _pointer(self, array: Array) -> Any:
        return self._ffi.cast("void *", array.ctypes.data)

    def _check(self, status: int, place: str) -> None:
        """Raise what a status of the C side means."""
        if status < 0:
            name = self._ffi.typeof("s2s_status").elements[status]
            phrase = status_phrases()[name]
            if status == FAILED_FUNCTION:
                raise_failure(place)
            if name in ("S2S_ERR_GRAPH", "S2S_ERR_SLOTS", "S2S_ERR_ARENA_SIZE", "S2S_ERR_STATE"):
                raise CompilerBug(f"{place}: {phrase}")
            raise InputError(f"{place}: {phrase}; give an array as get_input_info and get_output_info describe it")


def _converted(value: Array, port: Port) -> NDArray:
    """A copy of `value` in the element type of an input."""
    if value.shape != port.shape:
        raise InputError(f"input {port.name!r}: shape {value.shape} given, {port.shape} wanted; reshape it")
    converted = aligned_empty(port.shape, port.dtype)
    try:
        np.copyto(converted, value, casting="same_kind")
    except TypeError as error:
        raise InputError(
            f"input {port.name!r}: {value.dtype} given, {port.dtype} wanted; convert it with astype"
        ) from error
    if port.dtype.kind in "iu" and not np.array_equal(converted, value):
        raise InputError(f"input {port.name!r}: values outside the range of {port.dtype}; clip or scale them")
    return converted


class Session(Executor):
    """A network run by its tables. Sessions of one library are independent of each other."""

    def __init__(self, library: LoadedLibrary, arena: Array | None = None) -> None:
        """Prepare an executor in memory of its own, or in `arena`; its state has the first values."""
        super().__init__(library.ffi, library.name)
        self._library = library
        self._lib: Any = library.lib
        self._graph: Any = self._ffi.addressof(self._lib, graph_symbol(library.name))
        self._check(self._lib.s2s_graph_check(self._graph), f"tables of {self.name}")
        graph = self._graph
        # A byte at least: an array without elements has no place that could be aligned.
        bytes, align = max(int(graph.arena_size), 1), max(int(graph.arena_align), 64)
        self._arena = aligned_empty((bytes,), np.dtype(np.uint8), align) if arena is None else arena
        count = graph.num_inputs + graph.num_outputs + graph.max_args + graph.num_devices
        self._slots: Any = self._ffi.new("void *[]", count)
        self._executor: Any = self._ffi.new("s2s_executor *")
        status = self._lib.s2s_executor_init(
            self._executor, graph, self._pointer(self._arena), self._arena.nbytes, self._slots, count
        )
        self._check(status, self.name)
        self.sizes = np.zeros(graph.num_sizes, np.int32)
        """The sizes that vary: given ones, which are set before a run, then the ones that a run writes."""
        if graph.num_sizes:
            sizes = self._ffi.cast("int32_t *", self.sizes.ctypes.data)
            self._check(self._lib.s2s_executor_set_sizes(self._executor, sizes, graph.num_sizes), self.name)
        self._devices = [self._device_arena(device, align) for device in range(graph.num_devices)]
        self.inputs = tuple(self._port(graph.inputs[i]) for i in range(graph.num_inputs))
        self.outputs = tuple(self._port(graph.outputs[i]) for i in range(graph.num_outputs))
        for index, port in enumerate(self.outputs):
            self.bind_output(index, aligned_empty(port.shape, port.dtype))

    def _device_arena(self, device: int, align: int) -> Array:
        """Give the executor the arena of a further device."""
        arena = aligned_empty((int(self._graph.device_arenas[device]),), np.dtype(np.uint8), align)
        status = self._lib.s2s_executor_set_device_arena(self._executor, device, self._pointer(arena), arena.nbytes)
        self._check(status, self.name)
        return arena

    def reset_state(self) -> None:
        """Set the state that outlives a run to its first values."""
        self._check(self._lib.s2s_executor_reset_state(self._executor), self.name)

    def output_value(self, index: int) -> Array:
        """A copy of an output of the last run, in the shape that it has at the sizes of that run."""
        memory = self.output_memory(index)
        shape = self._ffi.new("int64_t[]", max(memory.ndim, 1))
        self._check(self._lib.s2s_executor_output_shape(self._executor, index, shape), self.name)
        return np.array(memory[tuple(slice(shape[axis]) for axis in range(memory.ndim))])

    def _linked_value(self, index: int) -> Array | None:
        if not self.inputs[index].is_parameter:
            return None
        return self._constant(self._graph.tensors[self._graph.inputs[index].tensor])

    def fixed_constant(self, name: str) -> Array | None:
        """The value of a constant of that name that cannot be replaced, None if there is none."""
        for number in range(self._graph.num_tensors):
            tensor = self._graph.tensors[number]
            if tensor.place == self._lib.S2S_PLACE_CONSTANT and self._text(tensor.name) == name:
                return self._constant(tensor)
        return None

    def _bind_input(self, index: int, tensor: Any) -> int:
        return self._lib.s2s_executor_set_input_zero_copy(self._executor, index, tensor)

    def _bind_output(self, index: int, tensor: Any) -> int:
        return self._lib.s2s_executor_set_output_zero_copy(self._executor, index, tensor)

    def _run(self) -> int:
        status = self._lib.s2s_executor_run(self._executor)
        if status == self._lib.S2S_ERR_SHAPE:
            raise InputError(
                f"{self.name}: a size is outside of its bounds in this run: {self._sizes_in_words()}; give other "
                "inputs, or compile it with wider bounds, --dim"
            )
        if status == self._lib.S2S_ERR_RANGE:
            raise InputError(
                f"{self.name}: an index, such as a position in a cache, is out of range; the header states the bounds "
                "of inputs and states"
            )
        return status

    def _sizes_in_words(self) -> str:
        rows = [self._graph.sizes[number] for number in range(self._graph.num_sizes)]
        return ", ".join(
            f"{self._text(row.name)} is {size} of {row.least}..{row.most}{f':+{row.step}' if row.step > 1 else ''}"
            for row, size in zip(rows, self.sizes.tolist(), strict=True)
        )

    def _port(self, described: Any) -> Port:
        tensor = self._graph.tensors[described.tensor]
        has_value = tensor.place == self._lib.S2S_PLACE_INPUT and bool(tensor.constant)
        return Port(self._text(tensor.name), self._dtype(tensor), self._shape(tensor), has_value)

    def _text(self, pointer: Any) -> str:
        return bytes(self._ffi.string(pointer)).decode() if pointer else ""

    def _shape(self, tensor: Any) -> tuple[int, ...]:
        return tuple(int(tensor.shape[i]) for i in range(tensor.ndim))

    def _dtype(self, tensor: Any) -> DType:
        return numpy_of_dlpack((tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes))

    def _constant(self, tensor: Any) -> Array:
        """The elements of a constant, in place."""
        dtype, shape = self._dtype(tensor), self._shape(tensor)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        view = np.frombuffer(self._ffi.buffer(tensor.constant, size), np.uint8).view(dtype).reshape(shape)
        view.flags.writeable = False
        return view
