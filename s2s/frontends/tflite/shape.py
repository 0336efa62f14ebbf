"""Operators that give the same elements another shape or order."""

from collections.abc import Mapping
from math import prod

from s2s.frontends.builder import Value
from s2s.frontends.formulas import reshape
from s2s.frontends.tflite.node import Importer, Node


def _reshape(node: Node) -> Value:
    x, out = node.input(0).value, node.output_type()
    if not out.open_shape and prod(out.shape) == prod(x.shape):
        return reshape(x, out.shape)
    asked = node.known_ints(1, "its shape") if node.optional(1) is not None else list(_new_shape(node))
    if asked.count(-1) > 1 or any(dim < -1 for dim in asked):
        raise node.invalid(f"shape {asked} cannot be applied to {list(x.shape)}", "fix the shape")
    if -1 in asked:
        known = prod(dim for dim in asked if dim != -1)
        if known == 0 or prod(x.shape) % known:
            raise node.invalid(f"shape {asked} does not fit {list(x.shape)}", "fix the shape")
        asked[asked.index(-1)] = prod(x.shape) // known
    if prod(asked) != prod(x.shape):
        raise node.invalid(f"shape {asked} does not fit the {prod(x.shape)} elements of its input", "fix the shape")
    return reshape(x, asked)


def _new_shape(node: Node) -> list[int]:
    options = node.options
    return [int(options.NewShape(position)) for position in range(options.NewShapeLength())]


IMPORTERS: Mapping[str, Importer] = {
    "RESHAPE": _reshape,
}
