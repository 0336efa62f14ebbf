"""The options of a compilation that code reads, found in its text: `options.NAME` in a function, and in the functions
that it names."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import fields
from types import FunctionType

from s2s.frontends.model import read
from s2s.options import CompileOptions
from s2s.options.declaration import is_recorded
from s2s.pipeline import PIPELINE
from s2s.stages.order import STAGES
from s2s.stages.read import read_network
from s2s.stages.tree import Written

OPTIONS = {each.name for each in fields(CompileOptions)}
PARAMETERS = {"options", "request", "compilation"}
"""What functions call the options, or what has them."""


def options_read(function: Callable[..., object], seen: set[Callable[..., object]] | None = None) -> set[str]:
    """The options that `function` may read, whatever way it takes."""
    seen = set() if seen is None else seen
    if function in seen or not isinstance(function, FunctionType):
        return set()
    seen.add(function)
    tree, found = ast.parse(textwrap.dedent(inspect.getsource(function))), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in OPTIONS and _is_options(node.value):
            found.add(node.attr)
        if isinstance(node, ast.Name) and isinstance(other := function.__globals__.get(node.id), FunctionType):
            found |= options_read(other, seen) if _takes_options(other) else set()
    return found


def _is_options(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name == "options"


def _takes_options(function: FunctionType) -> bool:
    return not PARAMETERS.isdisjoint(inspect.signature(function).parameters)


def read_in_stages() -> dict[str, set[str]]:
    """The options that each stage may read: in the conditions and arguments of its passes, and to make its facts."""
    found: dict[str, set[str]] = {}
    for stage in STAGES:
        steps = PIPELINE.get(stage.name, ())
        functions = [each for step in steps for each in (step.when, step.options)]
        functions += [stage.facts] if stage.facts is not None else []
        functions += [read_network, read] if stage.name == "read" else []
        found[stage.name] = {name for each in functions for name in options_read(each)}
        found[stage.name] |= {"passes"} if steps else set()
        found[stage.name] |= (
            {each.name for each in fields(CompileOptions) if is_recorded(each)} if stage.makes is Written else set()
        )
    return found
