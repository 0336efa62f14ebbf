"""Targets as text, JSON, tags and mappings: the kind, and attributes of the types that it gives them."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from s2s.errors import WrongValueError
from s2s.tvm.target.kinds import COMMON, FLAG, NUMBER, TEXT, TEXTS, TargetKind
from s2s.tvm.target.tags import TAGS

Attributes = dict[str, object]
"""Attributes by name as a program has given them."""


def parsed(target: str | Mapping[str, object]) -> tuple[str, Attributes]:
    """The kind and the attributes of a target as text, JSON, a tag or a mapping."""
    if isinstance(target, str):
        if target in TAGS:
            kind, attributes = parsed(TAGS[target])
            return kind, {**attributes, "tag": target}
        if not target.lstrip().startswith("{"):
            return _words(target)
        target = cast("Mapping[str, object]", json.loads(target))
    stated = {key: value for key, value in target.items() if key != "kind" and value not in ("", None)}
    if "tag" in target and "kind" not in target:
        kind, attributes = parsed(str(target["tag"]))
        return kind, {**attributes, **stated}
    return str(target.get("kind", "c")), stated


def _words(target: str) -> tuple[str, Attributes]:
    kind, *words = shlex.split(target) or [""]
    attributes: Attributes = {}
    while words:
        word = words.pop(0)
        name, is_valued, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            raise WrongValueError(f"target {target!r}: {word!r} is no attribute; write -mcpu=NAME")
        if not is_valued:
            value = words.pop(0) if words and not words[0].startswith("-") else "1"
        if attributes.get(name, value) != value:
            raise WrongValueError(f"target {target!r}: -{name} is given twice; leave one out")
        attributes[name] = value
    return kind, attributes


def typed(kind: TargetKind, attributes: Attributes) -> dict[str, Any]:
    """The attributes as values of the types that the kind gives them: texts, lists, integers and 0 or 1."""
    values: dict[str, Any] = {}
    for name, value in attributes.items():
        what = kind.type_of(name)
        if what is None:
            known = ", -".join(dict.fromkeys([*kind.attributes, *COMMON]))
            raise WrongValueError(f"target {kind} -{name}: is not known; known are -{known}")
        values[name] = _value(f"target {kind} -{name}={value}", what, value)
    return values


def _value(place: str, what: str, value: object) -> Any:
    if what == TEXTS and not isinstance(value, Mapping):
        is_list = isinstance(value, list | tuple)
        items = cast("Sequence[object]", value) if is_list else str(value).split(",")
        return [str(item) for item in items if item != ""]
    if not isinstance(value, str | int):
        raise WrongValueError(f"{place}: is no value of this attribute; give a text or a number")
    if what == FLAG and str(value).lower() in ("true", "false"):
        return int(str(value).lower() == "true")
    if what == TEXT:
        return str(value)
    try:
        number = int(value)
    except ValueError:
        number = -1
    if number < (what == NUMBER):
        raise WrongValueError(f"{place}: is no positive number; give one")
    return number


def text_of(value: object) -> str:
    """The text of an attribute's value."""
    return ",".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)
