"""Tells whoever watches what the compiler is doing.

The work says `step("loop-unroll")` and does not know who listens; by default nobody does. The command line listens with
a line that appears on a terminal when something takes longer than a second.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def step(text: str) -> None:
    """Say that `text` begins now."""
    if listener := _listener.get():
        listener(text)


def is_heard() -> bool:
    """Whether somebody listens."""
    return _listener.get() is not None


@contextmanager
def listening(listener: Callable[[str], None]) -> Generator[None]:
    """Hand every step inside the block to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def within(text: str) -> Generator[None]:
    """Say in front of every step inside the block what it is a part of."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    with listening(lambda step: listener(f"{text}: {step}")):
        yield
