"""The Jinja environment of chat templates, with the extensions and the functions that transformers gives them.

Those who write chat templates test them with `apply_chat_template` of transformers, so a name means here what it means
there: the tag `generation`, `break` and `continue`, `raise_exception`, `strftime_now` and a `tojson` that escapes
nothing.
"""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment


class GenerationTag(Extension):
    """The tag `generation`, around what the model writes: its body is rendered as it is."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        """Return the body as the block of a call, so that it has a scope of its own."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_written"), [], [], body).set_lineno(line)

    @staticmethod
    def _written(caller: Macro) -> str:
        return caller()


def chat_environment(moment: datetime | None) -> ImmutableSandboxedEnvironment:
    """Return an environment in which `strftime_now` tells `moment`; without one the name is undefined, and templates
    that test for it write a date of their own."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
    )
    environment.filters["tojson"] = _as_json
    functions: dict[str, Any] = {"raise_exception": _refuse}
    if moment is not None:
        functions["strftime_now"] = _formatter(moment)
    environment.globals.update(functions)
    return environment


def _as_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: Any) -> NoReturn:
    raise TemplateError(str(message))


def _formatter(moment: datetime) -> Callable[[str], str]:
    def strftime_now(pattern: str) -> str:
        return moment.strftime(pattern)

    return strftime_now
