"""Packed functions: Python calls C and C calls Python by one convention, which s2s_packed.h declares.

A `PackedFunc` is either a function of C or a Python callable. Both are called the same way from Python; as an argument,
both become a pointer to an `s2s_function`. An exception in a Python callable goes through C as an error code and is
raised again, itself and with its traceback, by the Python call that had called C.
"""

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from s2s.errors import InputError, ToolchainError
from s2s.executor.device import Device
from s2s.executor.ndarray import NDArray
from s2s.tvm.runtime import abi as codes
from s2s.tvm.runtime import container
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.imm import imm
from s2s.tvm.runtime.tensors import Place, descriptor_of, give, memory_of
from s2s.tvm.runtime.values import Value, fits, load, store, store_text
from s2s.types.weights import Array


class PackedError(ToolchainError):
    """A function of C reported an error; the message is its own."""


class _Thread(threading.local):
    """What a thread has to remember of the calls under way."""

    error: BaseException | None = None
    """The exception that a Python callable raised and that is on its way through C."""
    result: Any = None
    """The text or bytes that a Python callable returned: valid until the next one returns."""


_thread = _Thread()
_failing: set[int] = set()
"""The threads of which an exception may be on its way. It is cheaper to look at than what a thread remembers."""


def _forget_error() -> None:
    """Drop an exception of this thread that C has taken no notice of."""
    _thread.error = None
    _failing.discard(threading.get_ident())


class PackedFunc:
    """A function that takes and returns values by the packed convention."""

    __slots__ = ("__weakref__", "_cdata", "_function", "_handle", "name")
    is_python = True
    """Whether it is a Python callable."""

    def __init__(self, function: Callable[..., Value], name: str = "") -> None:
        self._function = function
        self._cdata: Any = None
        self._handle: Any = None
        self.name = name or getattr(function, "__name__", "function")

    @staticmethod
    def of_c(pointer: Any, name: str, owner: object = None) -> "PackedFunc":
        """The function that an `s2s_function *` of C names; `owner` is kept alive with it."""
        return _FunctionOfC(pointer, name, owner)

    def __call__(self, *arguments: Value) -> Value:
        """Call the function; it gets what it would get through C."""
        return self._function(*map(passed, arguments))

    def __repr__(self) -> str:
        return f"PackedFunc({self.name!r})"

    @property
    def pointer(self) -> Any:
        """The function as an `s2s_function *`, valid as long as this object is, or C holds it."""
        if self._cdata is None:
            ffi = abi()
            self._handle = ffi.new_handle(self)
            callback = ffi.new("s2s_function *")
            callback.call, callback.resource, callback.hold = _dispatcher(), self._handle, _holder()
            self._cdata = callback
        return self._cdata


class ObjectGeneric:
    """The base of classes of a program whose values are arguments: `asobject` gives the value that is passed."""

    def asobject(self) -> Any:
        """The value that is passed."""
        raise InputError(f"{type(self).__name__}: has no asobject; define what its values are passed as")


def convert(value: Value) -> Value:
    """A Python callable as a packed function; a list or a mapping of what its elements become; a number as a node that
    tells its type; a value of `ObjectGeneric` as its `asobject`; everything else as it is."""
    if isinstance(value, ObjectGeneric):
        return value.asobject()
    if isinstance(value, (PackedFunc, str, bytes, np.ndarray, Device)) or value is None:
        return cast(Value, value)
    if callable(value):
        return PackedFunc(value)
    if isinstance(value, (list, tuple)):
        return container.Array(convert(element) for element in cast("Sequence[Value]", value))
    if isinstance(value, dict):
        return container.Map((key, convert(element)) for key, element in cast("dict[Value, Value]", value).items())
    return imm(value)


def passed(value: Value) -> Value:
    """A value as a callable of Python gets it: plain arrays as NDArray, lists and mappings as TVM's, numpy's numbers as
    Python's; refused is an integer of more than 64 bits."""
    kind = cast("type", value.__class__)
    if kind is int:
        return fits(cast(int, value))
    if kind is np.ndarray:
        return cast(Array, value).view(NDArray)
    if kind in (list, tuple, dict) or isinstance(value, ObjectGeneric):
        return convert(value)
    return cast("np.generic", value).item() if isinstance(value, np.generic) else value


class _Frame:
    """Memory for the arguments and the result of one call."""

    __slots__ = ("from_buffer", "places", "result", "result_code", "slots", "types", "values")

    def __init__(self, count: int) -> None:
        ffi = abi()
        self.values: Any = ffi.new("s2s_value[]", count)
        self.types: Any = ffi.new("int[]", count)
        self.slots = [self.values[number] for number in range(count)]
        self.places: list[Place | None] = [None] * count
        self.from_buffer: Any = ffi.from_buffer
        self.result: Any = ffi.new("s2s_value *")
        self.result_code: Any = ffi.new("int *")

    def store_array(self, number: int, array: Array, kept: list[object]) -> int:
        """Write an array into a slot and return its type code; what keeps its memory in place goes to `kept`."""
        place = self.places[number] or self._place(number)
        if not (array.shape == place.sizes and array.dtype is place.dtype) and not place.describe(array):
            return store(self.slots[number], array, kept)
        try:
            memory = self.from_buffer(array)
        except ValueError:  # the elements do not lie one behind the other
            return store(self.slots[number], array, kept)
        kept.append(memory)
        place.pointer.data = memory
        self.slots[number].v_handle = place.pointer
        return codes.TENSOR

    def _place(self, number: int) -> Place:
        place = self.places[number] = Place()
        return place


_FRAME = 16
"""Arguments that a frame which is kept for later calls has room for."""
_frames: list[_Frame] = []
"""Frames that no call uses now."""


class _FunctionOfC(PackedFunc):
    """A function of C; `owner` is kept alive with it."""

    __slots__ = ("_call", "_owner", "_resource")
    is_python = False

    def __init__(self, pointer: Any, name: str, owner: object) -> None:
        self._cdata, self._handle, self._owner, self.name = pointer, None, owner, name
        self._call: Any = pointer.call
        self._resource: Any = pointer.resource

    def __call__(self, *arguments: Value) -> Value:
        """Call the function."""
        count = len(arguments)
        frame = _Frame(count) if count > _FRAME else _frames.pop() if _frames else _Frame(_FRAME)
        types, code = frame.types, frame.result_code
        kept: list[object] = []
        for number, value in enumerate(arguments):
            kind = value.__class__
            if kind is NDArray:
                frame.slots[number].v_handle = descriptor_of(value).pointer
                types[number] = codes.TENSOR
            elif kind is np.ndarray:
                types[number] = frame.store_array(number, value, kept)
            else:
                types[number] = _STORES.get(kind, _store)(frame.slots[number], value, kept)
        code[0] = codes.NULL
        if self._call(frame.values, types, count, frame.result, code, self._resource):
            raise_error(self.name)
        if _failing:
            _forget_error()
        kind = code[0]
        if kind == codes.NULL:
            result = None
        else:
            result = frame.result.v_int64 if kind == codes.INT else _load(frame.result[0], kind, owned=True)
        if count <= _FRAME:
            _frames.append(frame)
        return result


def raise_error(name: str) -> None:
    """Raise what made a function of C fail: an exception of Python under way, or the error that C has set."""
    pending = _thread.error
    _forget_error()
    if pending is not None:
        raise pending
    from s2s.tvm.runtime.native import last_error

    raise PackedError(f"{name}: {last_error() or 'failed without a message'}")


def _store(slot: Any, value: Value, kept: list[object]) -> int:
    """Write a value into a slot; the type code."""
    if isinstance(value, _PLAIN) or not _is_function(value):
        return store(slot, value, kept)
    function = value if isinstance(value, PackedFunc) else PackedFunc(cast("Callable[..., Value]", value))
    kept.append(function)
    slot.v_handle = function.pointer
    return codes.FUNCTION


def _store_int(slot: Any, value: int, _: list[object]) -> int:
    slot.v_int64 = fits(value)
    return codes.INT


def _store_float(slot: Any, value: float, _: list[object]) -> int:
    slot.v_float64 = value
    return codes.FLOAT


_STORES: dict[type, Callable[[Any, Any, list[object]], int]] = {int: _store_int, float: _store_float, str: store_text}
"""The stores of the most frequent types."""
_PLAIN = (int, str, np.ndarray, np.generic)
"""The types of most arguments, none of which can be called."""


def _is_function(value: Value) -> bool:
    return callable(value) and not isinstance(value, abi().CData) and not hasattr(cast(object, value), "__dlpack__")


def _load(slot: Any, code: int, *, owned: bool) -> Value:
    """The value of a slot; `owned`: a function or tensor is ours from now on."""
    if code == codes.FUNCTION:
        return _function_of(abi().cast("s2s_function *", slot.v_handle), owned=owned)
    if code == codes.MANAGED and not owned:
        raise InputError("packed function: a managed tensor cannot be an argument; pass a tensor")
    return load(slot, code)


def _function_of(pointer: Any, *, owned: bool) -> PackedFunc:
    """A function that comes from C: the Python callable that it is, or a function of C, held as long as we have it."""
    if pointer.call == _dispatcher():
        function = cast(PackedFunc, abi().from_handle(pointer.resource))
        if owned:
            _hold(pointer, -1)
        return function
    if not pointer.hold:
        return PackedFunc.of_c(pointer, "function of C")
    if not owned:
        pointer.hold(pointer, 1)
    return PackedFunc.of_c(pointer, "function of C", abi().gc(pointer, _release))


def _release(pointer: Any) -> None:
    pointer.hold(pointer, -1)


_held: dict[int, tuple[int, PackedFunc]] = {}
"""Python callables that C holds: how often, by the address of their functions."""
_held_lock = threading.Lock()


def held_count() -> int:
    """How many Python callables C holds."""
    return len(_held)


def _hold(pointer: Any, by: int) -> None:
    address = int(abi().cast("uintptr_t", pointer))
    with _held_lock:
        count = _held[address][0] + by if address in _held else by
        if count > 0:
            _held[address] = (count, cast(PackedFunc, abi().from_handle(pointer.resource)))
        else:
            _held.pop(address, None)


def _dispatch(frame: Any, types: Any, count: int, result: Any, result_code: Any, resource: Any) -> int:
    """What C calls for every Python callable."""
    result_code[0] = codes.NULL
    try:
        function = cast(PackedFunc, abi().from_handle(resource))
        arguments, borrowed = _borrow(frame, types, count)
        value = function(*arguments)
        result_code[0] = _store_result(result[0], value, borrowed)
        del arguments, value
        _check_returned(function.name, borrowed)
    except BaseException as error:
        from s2s.tvm.runtime.native import native, set_last_error

        native().s2s_value_release(result, result_code[0])
        result_code[0] = codes.NULL
        _thread.error = error
        _failing.add(threading.get_ident())
        set_last_error("".join(traceback.format_exception(error)))
        return -1
    return 0


def _borrow(frame: Any, types: Any, count: int) -> tuple[list[Value], list[tuple[int, Any]]]:
    """The arguments of a call from C, and the memory of the arguments that are tensors of C."""
    arguments: list[Value] = []
    borrowed: list[tuple[int, Any]] = []
    for number in range(count):
        if types[number] == codes.TENSOR:
            memory, array = memory_of(abi().cast("s2s_tensor *", frame[number].v_handle))
            borrowed.append((number, memory))
            arguments.append(array)
        else:
            arguments.append(_load(frame[number], types[number], owned=False))
    return arguments, borrowed


_ALONE = 2
"""References to an object of a tuple in a list that is passed to `getrefcount`: by the tuple and by the argument."""


def _check_returned(name: str, borrowed: Sequence[tuple[int, Any]]) -> None:
    """Refuse to go on when a callable keeps an array whose memory is C's and may be gone soon."""
    for number in range(len(borrowed)):
        if sys.getrefcount(borrowed[number][1]) > _ALONE:
            raise InputError(
                f"{name}: it keeps argument {borrowed[number][0]}, whose memory belongs to the caller; "
                "keep a copy instead: x.numpy()"
            )


def _store_result(result: Any, value: Value, borrowed: Sequence[tuple[int, Any]]) -> int:
    """Write what a callable returned."""
    kept: list[object] = []
    if not isinstance(value, PackedFunc) and hasattr(value, "__dlpack__"):
        array = cast(Array, value) if isinstance(value, np.ndarray) else np.from_dlpack(value)
        result.v_handle = give(array.copy() if borrowed else array)
        return codes.MANAGED
    code = _store(result, value, kept)
    if code == codes.FUNCTION:
        pointer = cast(PackedFunc, kept[0]).pointer
        if pointer.hold:
            pointer.hold(pointer, 1)
    _thread.result = kept
    return code


_callbacks: dict[str, Any] = {}


def _dispatcher() -> Any:
    """The C address of `_dispatch`."""
    if "call" not in _callbacks:
        signature = "int(s2s_value *, int *, int, s2s_value *, int *, void *)"
        _callbacks["call"] = abi().callback(signature, _dispatch, error=-1)
    return _callbacks["call"]


def _holder() -> Any:
    """The C address of `_hold`."""
    if "hold" not in _callbacks:
        _callbacks["hold"] = abi().callback("void(s2s_function *, int)", _hold)
    return _callbacks["hold"]
