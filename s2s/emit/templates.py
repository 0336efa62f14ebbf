"""The Jinja environment, in which an undefined name is an error."""

from functools import cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from s2s.support.resources import template_source


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(template_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def fill(template: str, **views: Any) -> str:
    """Render `template` with frozen views; runs of blank lines become one."""
    text = _environment().get_template(template).render(**views)
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(lines)
