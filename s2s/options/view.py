"""What a stage sees of the options of a compilation: those that name it, and no others.

scratch: int | None = read_in("tensor")

seen_by(options, "tensor").scratch     its value
seen_by(options, "graph").scratch      a CompilerBug: a resumed compilation would miss that it has changed
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NoReturn, cast

from s2s.errors import CompilerBug
from s2s.options import CompileOptions, stages_of


def seen_by(options: CompileOptions, stage: str) -> CompileOptions:
    """Return the options that name `stage`; reading another one raises `CompilerBug`."""
    view = object.__new__(_view(stage))
    for name in options_of(stage):
        object.__setattr__(view, name, getattr(options, name))
    return view


@cache
def options_of(stage: str) -> tuple[str, ...]:
    """Return the names of the options that name `stage`."""
    return tuple(each.name for each in fields(CompileOptions) if stage in stages_of(each))


@cache
def _view(stage: str) -> type[CompileOptions]:
    hidden = {each.name for each in fields(CompileOptions)} - set(options_of(stage))
    return type(f"OptionsOf_{stage}", (CompileOptions,), {name: _Hidden(stage, name) for name in sorted(hidden)})


class _Hidden:
    """An option that a stage does not read."""

    def __init__(self, stage: str, name: str) -> None:
        self.stage, self.name = stage, name

    def __get__(self, instance: object, owner: object) -> NoReturn:
        raise CompilerBug(f"stage {self.stage} reads option {self.name}, which does not name it")


def exact_key(value: Any) -> object:
    """Return a key that differs where two values are equal but not the same: `0.0` and `-0.0`, `1` and `True`, a text
    and one of a subclass, mappings in another order."""
    if isinstance(value, float):
        return type(value), value.hex()
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return Mapping, [(exact_key(name), exact_key(each)) for name, each in items]
    if isinstance(value, tuple | list):
        return type(cast(object, value)), [exact_key(each) for each in cast("tuple[object, ...]", value)]
    kind: object = type(cast(object, value))
    if is_dataclass(value) and not isinstance(value, type):
        return kind, [exact_key(getattr(value, each.name)) for each in fields(value)]
    return kind, value
