"""Variables that iterations at once add to: numbers, and structures as vectors are, number by number."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.prove.control import Conflict
from s2s.prove.ctypes import IntType
from s2s.prove.declarations import ArrayType, StructType
from s2s.prove.machine import Variable
from s2s.prove.sums import finished, is_summable
from s2s.prove.values import Aggregate, Carried, Form, Value


@dataclass
class Sum:
    """A variable that lives longer than an iteration, and what its numbers were before the loop."""

    variable: Variable
    ctype: IntType
    """Of its numbers."""
    before: list[Value | None]
    carried: list[Carried]
    depth: int = 0
    """Loops at once around the declaration of a structure."""

    def finish(self, count: int, depth: int) -> None:
        """Let the variable be what it is after `count` iterations of the innermost of `depth` loops."""
        value = self.variable.value
        items = value.items if isinstance(value, Aggregate) else [value]
        after = [
            finished(before, item, carried, count, depth, self.ctype)
            for before, item, carried in zip(self.before, items, self.carried, strict=True)
        ]
        if isinstance(value, Aggregate):
            value.items[:], value.depth = after, self.depth
        else:
            (self.variable.value,) = after


def carry(node: object, name: str, variable: Variable, depth: int) -> Sum:
    """Let a variable stand for its value at the start of each iteration of a loop.

    Raises Conflict where it can be no sum.
    """
    value, ctype = variable.value, variable.ctype
    if isinstance(value, Aggregate) and isinstance(ctype, ArrayType | StructType):
        before, ctype = list(value.items), ctype.scalar
    else:
        before = [value]
    if not isinstance(ctype, IntType) or any(item is not None and not is_summable(item) for item in before):
        raise Conflict(node)
    carried = [Carried(node, name) for _ in before]
    items: list[Value | None] = [
        None if item is None else Form(0, (), 0, 0, (mark,)) for item, mark in zip(before, carried, strict=True)
    ]
    if not isinstance(value, Aggregate):
        (variable.value,) = items
        return Sum(variable, ctype, before, carried)
    total = Sum(variable, ctype, before, carried, value.depth)
    value.items[:], value.depth = items, depth
    return total
