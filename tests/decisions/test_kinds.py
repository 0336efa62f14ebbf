"""Every kind of decisions is listed, so that what the compiler writes down can be given back to it."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from s2s import api, decisions
from s2s.decisions.kind import Kind
from s2s.decisions.names import KINDS
from support.option_changes import causal


def kinds(base: type[Kind[Any, Any]]) -> set[str]:
    """The names of a kind and of the kinds of the product derived from it."""
    own = {base.name} if "name" in vars(base) and base.__module__.startswith("s2s.") else set[str]()
    return own.union(*map(kinds, base.__subclasses__()))


def test_every_kind_of_decisions_is_listed():
    for module in iter_modules(decisions.__path__):
        import_module(f"s2s.decisions.{module.name}")
    assert kinds(Kind) == set(KINDS)


def test_the_decisions_about_a_stream_give_its_bytes_back():
    options: Any = {"target": "c", "name": "net", "streams": {"x": 2}}
    first = api.compile(causal(), **options)
    assert "window slack" in {each.kind for each in first.decisions}
    again = api.compile(causal(), **options, decisions=first.decisions.as_dict())
    assert again.tree().text("src/net.c") == first.tree().text("src/net.c")
