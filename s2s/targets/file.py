"""Target files: read a target from TOML with every value checked, and print one so that reading gives it back.

name = "my-core"
base = "cortex-m4"       # every key that is not given is as there
cflags = ["-mcpu=cortex-m4", "-mthumb"]

[[intrinsic]]            # an instruction that s2s has not heard of, preferred to those of the base
name = "dot16"
form = "dot_rows"
group = 16
lanes = [4]
function = "my_dot16"
header = "my_core.h"     # a file beside this one, copied into trees
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from s2s.errors import InputError
from s2s.support.resources import runtime_files
from s2s.targets.intrinsic import INTRINSIC_KEYS, Intrinsic, contradiction_of
from s2s.targets.intrinsics import INTRINSICS
from s2s.targets.keys import Key, did_you_mean, fault_of, shown, unknown_key
from s2s.targets.target import KEYS, Target, contradiction

SUFFIX = ".toml"
BASE = "base"
"""The key that names the target which tells what the file does not."""
LISTED = "intrinsics"
"""The key that lists intrinsics by their names."""
DEFINED = "intrinsic"
"""The tables that define intrinsics."""
MAX_FILE_BYTES = 1 << 20
"""Bytes; a target takes two thousand."""
WIDTH = 100
WAY_OUT = "give a file as `s2s targets c` prints one"


def read_target(path: Path, named: Callable[[str], Target]) -> Target:
    """Read the target that a file describes; `named` gives the target of a name, for `base`."""
    table, place = _table(path), str(path)
    for name in table:
        if name not in KEYS and name not in (BASE, DEFINED):
            raise InputError(f"{place}: {unknown_key(name, {BASE: None, **KEYS, DEFINED: None})}")
    if "name" not in table:
        raise InputError(f'{place}: there is no key name; add, for example, name = "my-core"')
    base = _base(table, place, named)
    values = {name: value for name, value in table.items() if name not in (BASE, DEFINED, LISTED)}
    values = _checked(values, KEYS, place)
    values[LISTED] = _intrinsics(table, path, base)
    if fault := contradiction({**vars(base), **values}):
        raise InputError(f"{place}: {fault}")
    return replace(base, **values)


def _checked(values: Mapping[str, Any], keys: Mapping[str, Key], place: str) -> dict[str, Any]:
    """Return the values after checking their types; lists become tuples."""
    for name, value in values.items():
        if fault := fault_of(name, value, keys[name].kind):
            raise InputError(f"{place}: {fault}")
    return {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}  # pyright: ignore[reportUnknownArgumentType]


def _base(table: Mapping[str, Any], place: str, named: Callable[[str], Target]) -> Target:
    """Return the target that supplies the missing keys."""
    if BASE not in table:
        return Target(name="base")
    base = table[BASE]
    if not isinstance(base, str):
        raise InputError(
            f"{place}: {BASE} = {shown(base)}: is no target; give the name of one that `s2s targets` lists"
        )
    if base.endswith(SUFFIX):
        raise InputError(f"{place}: {BASE} = {shown(base)}: is a file; give the name of a target")
    try:
        return named(base)
    except InputError as error:
        raise InputError(f"{place}: {BASE}: {error}") from error


def _intrinsics(table: Mapping[str, Any], path: Path, base: Target) -> tuple[Intrinsic, ...]:
    """Return the intrinsics that a file lists, by default the ones of its base, followed by the ones that it defines
    only."""
    defined: dict[str, Intrinsic] = {}
    for each in _list(
        table.get(DEFINED, []), f"{path}: {DEFINED}", f"a list of tables; write [[{DEFINED}]] above each"
    ):
        intrinsic = _defined(each, path)
        if intrinsic.name in defined:
            raise InputError(f"{path}: [[{DEFINED}]] {intrinsic.name}: is defined twice; rename one")
        defined[intrinsic.name] = intrinsic
    known = {**INTRINSICS, **{each.name: each for each in base.intrinsics}, **defined}
    names = table.get(LISTED, [each.name for each in base.intrinsics])
    listed = list(map(str, _list(names, f"{path}: {LISTED}", f"{KEYS[LISTED].kind.words}; give such a value")))
    for name in listed:
        if name not in known:
            guess = did_you_mean(name, known)
            raise InputError(
                f"{path}: {LISTED}: there is no intrinsic {shown(name)}; {guess}define it in a table [[{DEFINED}]], or "
                f"give one of {', '.join(known)}"
            )
    found = tuple(known[name] for name in [*(each for each in defined if each not in listed), *listed])
    if fault := fault_of(LISTED, found, KEYS[LISTED].kind):
        raise InputError(f"{path}: {fault}")
    return found


def _list(value: object, place: str, expected: str) -> list[object]:
    """Return a value that has to be a list."""
    if not isinstance(value, list):
        raise InputError(f"{place} = {shown(value)}: is not {expected}")
    return value  # pyright: ignore[reportUnknownVariableType]


def _defined(table: object, path: Path) -> Intrinsic:
    """Return the intrinsic of a table `[[intrinsic]]`."""
    place = f"{path}: [[{DEFINED}]]"
    if not isinstance(table, dict):
        raise InputError(f"{place} = {shown(table)}: is no table; write its keys under [[{DEFINED}]]")
    given: dict[str, Any] = table  # pyright: ignore[reportUnknownVariableType]
    for name in given:
        if name not in INTRINSIC_KEYS:
            raise InputError(f"{place}: {unknown_key(name, INTRINSIC_KEYS)}")
    defaults = {each.name: each.default for each in fields(Intrinsic) if each.default is not MISSING}
    for name in INTRINSIC_KEYS:
        if name not in given and name not in defaults:
            raise InputError(f"{place}: there is no key {name}; add {INTRINSIC_KEYS[name].kind.words}")
    values = {**defaults, **_checked(given, INTRINSIC_KEYS, place)}
    if not values["source"]:
        values["source"] = _header(values["header"], path)
    if fault := contradiction_of(values) or fault_of("source", values["source"], INTRINSIC_KEYS["source"].kind):
        raise InputError(f"{place} {values['name']}: {fault}")
    return Intrinsic(**values)


def _header(name: str, path: Path) -> str:
    """Return the text of a header beside a target file; empty for one of the runtime."""
    if f"include/{name}" in runtime_files():
        return ""
    file = path.parent / name
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path}: header = {name}: is larger than {MAX_FILE_BYTES} bytes; give a smaller one")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise InputError(
            f"{path}: header = {name}: cannot be read ({reason}); put it beside the target file"
        ) from error


def _table(path: Path) -> dict[str, Any]:
    import tomllib  # most targets are known by name

    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path}: is larger than {MAX_FILE_BYTES} bytes; {WAY_OUT}")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); {WAY_OUT}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: is no TOML ({shown(str(error))}); {WAY_OUT}") from error


def print_target(target: Target) -> str:
    """Return the target as the text of a file, every key with its meaning."""
    return "\n".join([f"# Target {target.name}: s2s compile MODEL --target FILE.toml", "", *_lines(target)]) + "\n"


def _lines(target: Target) -> Iterator[str]:
    for name, key in KEYS.items():
        value = [each.name for each in target.intrinsics] if name == LISTED else getattr(target, name)
        yield from _entry(name, value, key)
    for each in target.intrinsics:
        if INTRINSICS.get(each.name) != each:
            yield from ("", f"[[{DEFINED}]]")
            for name, key in INTRINSIC_KEYS.items():
                yield from _entry(name, getattr(each, name), key)


def _entry(name: str, value: Any, key: Key) -> Iterator[str]:
    yield from (f"# {line}" for line in wrap(key.says, WIDTH))
    yield f"{name} = {toml_value(value)}"


def toml_value(value: Any) -> str:
    """Return a value as TOML: JSON quotes texts as TOML does, and no text of a target has what it quotes otherwise."""
    return json.dumps(value, ensure_ascii=False)
