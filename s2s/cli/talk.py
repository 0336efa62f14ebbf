"""The options of every command that set how much it prints."""

import functools
import inspect
import io
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import Annotated, Any

import typer

from s2s.errors import InputError

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say what is being done, with the time it began.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors, and JSON where it is asked for.")]


def talking(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options `--verbose` and `--quiet` to `command`."""
    signature = inspect.signature(command)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)
        for name, annotation in (("verbose", Verbose), ("quiet", Quiet))
    ]

    @functools.wraps(command)
    def wrapper(*, verbose: bool, quiet: bool, **values: Any) -> None:
        if verbose and quiet:
            raise InputError("--quiet: --verbose is given as well; leave one of them out")
        silent = quiet and not values.get("as_json")
        with (
            _steps_printed() if verbose else nullcontext(),
            redirect_stdout(io.StringIO()) if silent else nullcontext(),
        ):
            command(**values)

    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in signature.parameters.values()]
    setattr(wrapper, "__signature__", signature.replace(parameters=[*parameters, *added]))  # noqa: B010
    wrapper.__annotations__ = {each.name: each.annotation for each in (*parameters, *added)}
    return wrapper


@contextmanager
def _steps_printed() -> Generator[None]:
    """Print each step of the work on a line of its own."""
    import sys
    import time

    from s2s.support import progress

    begin = time.monotonic()
    with progress.listening(lambda step: print(f"{time.monotonic() - begin:8.1f} s  {step}", file=sys.stderr)):
        yield
