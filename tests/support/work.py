"""Work of a compilation: how often each function of the compiler is called, which no load of the machine changes."""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

Function = tuple[str, int, str]
"""A file, the line that a function begins at, and its name."""


def calls_in(action: Callable[[], object]) -> Counter[Function]:
    """How often each Python function is called while `action` runs."""
    calls: Counter[Function] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            calls[code.co_filename, code.co_firstlineno, code.co_name] += 1

    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls
