"""What the code of external generators in a tree is compiled and linked with on this machine."""

import os
import re
from collections.abc import Mapping
from glob import glob
from pathlib import Path
from typing import Any

from s2s.errors import InputError
from s2s.types.devices import MAIN

_VARIABLE = re.compile(r"\$(\w+)")


def external_includes(record: Mapping[str, Any]) -> list[str]:
    """Folders of headers."""
    return _listed(record, "include")


def external_libraries(record: Mapping[str, Any]) -> list[str]:
    """Flags of the linker."""
    return _listed(record, "link")


def external_sources(record: Mapping[str, Any]) -> dict[Path, str]:
    """C files to compile beside the files of the tree, each once, with the device whose flags they take."""
    found: dict[Path, str] = {}
    for each in record.get("external", ()):
        for text in each["sources"]:
            for path in sorted(glob(_expanded(text, each["name"]))):
                found.setdefault(Path(path), each.get("device", MAIN))
    return found


def _listed(record: Mapping[str, Any], key: str) -> list[str]:
    """The texts of all generators, each once, their variables replaced by the environment's."""
    every = [_expanded(text, each["name"]) for each in record.get("external", ()) for text in each[key]]
    return list(dict.fromkeys(every))


def _expanded(text: str, generator: str) -> str:
    for name in _VARIABLE.findall(text):
        if name not in os.environ:
            raise InputError(f"{generator}: its code needs {text}; set {name} in the environment")
        text = text.replace(f"${name}", os.environ[name])
    return text
