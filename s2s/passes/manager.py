"""Runs passes in order, and lets one look between them.

The pipeline decides which passes run; this file only runs them: it verifies the module, prints it and measures, as
`DebugOptions` ask.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException

from s2s.errors import CompilerBug
from s2s.options import DebugOptions
from s2s.passes.verification import verify
from s2s.support import progress


@dataclass(frozen=True)
class PassTiming:
    """What one pass took, and what it made of the module."""

    name: str
    seconds: float
    operations: int
    """Operations in the module after the pass."""


class PassManager:
    """Runs lists of passes, one after the other, on the modules of one compilation or of several that belong together.

    What `debug` asks for is printed on `stream`, by default standard error.
    """

    def __init__(self, debug: DebugOptions | None = None, stream: TextIO | None = None) -> None:
        self.debug = debug if debug is not None else DebugOptions()
        self.stream: TextIO = stream if stream is not None else sys.stderr
        self.timings: list[PassTiming] = []
        self._count = 0

    def run(self, ctx: Context, module: ModuleOp, passes: Sequence[ModulePass], *, verify: bool = True) -> None:
        """Apply `passes` to `module` in order; with `verify`, the module is verified after the last of them."""
        for number, each in enumerate(passes, 1):
            progress.step(each.name)
            start = time.perf_counter()
            _apply(ctx, module, each)
            seconds = time.perf_counter() - start
            if self.debug.verify_each or (verify and number == len(passes)):
                _verify(module, each.name)
            self._show(module, each, seconds)

    def _show(self, module: ModuleOp, each: ModulePass, seconds: float) -> None:
        self._count += 1
        if self.debug.time_passes:
            self.timings.append(PassTiming(each.name, seconds, sum(1 for _ in module.walk())))
        if each.name in self.debug.print_ir_after or "all" in self.debug.print_ir_after:
            self.stream.write(f"// IR after {self._count}. {each.spec()}\n")
            Printer(self.stream).print_op(module)
            self.stream.write("\n\n")

    def finish(self) -> None:
        """Print the table of times, if asked for, and begin a new one."""
        if self.debug.time_passes:
            print_timings(self.timings, self.stream)
            self.timings = []


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


def _apply(ctx: Context, module: ModuleOp, each: ModulePass) -> None:
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
