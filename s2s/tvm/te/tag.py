"""Tags of operations that a block of a program computes.

with te.tag_scope(tag="matmul"):
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k))
"""

from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import wraps
from types import TracebackType
from typing import ParamSpec, TypeVar

from s2s.errors import WrongValueError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
_current: ContextVar[str | None] = ContextVar("tag", default=None)


class TagScope:
    """A `with` block, or a decorator of a function, whose computes have a tag."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._before: Token[str | None] | None = None

    def __enter__(self) -> "TagScope":
        if _current.get() is not None:
            raise WrongValueError(f"tag_scope {self.tag}: is inside of {_current.get()}; an operation has one tag")
        self._before = _current.set(self.tag)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            _current.reset(self._before)

    def __call__(self, fdecl: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        """A function that runs in the block."""

        @wraps(fdecl)
        def tagged(*arguments: Arguments.args, **keywords: Arguments.kwargs) -> Result:
            with TagScope(self.tag):
                return fdecl(*arguments, **keywords)

        return tagged


def tag_scope(tag: str) -> TagScope:
    """Return the block, or the decorator, that gives a tag to all tensors computed in it."""
    return TagScope(tag)


def tag_of(name: str, tag: str) -> str:
    """The tag of an operation: what it was told, or the one of the block around."""
    around = _current.get()
    if around is not None and tag:
        raise WrongValueError(f"{name}: tag {tag} is inside of tag_scope {around}; an operation has one tag")
    return tag or around or ""


__all__ = ["TagScope", "tag_scope"]
