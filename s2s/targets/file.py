"""Target files: a target as TOML text, read with every value checked, and printed so that reading gives it back.

name = "my-core"
base = "cortex-m4"       # every key that is not given is as there
cflags = ["-mcpu=cortex-m4", "-mthumb"]
"""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from s2s.errors import InputError
from s2s.targets.keys import fault_of, shown, unknown_key
from s2s.targets.target import KEYS, Target, contradiction

SUFFIX = ".toml"
BASE = "base"
"""The key that names the target which tells what the file does not."""
LARGEST_FILE = 1 << 20
"""Bytes; a target takes two thousand."""
WIDTH = 100
WAY_OUT = "give a file as `s2s targets c` prints one"


def read_target(path: Path, named: Callable[[str], Target]) -> Target:
    """The target that a file describes; `named` gives the target of a name, for `base`."""
    return target_of_keys(_table(path), str(path), named)


def target_of_keys(table: Mapping[str, Any], place: str, named: Callable[[str], Target]) -> Target:
    """The target of the keys and values of `table`, which stand at `place`."""
    for name in table:
        if name not in KEYS and name != BASE:
            raise InputError(f"{place}: {unknown_key(name, {BASE: None, **KEYS})}")
    values = {name: value for name, value in table.items() if name != BASE}
    for name, value in values.items():
        if fault := fault_of(name, value, KEYS[name].kind):
            raise InputError(f"{place}: {fault}")
    if "name" not in values:
        raise InputError(f'{place}: there is no key name; add, for example, name = "my-core"')
    frozen: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}  # pyright: ignore[reportUnknownArgumentType]
    base = _base(table, place, named)
    if fault := contradiction({**vars(base), **frozen}):
        raise InputError(f"{place}: {fault}")
    return replace(base, **frozen)


def _base(table: Mapping[str, Any], place: str, named: Callable[[str], Target]) -> Target:
    """The target that tells what the file does not."""
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


def _table(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path}: is larger than {LARGEST_FILE} bytes; {WAY_OUT}")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); {WAY_OUT}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: is no TOML ({shown(str(error))}); {WAY_OUT}") from error


def print_target(target: Target) -> str:
    """The target as the text of a file, every key with its meaning."""
    return "\n".join([f"# Target {target.name}: s2s compile MODEL --target FILE.toml", "", *_lines(target)]) + "\n"


def _lines(target: Target) -> Iterator[str]:
    for name, key in KEYS.items():
        yield from (f"# {line}" for line in wrap(key.says, WIDTH))
        yield f"{name} = {toml_value(getattr(target, name))}"


def toml_value(value: bool | int | str | tuple[str, ...]) -> str:
    """A value as TOML; the texts of targets are ASCII without control characters, which JSON quotes as TOML does."""
    return json.dumps(list(value) if isinstance(value, tuple) else value)
