"""Check the forms of values that users of the library give to options: `push={"x": 2}` is not the pair it should be.

formed("push", ("x", 1), tuple[str, int], "give …")    ("x", 1)
formed("push", {"x": 1}, tuple[str, int], "give …")    InputError: push: {'x': 1} given; give …
"""

from collections.abc import Mapping
from typing import Any, cast

from s2s.errors import InputError
from s2s.types.hints import isa


def formed(option: str, given: object, form: Any, example: str) -> Any:
    """Return the value of `option` as the type `form` has it, a list where that has a tuple as one. Raises `InputError`
    for another type; `example` is the way out."""
    as_tuple = tuple(cast(list[object], given)) if isinstance(given, list) else given
    if not isa(as_tuple, form):
        raise InputError(f"{option}: {given!r} given; {example}")
    return as_tuple


def mapping(option: str, given: object, form: Any, example: str) -> Mapping[str, Any]:
    """Return values of `form` by name. Raises `InputError` for anything else."""
    if not isinstance(given, Mapping):
        raise InputError(f"{option}: {type(given).__name__} given; {example}")
    named = dict(cast(Mapping[object, object], given))
    return {
        formed(option, name, str, example): formed(f"{option}: {name}", setting, form, example)
        for name, setting in named.items()
    }
