"""Report the steps of the compiler to listeners.

The work says `step("loop-unroll")` and does not know who listens; by default nobody does. The command line listens with
a line that appears on a terminal when something takes longer than a second.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def step(text: str) -> None:
    """Announce that the step `text` begins."""
    if listener := _listener.get():
        listener(text)


def is_heard() -> bool:
    """Return whether there is a listener."""
    return _listener.get() is not None


@contextmanager
def listening(listener: Callable[[str], None]) -> Generator[None]:
    """Pass every step inside the block to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def within(text: str) -> Generator[None]:
    """Prefix every step inside the block with the name of the larger step."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    with listening(lambda step: listener(f"{text}: {step}")):
        yield
