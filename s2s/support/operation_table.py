"""What other packages know of an operation: tables of functions by its class, in files named like its dialect's file.

    LOWERINGS: OperationTable[Builder, SSAValue | None] = OperationTable("lowering to C", __package__)

    @LOWERINGS.register(loop.ExtendOp)
    def widen(b: Builder, op: loop.ExtendOp) -> SSAValue: …

A dialect cannot import what interprets or lowers it, so these functions stand beside the table that they fill, in one
file for each family: `lanes.py` for the operations of the dialect's `lanes.py`, imported when the first of them is met.
Operations of other packages register in the same way.
"""

import importlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from xdsl.ir import Operation

from s2s.errors import CompilerBug

Context = TypeVar("Context")
Result = TypeVar("Result")
Handler = TypeVar("Handler", bound=Callable[..., Any])


DIALECTS = "s2s.dialects."


@cache
def family_of(package: str, operation: type[Operation]) -> Any:
    """Return the file of `package` that is called like the dialect's file that defines `operation`, imported when it is
    first asked for; None where there is none, and for operations of other packages."""
    defined = operation.__module__
    name = f"{package}.{defined.rpartition('.')[2]}"
    return importlib.import_module(name) if defined.startswith(DIALECTS) and find_spec(name) is not None else None


class OperationTable(Generic[Context, Result]):
    """One function for each class of operation; it takes a context and the operation."""

    def __init__(self, purpose: str, package: str | None = None) -> None:
        """Create a table that the families of `package` fill when their operations are met; None: they are imported."""
        self._purpose, self._package = purpose, package
        self._handlers: dict[type[Operation], Callable[[Context, Any], Result]] = {}

    def register(self, *kinds: type[Operation]) -> Callable[[Handler], Handler]:
        """Return a decorator that makes a function handle operations of `kinds`."""

        def add(handler: Handler) -> Handler:
            for kind in kinds:
                if kind in self._handlers:
                    raise CompilerBug(f"{kind.name} has two functions for its {self._purpose}")
                self._handlers[kind] = handler
            return handler

        return add

    def find(self, op: Operation) -> Callable[[Context, Any], Result] | None:
        """Return the function that handles `op`; None if there is none."""
        if type(op) not in self._handlers and self._package is not None:
            family_of(self._package, type(op))
        return self._handlers.get(type(op))


__all__ = ["OperationTable", "family_of"]
