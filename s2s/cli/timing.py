"""The options that make time and energy of the cycles on an emulated board."""

import functools
import math
from collections.abc import Callable
from typing import Any, TypedDict

import click

from s2s.cli.parameters import PART
from s2s.errors import InputError


class Timing(TypedDict):
    """The microcontroller and the clock in megahertz that cycles are for."""

    part: str | None
    clock: float | None


class _Clock(click.ParamType["float"]):
    """A frequency in megahertz, which may have its unit: `168MHz`."""

    name = "clock"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the megahertz."""
        try:
            clock = float(str(value).removesuffix("MHz"))
        except ValueError:
            clock = math.nan
        if not 0 < clock < math.inf:
            self.fail(f"{value!r} is no clock; give one, as 168MHz.", param, ctx)
        return clock


def with_timing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command with `--on` the options `--part` and `--clock`; it gets them as the parameter `timing`."""

    @functools.wraps(command)
    def wrapper(part: str | None, clock: float | None, **stated: Any) -> None:
        if (part, clock) != (None, None) and not (stated["on"] or "").startswith("qemu:"):
            option = f"--part {part}" if part is not None else f"--clock {clock:g}MHz"
            raise InputError(f"{option}: is for cycles on an emulated board; add --on qemu:m4 or another")
        command(**stated, timing=Timing(part=part, clock=clock))

    described = click.option(
        "--part",
        type=PART,
        metavar="NAME|FILE.toml",
        help="With --on: the microcontroller whose wait states, clock and energy count.",
    )
    clocked = click.option(
        "--clock", type=_Clock(), metavar="MHZ", help="With --on: the clock that makes time of cycles, as 168MHz."
    )
    return described(clocked(wrapper))
