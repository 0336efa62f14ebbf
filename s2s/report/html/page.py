"""The page: tables and charts of a network's figures, filled into a template."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard, cast

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from s2s.errors import InputError
from s2s.report.figures import SCHEMA, Figures
from s2s.report.html.charts import memory_chart, network_chart, roofline_chart
from s2s.report.html.comparison import compare
from s2s.support.resources import template_source

TEMPLATE = "report.html.j2"
DATA = re.compile(r'<script type="application/json" id="s2s-figures">(.*?)</script>', re.DOTALL)
MAX_BYTES = 64 << 20
"""No page is larger."""


def page(figures: Figures, against: Mapping[str, Any] | None = None) -> str:
    """The page as text; `against` are the figures of an earlier page."""
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=True
    )
    environment.filters["number"] = lambda value: f"{value:,}" if isinstance(value, int) else value
    profile = figures.profile
    return environment.from_string(template_source(TEMPLATE)).render(
        figures=figures,
        network=Markup(network_chart(figures)),
        memory=Markup(memory_chart(figures)),
        roofline=Markup("" if profile is None else roofline_chart(profile.rows, profile.machine)),
        live=figures.live(figures.fullest),
        comparison=None if against is None else compare(against, figures.compared()),
        data=Markup(json.dumps(figures.compared()).replace("<", "\\u003c")),
    )


def figures_in(path: Path) -> dict[str, Any]:
    """The figures that a page holds, as it was written with; an error where it is none."""
    wrong = f"--against {path}: is no report of s2s; write one with s2s report MODEL --html FILE"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(wrong)
        found = DATA.search(path.read_text(encoding="utf-8"))
        data: Any = json.loads(found[1]) if found else None
    except OSError as error:
        raise InputError(f"--against {path}: cannot be read ({error.strerror}); give the page of a report") from error
    except (ValueError, RecursionError) as error:
        raise InputError(wrong) from error
    if not _is_compared(data):
        raise InputError(wrong)
    return data


def _is_compared(data: object) -> TypeGuard[dict[str, Any]]:
    """Whether `data` has the form that `Figures.compared` gives."""
    if not isinstance(data, dict):
        return False
    page = cast(dict[str, Any], data)
    sizes: Any = page.get("sizes")
    return (
        page.get("schema") == SCHEMA
        and all(isinstance(page.get(key), str) for key in ("name", "target"))
        and isinstance(sizes, dict)
        and all(isinstance(value, int | float) for value in cast(dict[str, Any], sizes).values())
        and _are_rows(page.get("layers"), ("nodes", "kernel"))
        and all(isinstance(each.get("time"), int | float | None) for each in page["layers"])
        and _are_rows(page.get("decisions"), ("kind", "subject", "chosen"))
    )


def _are_rows(rows: object, texts: tuple[str, ...]) -> bool:
    """Whether `rows` is a list of objects that have the `texts`."""
    return isinstance(rows, list) and all(
        isinstance(row, dict) and all(isinstance(cast(dict[str, Any], row).get(key), str) for key in texts)
        for row in cast(list[object], rows)
    )
