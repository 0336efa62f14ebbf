"""Parameters of steps as texts: `rate=16000,window=30ms,size=160x120,mean=0.485/0.456/0.406`.

The fields of a step's class declare its parameters; the type of a field says how its text is read.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from s2s.errors import InputError

Seconds: TypeAlias = Annotated[float, "seconds"]
"""A time: `30ms`, `0.5s`."""
_TIME = re.compile(r"(?P<number>[0-9.e+-]+)(?P<unit>ms|s)")
_SIZE = re.compile(r"(?P<width>[0-9]{1,6})x(?P<height>[0-9]{1,6})")


class Size(NamedTuple):
    """The size of an image in pixels: `160x120`."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


def read(cls: type, place: str, text: str) -> dict[str, Any]:
    """Return the values of the parameters that `text` states, by name; raise `InputError` for others."""
    declared, values = _declared(cls), dict[str, Any]()
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in declared or not equals:
            forms_of_all = ", ".join(f"{item}={_form(kind)}" for item, kind in declared.items()) or "none"
            raise InputError(f"{place}: has no parameter {part!r}; its parameters are {forms_of_all}")
        if name in values:
            raise InputError(f"{place}: states {name} twice; state it once")
        try:
            values[name] = _reader(declared[name])(value)
        except ValueError:
            raise InputError(f"{place}: {name}={value} is no such value; give {name}={_form(declared[name])}") from None
    missing = next((item.name for item in fields(cls) if _is_required(item) and item.name not in values), None)
    if missing is not None:
        raise InputError(f"{place}: needs a parameter; give {missing}={_form(declared[missing])}")
    return values


def written(step: object) -> str:
    """Return the parameters of a step that have another value than their default, as `read` takes them."""
    stated = ((item, getattr(step, item.name)) for item in fields(step))  # pyright: ignore[reportArgumentType]
    kinds = _declared(type(step))
    return ",".join(f"{item.name}={_text(kinds[item.name], value)}" for item, value in stated if value != item.default)


def _is_required(parameter: "Field[Any]") -> bool:
    return parameter.default is MISSING


def _declared(cls: type) -> Mapping[str, Any]:
    hints = get_type_hints(cls, include_extras=True)
    return {item.name: hints[item.name] for item in fields(cls)}


def _form(kind: Any) -> str:
    """Return what a parameter looks like in a message."""
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    if get_origin(kind) is tuple:
        return f"{_form(get_args(kind)[0])}/…"
    forms = {Seconds: "30ms", Size: "160x120", int: "N", float: "X", str: "TEXT"}
    return forms[_plain(kind)]


def _plain(kind: Any) -> Any:
    """Return the type of a parameter that may be left out."""
    kinds = [item for item in get_args(kind) if item is not NoneType]
    return kinds[0] if NoneType in get_args(kind) else kind


def _reader(kind: Any) -> Callable[[str], Any]:
    if get_origin(kind) is Literal:
        return lambda text: _chosen(get_args(kind), text)
    if get_origin(kind) is tuple:
        part = _reader(get_args(kind)[0])
        return lambda text: tuple(part(item) for item in text.split("/"))
    readers: dict[Any, Callable[[str], Any]] = {Seconds: _seconds, Size: _size, int: _integer, float: _real, str: str}
    return readers[_plain(kind)]


def _chosen(choices: tuple[str, ...], text: str) -> str:
    if text not in choices:
        raise ValueError
    return text


def _integer(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ValueError
    return int(text)


def _real(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _seconds(text: str) -> float:
    matched = _TIME.fullmatch(text)
    if matched is None:
        raise ValueError
    number = _real(matched["number"])
    return number / 1000 if matched["unit"] == "ms" else number


def _size(text: str) -> Size:
    matched = _SIZE.fullmatch(text)
    if matched is None:
        raise ValueError
    return Size(int(matched["width"]), int(matched["height"]))


def _text(kind: Any, value: Any) -> str:
    if get_origin(kind) is tuple:
        return "/".join(_text(get_args(kind)[0], item) for item in value)
    return f"{value!r}s" if kind == Seconds else str(value)
