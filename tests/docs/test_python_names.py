"""Programs in the documents are Python, and every name of s2s that they use is there."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from support.pages import programs
from support.project import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def imported(tree: ast.Module) -> Iterator[tuple[str, object]]:
    """Return the names that a program imports from s2s, each with what it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name.split(".")[0] == "s2s":
                    yield each.asname or "s2s", importlib.import_module(each.name if each.asname else "s2s")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "s2s":
            module = importlib.import_module(node.module or "")
            for each in node.names:
                yield each.asname or each.name, member(module, each.name)


def member(owner: ModuleType, name: str) -> object:
    """Return an attribute of a module, or a module inside of a package."""
    if not hasattr(owner, name):
        return importlib.import_module(f"{owner.__name__}.{name}")
    return getattr(owner, name)


def chain(node: ast.Attribute) -> list[str]:
    """Return the names of `a.b.c`; an empty one where it begins with something else than a name."""
    names: list[str] = []
    at: ast.expr = node
    while isinstance(at, ast.Attribute):
        names.append(at.attr)
        at = at.value
    return [at.id, *reversed(names)] if isinstance(at, ast.Name) else [""]


PAGES_WITH_PROGRAMS = [page for page in PAGES if programs(page)]


@pytest.mark.parametrize("page", PAGES_WITH_PROGRAMS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_of_s2s_in_programs_are_there(page: Path):
    known: dict[str, object] = {"s2s": importlib.import_module("s2s")}
    for text in programs(page):
        tree = ast.parse(text, filename=page.name)
        known |= dict(imported(tree))
        assigned = {
            each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        for node in ast.walk(tree):
            first, *rest = chain(node) if isinstance(node, ast.Attribute) else [""]
            found = known.get(first) if first not in assigned else None
            for name in rest:
                if not isinstance(found, ModuleType):
                    break
                found = member(found, name)


def test_a_name_that_is_not_there_is_found():
    with pytest.raises(ModuleNotFoundError, match="no_such_name"):
        member(importlib.import_module("s2s.tvm.autotvm.task"), "no_such_name")
