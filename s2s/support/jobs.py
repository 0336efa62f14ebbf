"""How many programs, as compilers, a command runs at a time."""

import os

from s2s.errors import InputError

VARIABLE = "S2S_JOBS"
"""The environment variable that limits them, as `make -j` does."""


def jobs() -> int:
    """Return the number in `S2S_JOBS`; without it, the number of cores that this process may use.

    Raises `InputError` where the variable holds no positive whole number.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        return cores()
    if not given.isascii() or not given.isdigit() or int(given) == 0:
        raise InputError(
            f"{VARIABLE}={given!r} in the environment: is no positive whole number; set it to 1 or more, or unset it"
        )
    return int(given)


def cores() -> int:
    """Return the number of cores that the scheduler of the system lets this process use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
