"""Fill the tables and charts of a network into the template of the page."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from s2s.decisions.decision import Decision
from s2s.report.comparison import compare
from s2s.report.figures import Figures
from s2s.report.html.charts import memory_chart, network_chart, roofline_chart
from s2s.support.quantities import duration, in_units
from s2s.support.resources import template_source
from s2s.version import current_version

TEMPLATE = "report.html.j2"


def breakable(text: str) -> Markup:
    """Return a name of the model or of C that a narrow column may break behind a separator within it."""
    return Markup("<wbr>").join(re.split(r"(?<=\w[/_.:;])(?=\w)", text))


def _kinds(decisions: Iterable[Decision]) -> list[tuple[str, list[Decision]]]:
    """The decisions by their kinds, in the order of the first of each kind."""
    kinds: dict[str, list[Decision]] = {}
    for decision in decisions:
        kinds.setdefault(decision.kind, []).append(decision)
    return list(kinds.items())


def environment() -> Environment:
    """Return what fills the templates of pages."""
    environment = Environment(
        loader=FunctionLoader(template_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    environment.filters["breakable"] = breakable
    environment.filters["in_units"] = in_units
    environment.filters["duration"] = duration
    environment.filters["number"] = lambda value: f"{value:,}" if isinstance(value, int) else value
    return environment


def page(figures: Figures, against: Mapping[str, Any] | None = None) -> str:
    """Return the page as text; `against` are the figures of an earlier page."""
    profile = figures.profile
    return (
        environment()
        .get_template(TEMPLATE)
        .render(
            figures=figures,
            network=Markup(network_chart(figures)),
            memory=Markup(memory_chart(figures)),
            roofline=Markup("" if profile is None else roofline_chart(profile.rows, profile.machine)),
            live=figures.timeline.live(figures.timeline.fullest),
            kinds=_kinds(figures.decisions),
            version=current_version(),
            comparison=None if against is None else compare(against, figures.compared()),
            data=Markup(json.dumps(figures.compared()).replace("<", "\\u003c")),
        )
    )
