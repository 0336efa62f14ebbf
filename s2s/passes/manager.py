"""Run passes in order, with the hooks of instruments around each of them.

The pipeline decides which passes run; this file only runs them and verifies the module. Instruments look on between
passes: those of the user, and those that `DebugOptions` ask for, which print the module and measure.
"""

import sys
from collections.abc import Sequence
from typing import Protocol, TextIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import DiagnosticException

from s2s.errors import CompilerBug
from s2s.options import DebugOptions, PassOptions
from s2s.passes.instruments import PassInfo, PassInstrument, PassTiming, PassTimingInstrument, PrintIR, call_hook
from s2s.passes.levels import OPT_LEVELS
from s2s.passes.verification import verify
from s2s.support import progress


class Runnable(Protocol):
    """What stands for a pass until a module has work for it."""

    @property
    def name(self) -> str: ...

    def apply(self, ctx: Context, op: ModuleOp, /) -> None: ...

    def spec(self) -> ArgSpec: ...


class PassManager:
    """Runs lists of passes on the modules of one compilation, or of several related ones.

    What `debug` asks for is printed on `stream`, by default standard error.
    """

    def __init__(
        self, debug: DebugOptions | None = None, stream: TextIO | None = None, passes: PassOptions | None = None
    ) -> None:
        self.debug = debug if debug is not None else DebugOptions()
        self.stream: TextIO = stream if stream is not None else sys.stderr
        self._timing = PassTimingInstrument() if self.debug.time_passes else None
        own = [PrintIR(self.stream, self.debug.print_ir_after)] if self.debug.print_ir_after else []
        timing = [] if self._timing is None else [self._timing]
        self._passes = passes if passes is not None else PassOptions()
        given = [each for each in self._passes.instruments if isinstance(each, PassInstrument)]
        self.instruments: list[PassInstrument] = [*given, *own, *timing]
        self.begun = 0
        """How many passes of the last list have begun; the last one of them is at work, or has failed."""

    @property
    def timings(self) -> Sequence[PassTiming]:
        """The times of the passes so far, if they are asked for."""
        return () if self._timing is None else self._timing.timings

    def run(
        self, ctx: Context, module: ModuleOp, passes: Sequence[ModulePass | Runnable], *, verify: bool = True
    ) -> None:
        """Apply `passes` to `module` in order; with `verify`, the module is verified after the last of them."""
        self.begun = 0
        for number, each in enumerate(passes, 1):
            self.begun = number
            self._run(ctx, module, each)
            if self.debug.verify_each or (verify and number == len(passes)):
                _verify(module, each.name)

    def _run(self, ctx: Context, module: ModuleOp, each: ModulePass | Runnable) -> None:
        """Apply one pass between the hooks of the instruments, unless one of them refuses it."""
        progress.step(each.name)
        if not self.instruments:
            return _apply(ctx, module, each)
        info = PassInfo(OPT_LEVELS.get(each.name, 0), each.name, spec=str(each.spec()))
        may_be_refused = each.name in OPT_LEVELS and each.name not in self._passes.required
        if may_be_refused and not all(call_hook(one, "should_run", module, info) for one in self.instruments):
            return None
        for instrument in self.instruments:
            call_hook(instrument, "run_before_pass", module, info)
        _apply(ctx, module, each)
        for instrument in reversed(self.instruments):
            call_hook(instrument, "run_after_pass", module, info)
        return None

    def finish(self) -> None:
        """Print the table of times, if asked for, and begin a new one."""
        if self._timing is not None:
            print_timings(self._timing.timings, self.stream)
            self._timing.timings = []


def print_timings(timings: Sequence[PassTiming], stream: TextIO) -> None:
    """Print a table of the passes in the order they ran."""
    from rich.console import Console
    from rich.table import Table

    total = sum(timing.seconds for timing in timings)
    table = Table("pass", title="time of passes", show_footer=True)
    table.columns[0].footer = "total"
    table.add_column("ms", footer=f"{total * 1e3:.1f}", justify="right")
    table.add_column("%", justify="right")
    table.add_column("operations after", justify="right")
    for timing in timings:
        share = 100 * timing.seconds / total if total else 0.0
        table.add_row(timing.name, f"{timing.seconds * 1e3:.1f}", f"{share:.0f}", str(timing.operations))
    Console(file=stream).print(table)


def _apply(ctx: Context, module: ModuleOp, each: ModulePass | Runnable) -> None:
    try:
        each.apply(ctx, module)
    except Exception as error:
        error.add_note(f"while the pass {each.name} was running")
        raise


def _verify(module: ModuleOp, name: str) -> None:
    try:
        verify(module)
    except DiagnosticException as error:
        raise CompilerBug(f"the module does not verify after the pass {name}: {error}") from error
