"""Tables of functions by the class of an operation, to which each family of operations adds its own.

    LOWERINGS: OperationTable[Builder, SSAValue | None] = OperationTable("lowering to C")

    @LOWERINGS.register(loop.ExtendOp)
    def widen(b: Builder, op: loop.ExtendOp) -> SSAValue: …

A dialect cannot import what interprets or lowers it, so these functions stand beside the table that they fill, in one
file for each family. Operations of other packages register in the same way.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from xdsl.ir import Operation

from s2s.errors import CompilerBug

Context = TypeVar("Context")
Result = TypeVar("Result")
Handler = TypeVar("Handler", bound=Callable[..., Any])


class OperationTable(Generic[Context, Result]):
    """One function for each class of operation; it takes a context and the operation."""

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose
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
        return self._handlers.get(type(op))


__all__ = ["OperationTable"]
