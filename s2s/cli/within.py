"""The options of `s2s quantize` that bound what a network costs on a device, and the table of its choices."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from s2s.cli import options
from s2s.cli.parameters import BYTES, COUNT

if TYPE_CHECKING:
    from s2s.mixed.front import Picked, Point
    from s2s.quantization import Quantized
    from s2s.quantization.settings import Settings


class Limits(NamedTuple):
    """The stated bounds, and the target that they are for."""

    flash: int | None
    ram: int | None
    time: int | None
    min_accuracy: float | None
    target: str | None
    requantise: str | None

    @property
    def are_given(self) -> bool:
        """Whether there is a bound."""
        return any(bound is not None for bound in (self.flash, self.ram, self.time, self.min_accuracy))

    def quantized(self, model: Path, data: Path, settings: "Settings") -> "tuple[Quantized, Picked]":
        """Quantise a model within the bounds."""
        from s2s.mixed.quantize import fitted
        from s2s.mixed.search import Bounds
        from s2s.options import CompileOptions

        stated: dict[str, Any] = {} if self.requantise is None else {"requantise": self.requantise}
        compiling = CompileOptions(target=self.target or "cortex-m4", **stated)  # pyright: ignore[reportArgumentType]
        bounds = Bounds(self.flash, self.ram, self.time)
        return fitted(model, data, settings, compiling, bounds, self.min_accuracy)


def within(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options, which it gets as the parameter `limits`."""

    @functools.wraps(command)
    def wrapper(**arguments: Any) -> None:
        limits = Limits(*(arguments.pop(name) for name in Limits._fields))
        command(**arguments, limits=limits)

    flags = (
        click.option("--flash", type=BYTES, metavar="BYTES", help="Code and constants at most (200KiB)."),
        click.option("--ram", type=BYTES, metavar="BYTES", help="Arena, inputs and outputs at most (64KiB)."),
        click.option("--time", type=COUNT, metavar="CYCLES", help="Cycles of a run at most, by the core's model (5M)."),
        click.option(
            "--min-accuracy",
            type=click.FloatRange(0, 1),
            help="What --metric reaches at least; where it is the only bound, the smallest such network is taken.",
        ),
        options.flag_of("target"),
        options.flag_of("requantise"),
    )
    return functools.reduce(lambda wrapped, flag: flag(wrapped), reversed(flags), wrapper)


def show_front(picked: "Picked") -> None:
    """Print the plans that none beats, and what the chosen one gives up in which layer."""
    from rich.console import Console
    from rich.table import Table

    table = Table("plan", title="flash against accuracy")
    for heading in ("flash", "RAM", picked.unit, "SQNR in dB", picked.metric):
        table.add_column(heading, justify="right")
    for point in picked.front:
        table.add_row(*_cells(point, point.plan == picked.point.plan))
    console = Console(highlight=False)
    console.print(table)
    for line in picked.describe():
        console.print(line, soft_wrap=True)


def _cells(point: "Point", is_chosen: bool) -> tuple[str, ...]:
    """The cells of a plan."""
    name = f"{point.in_words()}{' <' if is_chosen else ''}"
    right = "" if point.metric is None else f"{point.metric:.4g}"
    return name, *(f"{number:,}" for number in point.price), f"{point.sqnr:.1f}", right
