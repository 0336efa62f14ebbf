"""The bodies of a node as networks of their own: the values that they read from outside, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from onnx import GraphProto, NodeProto
from xdsl.dialects.func import FuncOp

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.networks import TypesChangeError
from s2s.frontends.onnx.names import place
from s2s.frontends.onnx.scope import Scope
from s2s.frontends.onnx.structure import free_names

RunInside = Callable[[Builder, Scope, GraphProto, Sequence[Value], Mapping[str, Value]], list[Value]]
"""Imports a body, seen from a scope, by a builder of its own: from its inputs, and from what it reads from outside."""


class SessionBodies:
    """The bodies of one node in an import."""

    def __init__(
        self, run: RunInside, scope: Scope, node: NodeProto, failures: list[UnsupportedError], functions: list[FuncOp]
    ) -> None:
        self._run, self._scope, self._node = run, scope, node
        self._failures, self._functions = failures, functions

    def captures(self, *graphs: GraphProto) -> dict[str, Value]:
        """The computed values from outside that some of `graphs` read, by name."""
        names = dict.fromkeys(name for graph in graphs for name in free_names(graph))
        found = {name: self._scope.lookup(name) for name in names}
        computed = {name: value for name, value in found.items() if isinstance(value, Value) and _is_of_a_run(value)}
        for name, value in computed.items():
            _require_numbers(self._node, f"{name!r}, which its body reads,", value)
        return computed

    def run_inside(
        self, graph: GraphProto, inner: Builder, inputs: Sequence[Value], captured: Mapping[str, Value]
    ) -> list[Value]:
        """The outputs of a body, built by `inner`."""
        if len(inputs) != len(graph.input):
            raise InputError(
                f"{place(self._node)}: its body has {len(graph.input)} inputs for {len(inputs)} values; fix it"
            )
        outputs = self._run(inner, self._scope, graph, inputs, captured)
        for value in outputs:
            _require_numbers(self._node, "an output of its body", value)
        return outputs

    def attempt(self, write: Callable[[], list[Value]]) -> list[Value] | None:
        """What `write` makes of bodies; None, and no reason among the failures, where one cannot be imported. Results
        of other types than they should have are an error."""
        known, before, found = len(self._failures), len(self._functions), None
        try:
            found = write()
        except TypesChangeError:
            raise
        except (InputError, UnsupportedError):
            pass
        finally:
            if found is None or len(self._failures) > known:
                del self._failures[known:], self._functions[before:]
                found = None
        return found


def _is_of_a_run(value: Value) -> bool:
    """Whether a value is computed in a run, or holds sizes."""
    return value.array is None or value.is_symbolic


def _require_numbers(node: NodeProto, what: str, value: Value) -> None:
    """Refuse texts where a network runs another one."""
    if value.texts is not None:
        raise UnsupportedError(f"{place(node)}: {what} is text; choose it outside of the body")


def arguments_of(outside: Mapping[str, Value], values: Sequence[Value]) -> dict[str, Value]:
    """The arguments of a network that stand for values from outside, by their names."""
    return dict(zip(outside, values, strict=True))
