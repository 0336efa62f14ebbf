"""Callbacks of tuners: a log, and a bar of progress."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from s2s.errors import InputError
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.record import PROTOCOL, encode
from s2s.tvm.autotvm.tuner.tuner import Tuner
from s2s.tvm.autotvm.utils import format_si_prefix
from s2s.tvm.refusals import refusing

__all__ = ["Monitor", "log_to_file", "progress_bar"]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("autotvm.callback")

Callback = Callable[[Tuner, Sequence[MeasureInput], Sequence[MeasureResult]], None]


def log_to_file(file_out: str | Path | TextIO, protocol: str = PROTOCOL) -> Callback:
    """Return a callback that appends every measurement to a log."""

    def callback(_: Tuner, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        text = "".join(encode(*pair, protocol) + "\n" for pair in zip(inputs, results, strict=True))
        if not isinstance(file_out, str | Path):
            file_out.write(text)
            return
        try:
            with Path(file_out).open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise InputError(f"log_to_file: {file_out}: {error.strerror}; give a file that can be written") from error

    return callback


class Monitor:
    """A callback that keeps the speed and the time of each trial."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.timestamps: list[float] = []

    def __call__(self, tuner: Tuner, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        for each in results:
            self.timestamps.append(each.timestamp)
            self.scores.append(0.0 if each.error_no else tuner.task.flop / each.costs[0])

    def reset(self) -> None:
        """Forget all trials."""
        self.scores, self.timestamps = [], []

    def trial_scores(self) -> list[float]:
        """Return operations a second, or an instruction, of each trial; 0 of one that failed."""
        return list(self.scores)

    def trial_timestamps(self) -> list[float]:
        """Return when each trial was measured, in seconds since 1970."""
        return list(self.timestamps)


def progress_bar(total: int, prefix: str = "", si_prefix: str = "G") -> Callback:
    """Return a callback that shows trials, and the speed of the best configuration, on the standard error."""
    started, unit = time.monotonic(), 1 / format_si_prefix(1.0, si_prefix)

    def callback(tuner: Tuner, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        batch = max((tuner.task.flop / each.costs[0] for each in results if not each.error_no), default=0.0)
        line = (
            f"{prefix} Current/Best: {batch / unit:7.2f}/{tuner.best_flops / unit:7.2f} {si_prefix}FLOPS | "
            f"Progress: ({min(tuner.trials, total)}/{total}) | {time.monotonic() - started:.2f} s"
        )
        is_last = tuner.trials >= total
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{line}" + ("\n" if is_last else ""))
        elif is_last:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    return callback
