"""A backend of `torch.compile` for inference: graphs become C, which is built and runs in this process.

    fast = torch.compile(model.eval(), backend="s2s")
    with torch.no_grad():
        y = fast(x)

A graph is compiled when it first runs, once for each set of input shapes; parameters become constants, and the graph is
compiled again when they have changed. With the option `freezing`, changes in place are not looked for. What cannot be
imported, and all that records gradients, is run by torch. That, and breaks between graphs, are logged as warnings of
the logger `s2s`.
"""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from torch import fx

from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.torch_backend.graph import LOGGER, Graph

Compiled = Callable[..., Any]
_reported: set[str] = set()
"""Graph breaks that have been logged."""


def compile_graph(
    graph: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
    **named: Any,
) -> Compiled:
    """The function that `torch.compile` runs in place of `graph`; `options` are options of `s2s.compile`, and may also
    be named.

    `freezing` vouches that parameters and buffers are not changed in place, so that no call has to look.
    """
    given = {**(options or {}), **named}
    freezing = bool(given.pop("freezing", False))
    unknown = sorted(given.keys() - {each.name for each in fields(CompileOptions)})
    if unknown:
        raise InputError(f"torch.compile: unknown option {unknown[0]!r}; give options of s2s.compile")
    if mode not in (None, "default"):
        raise InputError(f"torch.compile: s2s has no mode {mode!r}; leave it out, or give options of s2s.compile")
    report_graph_breaks()
    return Graph(graph, CompileOptions(**given), freezing)


def report_graph_breaks() -> list[str]:
    """Log the reasons of all graph breaks that have not been logged yet, and return these."""
    from torch._dynamo.utils import counters

    found = [str(reason).splitlines()[0] for reason in counters["graph_break"]]
    new = [reason for reason in dict.fromkeys(found) if reason not in _reported]
    for reason in new:
        _reported.add(reason)
        LOGGER.warning("torch.compile: graph break: %s; the graphs around it are compiled on their own", reason)
    return new
