"""Read an untrusted model in a child process first, with limited time and memory.

The frontends refuse what is damaged and bound the work of constants. What they may have overlooked, a crash of a
parser or sizes that exhaust the machine, ends the child and becomes a refusal.
"""

from collections.abc import Callable
from functools import partial

from s2s.errors import InputError, S2SError
from s2s.support.child import run_in_child

MEMORY = 2 * 2**30
"""Bytes that reading a model may take beyond the bytes that the process has taken before."""
SECONDS = 60.0
"""The time that reading a model may take."""


def try_reading(read: Callable[[], object], label: str, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
    """Run `read` in a child process, and raise what it raises; `label` names the model."""
    ended = run_in_child(partial(_attempt, read), seconds, memory)
    if ended.result is None:
        reason = f"takes more than {seconds:g} s" if ended.hung else f"fails: {ended.reason}"
        raise InputError(
            f"{label}: reading it within {memory // 2**20} MB {reason}; it is damaged, hostile, or too large for"
            " --untrusted"
        )
    for error in ended.result:
        raise error


def _attempt(read: Callable[[], object]) -> list[S2SError]:
    """The error of `read`, if it raises one that users see."""
    try:
        read()
    except S2SError as error:
        return [error]
    return []
