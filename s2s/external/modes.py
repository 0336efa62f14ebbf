"""How far a code generator is used: `--external NAME=always|auto|never`."""

from collections.abc import Iterable, Mapping, Set
from typing import Literal, cast, get_args

from s2s.errors import InputError
from s2s.external.registry import codegen_named

Mode = Literal["always", "auto", "never"]
"""Wherever it can compute an operator; where it is expected to be faster; only where a decision says so."""
Modes = tuple[tuple[str, Mode], ...]


def parse_modes(texts: Iterable[str], place: str = "--external") -> Modes:
    """`["blas=auto"]` as `(("blas", "auto"),)`; a name alone stands for `auto`. Those in mode `always` come first.

    Errors begin with `place`, where the texts stand.
    """
    found: dict[str, Mode] = {}
    for text in texts:
        name, _, mode = text.partition("=")
        mode = mode or "auto"
        if mode not in get_args(Mode):
            raise InputError(f"{place} {text}: is no mode; write NAME=always, NAME=auto or NAME=never")
        codegen_named(name, place)
        found[name] = cast(Mode, mode)
    order = get_args(Mode)
    return tuple(sorted(found.items(), key=lambda each: order.index(each[1])))


def modes_of(given: Iterable[str] | Mapping[str, str] | Modes | str | None) -> Modes:
    """The modes that a caller of the library gives: `"blas"`, `["blas=always"]` or `{"blas": "always"}`."""
    if not given:
        return ()
    from s2s.types.forms import formed, mapping

    example = "give the names of code generators, or the mode of each: {'blas': 'auto'}"
    if isinstance(given, Mapping):
        modes = mapping("external", cast(object, given), str, example)
        return parse_modes(f"{name}={mode}" for name, mode in modes.items())
    listed = [given] if isinstance(given, str) else list(given) if isinstance(given, Set) else given
    named = formed("external", listed, tuple[str, ...] | tuple[tuple[str, Mode], ...], example)
    return parse_modes(named) if all(isinstance(name, str) for name in named) else named
