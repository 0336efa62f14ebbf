"""Render the documents of an evidence pack as pages, and their index."""

from collections.abc import Sequence

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from s2s.evidence.document import Document
from s2s.report.html.page import breakable
from s2s.support.resources import template_source

PAGE, INDEX = "evidence/document.html.j2", "evidence/index.html.j2"
NOT_SHOWN = (
    "This pack is no certificate. Nobody has qualified s2s, its prover or the compilers as tools in the sense of "
    "ISO 26262, IEC 61508, DO-178C or IEC 62304.",
    "It is about the C of the network alone: not about the data and the training of the model, nor whether it is fit "
    "for a purpose, nor about the program around it.",
    "Tests, coverage, sanitizers and builds speak for the vectors and versions that are named. Proofs and bounds speak "
    "for every input, on the assumptions that they list.",
)


def document_page(name: str, document: Document) -> str:
    """The page of a document of the network `name`."""
    return _render(PAGE, name=name, document=document)


def index_page(name: str, target: str, source: str, documents: Sequence[Document]) -> str:
    """The page that lists the documents."""
    return _render(INDEX, name=name, target=target, source=source, documents=documents, limits=NOT_SHOWN)


def _render(template: str, **values: object) -> str:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=True
    )
    environment.filters["breakable"] = breakable
    environment.filters["number"] = lambda value: f"{value:,}" if isinstance(value, int) else breakable(str(value))
    style = Markup(template_source("evidence/style.css.j2"))
    return environment.from_string(template_source(template)).render(style=style, **values)
