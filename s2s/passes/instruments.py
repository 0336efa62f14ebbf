"""Instruments: objects with hooks that run before and after passes, under TVM's names.

@pass_instrument
class Count:
    def run_before_pass(self, mod, info): ...
"""

import sys
import time
from collections.abc import Sequence
from types import new_class
from typing import NamedTuple, TextIO, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from s2s.errors import InputError, S2SError, WrongValueError


class PassInfo(NamedTuple):
    """The name and the level of a pass, which hooks receive."""

    opt_level: int
    name: str
    required: tuple[str, ...] = ()
    """The passes that run before it; none does, as the pipeline has one order."""
    spec: str = ""
    """The pass with its options."""


class PassInstrument:
    """An observer of passes; each hook does nothing unless it is overridden."""

    def enter_pass_ctx(self) -> None:
        """Called when the context is entered."""

    def exit_pass_ctx(self) -> None:
        """Called when the context is left."""

    def should_run(self, mod: ModuleOp, info: PassInfo) -> bool:
        """Return whether an optional pass is to run."""
        return True

    def run_before_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        """Called before a pass runs on `mod`."""

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        """Called after a pass has run on `mod`."""


def entered(instruments: Sequence[PassInstrument]) -> None:
    """Tell instruments that their context is entered; where one fails, earlier ones are told that it is left."""
    for number, each in enumerate(instruments):
        try:
            call_hook(each, "enter_pass_ctx")
        except S2SError:
            left(instruments[:number])
            raise


def left(instruments: Sequence[PassInstrument]) -> None:
    """Tell instruments that their context is left."""
    for each in instruments:
        call_hook(each, "exit_pass_ctx")


def call_hook(instrument: PassInstrument, hook: str, *arguments: object) -> object:
    """Return the result of a hook of an instrument; an exception of it is an error of the instrument."""
    try:
        return getattr(instrument, hook)(*arguments)
    except S2SError:
        raise
    except Exception as error:
        name, kind = type(instrument).__name__, WrongValueError if isinstance(error, ValueError) else InputError
        raise kind(f"{name}.{hook}: {type(error).__name__}: {error}; mend the instrument") from error


Made = TypeVar("Made")


def pass_instrument(pi_cls: type[Made]) -> type[Made]:
    """Turn a class that has some of the hooks into an instrument."""
    made = new_class(
        pi_cls.__name__, (pi_cls, PassInstrument), exec_body=lambda names: names.update(__doc__=pi_cls.__doc__)
    )
    return cast("type[Made]", made)


class PassTiming(NamedTuple):
    """The duration of one pass, and the size of the module after it."""

    name: str
    seconds: float
    operations: int
    """Operations in the module after the pass."""


class PassTimingInstrument(PassInstrument):
    """Measures the duration of each pass, for as long as the context is not left."""

    def __init__(self) -> None:
        self.timings: list[PassTiming] = []
        self._start = 0.0

    def exit_pass_ctx(self) -> None:
        self.timings = []

    def run_before_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        self._start = time.perf_counter()

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        seconds = time.perf_counter() - self._start
        self.timings.append(PassTiming(info.name, seconds, sum(1 for _ in mod.walk())))

    def render(self) -> str:
        """Return a table with a line for each pass: milliseconds and name."""
        return "\n".join(f"{timing.seconds * 1e3:10.2f} ms  {timing.name}" for timing in self.timings)


class PrintIR(PassInstrument):
    """Prints the module after the named passes; `all` stands for every pass."""

    def __init__(self, stream: TextIO | None = None, names: Sequence[str] = ("all",)) -> None:
        self._stream, self._names, self._count = stream or sys.stdout, tuple(names), 0

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        self._count += 1
        if info.name in self._names or "all" in self._names:
            self._stream.write(f"// IR after {self._count}. {info.spec}\n")
            Printer(self._stream).print_op(mod)
            self._stream.write("\n\n")
