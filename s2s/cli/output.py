"""Output of the commands: progress on a terminal, results as text or as JSON."""

import json
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from s2s.errors import InputError
from s2s.support import progress

if TYPE_CHECKING:
    from pathlib import Path

    from s2s.types.dtypes import Array

PATIENCE = 1.0
"""Seconds after which someone at a terminal wonders what is going on."""
INTERVAL = 30.0
"""Seconds between the lines that tell a log what is going on."""


@contextmanager
def steps_shown(*, quiet: bool = False) -> Generator[None]:
    """Show what runs inside the block once it takes longer than a second, and the total; in a log, a line every half a
    minute."""
    if quiet or progress.is_heard():
        yield
        return
    if not sys.stderr.isatty():
        with _steps_logged():
            yield
        return
    from rich.console import Console

    begin = time.monotonic()
    status = Console(stderr=True).status("")
    timer = threading.Timer(PATIENCE, status.start)
    timer.start()
    try:
        with progress.listening(status.update):
            yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
    _print_total(time.monotonic() - begin)


@contextmanager
def _steps_logged() -> Generator[None]:
    """Print the step that begins, if there has been no line for a while."""
    begin = last = time.monotonic()

    def heard(step: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= INTERVAL:
            last = now
            print(f"s2s: {now - begin:.0f} s: {step}", file=sys.stderr)

    with progress.listening(heard):
        yield
    if last != begin:
        _print_total(time.monotonic() - begin)


def _print_total(seconds: float) -> None:
    """Print how long the block took, where that is longer than a second."""
    if seconds >= PATIENCE:
        print(f"s2s: {seconds:.1f} s in all", file=sys.stderr)


def print_json(value: object) -> None:
    """Print `value` as one JSON object, keys in the order given."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def number(value: float | None) -> str:
    """Format a count with separated thousands."""
    return "unknown" if value is None else f"{value:,}"


def print_fields(fields: Mapping[str, object]) -> None:
    """Print names and values in two columns."""
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        print(f"{name:<{width}}  {value}")


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of text in columns, each as wide as its longest cell."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def save(results: "Mapping[str, Array]", folder: "Path") -> None:
    """Write each result to `<name>.npy`, with characters replaced that file names should not have."""
    import numpy as np

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in results.items():
            np.save(folder / ("".join(c if c.isalnum() or c in "._-" else "_" for c in name) + ".npy"), array)
    except OSError as error:
        raise InputError(f"--output {folder}: cannot be written: {error.strerror}; choose another folder") from error
