"""Parameters of commands: options in groups, and names that a shell completes."""

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem


class GroupedOption(click.Option):
    """An option that several commands share, in a group of the help; one for experts is shown by `--help-all` only."""

    def __init__(self, *args: Any, group: str, is_expert: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group, self.is_expert = group, is_expert


class Named(click.ParamType["str"]):
    """A text that is mostly one of some names, which are looked up when a shell asks for them."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.names = names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that start with `incomplete`."""
        return [CompletionItem(each) for each in self.names() if each.startswith(incomplete)]


def _targets() -> Iterable[str]:
    from s2s.targets import target_names

    return target_names()


def _project_boards() -> Iterable[str]:
    from s2s.projects import PROJECT_BOARDS

    return [board.name for board in PROJECT_BOARDS]


def _places() -> Iterable[str]:
    from pathlib import Path

    from s2s.boards import BOARDS

    ports = [path for pattern in ("ttyACM*", "ttyUSB*") for path in sorted(Path("/dev").glob(pattern))]
    return ["host", *(f"qemu:{board.name}" for board in BOARDS), *(f"serial:{port}" for port in ports)]


def _things() -> Iterable[str]:
    from s2s.verify.doctor import examine

    return [each.name for each in examine()]


def _parts() -> Iterable[str]:
    from s2s.support.resources import part_files

    return part_files()


TARGET, PROJECT_BOARD, PLACE, THING, PART = map(Named, (_targets, _project_boards, _places, _things, _parts))
"""Targets; boards for which projects are written; this machine, emulated boards and serial ports; what `s2s doctor`
looks for; microcontrollers."""


class _Bytes(click.ParamType["int"]):
    """A number of bytes, which may have a unit: `64KiB`."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        from s2s.types.pools import size_of

        size = value if isinstance(value, int) else size_of(value)
        if size is None:
            self.fail(f"{value!r} is no number of bytes; give one, as 16000 or 16KiB.", param, ctx)
        return size


BYTES = _Bytes()


class _Count(click.ParamType["int"]):
    """A number, which may be in thousands or millions: `5M`."""

    name = "count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        text = str(value)
        factor = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}.get(text[-1:], 1)
        try:
            return int(float(text[:-1] if factor > 1 else text) * factor)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no number; give one, as 5000000 or 5M.", param, ctx)


COUNT = _Count()
