"""Reduce the frequency of Python's garbage collection."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def rare_collections() -> Generator[None]:
    """Collect garbage rarely inside of the `with` block: the IR is many objects that live until the end, and scanning
    them again and again takes a quarter of the time."""
    before = gc.get_threshold()
    gc.set_threshold(2_000_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
