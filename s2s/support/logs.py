"""Levels of logging for the time of one call."""

import contextlib
import logging
from collections.abc import Generator


@contextlib.contextmanager
def errors_only() -> Generator[None]:
    """Hide warnings that libraries log through the root logger; its level is as before afterwards."""
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.setLevel(level)
