"""The other end of a session: its objects by number, and what is asked of them.

A client names an object by its number, a method and arguments; number 0 is the session itself. Arrays, modules,
functions and executors stay here and are answered by references; numbers, texts, bytes and tuples are values.
"""

import pickle
from operator import attrgetter
from typing import Any, cast

import numpy as np

from s2s.errors import S2SError
from s2s.executor.session import Executor
from s2s.support.frozen import frozen
from s2s.tvm.error import RPCError
from s2s.tvm.rpc.local import LocalSession
from s2s.tvm.runtime import nd
from s2s.tvm.runtime.module import Module
from s2s.types.weights import Array


@frozen
class Reference:
    """An object of a session, and what a client wants to know of it at once."""

    number: int
    kind: str = ""
    """`array`, `module`, `function` or `executor`."""
    told: tuple[Any, ...] = ()
    """Shape and element type of an array, the name of a function, name and ports of an executor."""


@frozen
class Request:
    """A method that is called on an object."""

    number: int
    method: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    forgotten: tuple[int, ...]
    """Objects that the client has no more references to."""


class _Session(LocalSession):
    """The session itself, with the arrays that clients make in it."""

    def array(self, values: Array) -> Array:
        """Return an array of the session with these values."""
        return nd.array(values)


class Objects:
    """The objects of a session."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {0: _Session()}
        self._next = 1

    def answer(self, packed: bytes) -> bytes:
        """Return the result of a request, or its error, as bytes."""
        try:
            request: Request = pickle.loads(packed)
            return pickle.dumps((True, self._encoded(self._call(request))))
        except Exception as error:  # whatever it is, the client is told
            return pickle.dumps((False, _portable(error)))

    def _call(self, request: Request) -> Any:
        for number in request.forgotten:
            self._objects.pop(number, None)
        keywords = {name: self._decoded(value) for name, value in request.keywords.items()}
        method = attrgetter(request.method)(self._objects[request.number])
        return method(*map(self._decoded, request.arguments), **keywords)

    def _decoded(self, value: Any) -> Any:
        return self._objects[value.number] if isinstance(value, Reference) else value

    def _encoded(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            array = cast(Array, value)
            return self._reference("array", array, (array.shape, array.dtype))
        if isinstance(value, Executor):
            return self._reference("executor", value, (value.name, value.inputs, value.outputs))
        if isinstance(value, Module):
            return self._reference("module", value, (value.type_key,))
        if callable(value):
            return self._reference("function", value, (getattr(value, "name", "function"),))
        return tuple(map(self._encoded, cast("tuple[Any, ...]", value))) if type(value) is tuple else value

    def _reference(self, kind: str, value: Any, told: tuple[Any, ...]) -> Reference:
        self._next += 1
        self._objects[self._next] = value
        return Reference(self._next, kind, told)


def _portable(error: Exception) -> Exception:
    """An error as a client can raise it: our own as it is, others by their kind and text."""
    if isinstance(error, S2SError):
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # it takes other arguments than its text
            return RPCError(str(error))
        return error
    return RPCError(f"{type(error).__name__}: {error}")
