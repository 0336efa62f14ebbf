"""Resolve names while a graph, a body or a function is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from onnx import AttributeProto, NodeProto

from s2s.errors import CompilerBug
from s2s.frontends.builder import Value
from s2s.support.mutable import mutable


class Failed:
    """Stands for the output of a node that could not be imported and whose output type is unknown."""


FAILED = Failed()
Binding = Value | Failed | None
"""None: an optional input of a function that its caller left out."""


@mutable
class Scope:
    """The values of one graph, within the scopes of the graphs around it.

    In the body of a function `attributes` are those of the call, for attributes that refer to them, and `opsets` are
    the function's own. `caller` is what the provenance of its nodes starts with; in the definition of an operator by
    others, `node` is the provenance of all of them.
    """

    opsets: Mapping[str, int]
    outer: Scope | None = None
    attributes: Mapping[str, AttributeProto] = field(default_factory=dict[str, AttributeProto])
    caller: str = ""
    node: str | None = None
    values: dict[str, Binding] = field(default_factory=dict[str, Binding])
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """The shapes that the graph declares for values which its nodes compute."""

    def lookup(self, name: str) -> Binding:
        """The value called `name`, here or further out; the empty name is an operand left out."""
        if not name:
            return None
        if name in self.values:
            return self.values[name]
        if self.outer is None:
            raise CompilerBug(f"value {name!r} is not defined, though the structure was checked")
        return self.outer.lookup(name)

    def define(self, name: str, value: Binding) -> None:
        """Bind an output; the empty name is an output nobody reads."""
        if name:
            self.values[name] = value

    def inner(self) -> Scope:
        """The scope of a body that sees the names of this one."""
        return Scope(self.opsets, self, self.attributes, self.caller, self.node)

    def resolve(self, node: NodeProto) -> dict[str, AttributeProto]:
        """The attributes of `node`; one that refers to the call's takes its value, or is absent as the call's is."""
        resolved: dict[str, AttributeProto] = {}
        for attribute in node.attribute:
            if not attribute.ref_attr_name:
                resolved[attribute.name] = attribute
            elif attribute.ref_attr_name in self.attributes:
                resolved[attribute.name] = self.attributes[attribute.ref_attr_name]
        return resolved
