"""The Jinja environment, in which an undefined name is an error."""

import os
import sys
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined

from s2s.support.resources import TEMPLATES, template_source


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(template_source),
        bytecode_cache=_bytecode_cache(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _bytecode_cache() -> FileSystemBytecodeCache | None:
    """Store compiled templates in the folder of Python's compiled modules, under the same conditions."""
    folder = os.path.dirname(cache_from_source(str(import_module(TEMPLATES).__file__)))
    may_write = not sys.dont_write_bytecode and os.access(folder, os.W_OK)
    return FileSystemBytecodeCache(folder, "%s.jinja2") if may_write else None


def fill(template: str, **views: Any) -> str:
    """Render `template` with frozen views; runs of blank lines become one."""
    text = _environment().get_template(template).render(**views)
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(lines)
