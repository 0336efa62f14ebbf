"""Options and arguments that several commands share; the flags of the options of a compilation, which
`s2s/options/__init__.py` declares."""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import click

from s2s.cli.parameters import PLACE, PROJECT_BOARD, TARGET, GroupedOption
from s2s.errors import InputError
from s2s.options import CompileOptions, DebugOptions, UserOptions
from s2s.options.declaration import declaration, flagged, flags_of

Options = Callable[[str], CompileOptions]
"""The options of a compilation, for the target to take where the user names none."""

PATH = click.Path(path_type=Path)
"""The type of options that name a file or folder, whether it exists or not."""
SERIAL = "serial:"
"""What --on starts with for a board at a serial port."""
TYPES: Mapping[str | None, click.ParamType[Any]] = {"TARGET|FILE.toml": TARGET, "FILE": click.Path()}
"""The types of values that a shell completes, by their placeholders."""

model = click.argument(
    "model",
    type=PATH,
    metavar="MODEL",
    help="The network: an .onnx, .tflite, .pt2 or .gguf file. FILE.py:FUNCTION runs your Python file, and compiles the "
    "PyTorch module that the function returns with its example inputs.",
)
board = click.option(
    "--board",
    type=PROJECT_BOARD,
    default="",
    show_default=False,
    metavar="BOARD",
    help="With --on serial:PORT: one of s2s boards.",
)
load = click.option(
    "--load",
    default="",
    show_default=False,
    metavar="COMMAND",
    help="With --on serial:PORT: loads a program, from the folder of its project; by default PlatformIO does.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


def on(*, metavar: str, help: str, **settings: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option `--on`, the place where something runs."""
    return click.option("--on", type=PLACE, metavar=metavar, help=help, **settings)


def with_compile_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the flags of a compilation; it gets its options as the parameter `compiling`."""

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        stated = _stated(UserOptions, given)
        command(**given, compiling=functools.partial(_options, stated))

    return _with_flags(UserOptions, wrapper)


def with_debug_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the flags of `DebugOptions`, which it gets as the parameter `debug`."""

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        stated = _stated(DebugOptions, given)
        command(**given, debug=DebugOptions(**stated))

    return _with_flags(DebugOptions, wrapper)


def keys() -> list[str]:
    """Return the long names of the flags of a compilation, which are the keys of a project file."""
    return [flag.removeprefix("--") for each in flagged(UserOptions) for flag in (flags_of(each)[0], *_none(each))]


def flag_of(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the flag of one option of a compilation, for a command that takes no others."""
    [found] = [each for each in flagged(UserOptions) if each.name == name]
    return next(_flags(found))


def flags_for(cls: type) -> list[click.Parameter]:
    """Return the flags of a class of options."""
    return click.command("options")(_with_flags(cls, lambda: None)).params


def _options(stated: Mapping[str, Any], target: str) -> CompileOptions:
    values: dict[str, Any] = {"target": target, **stated}
    return CompileOptions(**values)


def _with_flags(cls: type, wrapper: Callable[..., None]) -> Callable[..., None]:
    flags = [flag for each in flagged(cls) for flag in _flags(each)]
    return functools.reduce(lambda made, flag: flag(made), reversed(flags), wrapper)


def _flags(option: "Field[Any]") -> Iterator[Callable[[Callable[..., None]], Callable[..., None]]]:
    """Return the flag of an option, and the one that asks for None if there is one."""
    about = declaration(option)
    shared: dict[str, Any] = {"cls": GroupedOption, "group": about.group, "is_expert": about.is_expert}
    choices = _choices(option.type)
    help = f"{about.help}; may be repeated." if about.is_repeated else about.help
    if option.type is bool:
        yield click.option(*flags_of(option), is_flag=True, help=help, **shared)
    elif choices:
        type, default = click.Choice(choices), option.default
        yield click.option(*flags_of(option), type=type, default=default, help=help, **shared)
    else:
        number: dict[str, Any] = {"type": int, "default": option.default} if option.type is int else {}
        text: dict[str, Any] = {"type": TYPES.get(about.metavar), "multiple": about.is_repeated, **number}
        yield click.option(*flags_of(option), metavar=about.metavar, help=help, **text, **shared)
    if about.none is not None:
        yield click.option(about.none[0], is_flag=True, help=about.none[1], **shared)


def _choices(type: Any) -> tuple[str, ...]:
    """Return the texts among which an option chooses; none if it has other values."""
    kinds = [each for each in get_args(type) or (type,) if each is not NoneType]
    if get_origin(type) is Literal:
        return get_args(type)
    return get_args(kinds[0]) if len(kinds) == 1 and get_origin(kinds[0]) is Literal else ()


def _stated(cls: type, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a class out of the arguments of a command; return the stated ones."""
    stated: dict[str, Any] = {}
    for each in flagged(cls):
        value = given.pop(_parameter(flags_of(each)[0]))
        if any(given.pop(_parameter(flag)) for flag in _none(each)):
            if value is not None:
                raise InputError(
                    f"{_none(each)[0]}: {flags_of(each)[0]} {value} is given as well; leave one of them out"
                )
            stated[each.name] = None
        elif value is not None:
            stated[each.name] = value
    return stated


def _none(option: "Field[Any]") -> tuple[str, ...]:
    none = declaration(option).none
    return () if none is None else none[:1]


def _parameter(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")
