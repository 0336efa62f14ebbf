"""How much a command prints: `--verbose` and `--quiet`."""

import io
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, redirect_stdout

from s2s.errors import InputError


@contextmanager
def talking(*, verbose: bool, quiet: bool, as_json: bool) -> Generator[None]:
    """Print each step of the work inside the block, or nothing but errors and JSON."""
    if verbose and quiet:
        raise InputError("--quiet: --verbose is given as well; leave one of them out")
    with (
        _steps_printed() if verbose else _steps_dropped() if quiet else nullcontext(),
        redirect_stdout(io.StringIO()) if quiet and not as_json else nullcontext(),
    ):
        yield


@contextmanager
def _steps_printed() -> Generator[None]:
    """Print each step of the work on a line of its own."""
    import sys
    import time

    from s2s.support import progress

    begin = time.monotonic()

    def say(step: str) -> None:
        print(f"{time.monotonic() - begin:8.1f} s  {step}", file=sys.stderr)

    with progress.listening(say):
        yield
    say("done")


@contextmanager
def _steps_dropped() -> Generator[None]:
    """Say nothing of the steps."""
    from s2s.support import progress

    with progress.listening(lambda _: None):
        yield
