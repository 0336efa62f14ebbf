"""Operators of other packages: each is an operation with a type rule, a numpy meaning, and a lowering.

    register_operator(SnakeOp, meaning, LowerSnake())

The operation derives from `s2s.dialects.graph.base.GraphOp` and states how it may join a kernel (`HasFusionKind`); the
lowering is a pattern that replaces it by `tensor.compute`. Networks get it by `s2s.tvm.relay.expr.call(SnakeOp, x)`, or
by an importer that `s2s.register_custom_op` registers. A package can name a function that registers its operators as an
entry point of the group `s2s.operators`; it is called before the first network is read.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from xdsl.pattern_rewriter import RewritePattern

from s2s.dialects.graph.base import GraphOp
from s2s.errors import InputError
from s2s.interpret.graph.evaluate import MEANINGS, meaning_of
from s2s.passes.graph.lower_to_tensor import PATTERNS
from s2s.support.entry_points import entry_points

ENTRY_POINTS = "s2s.operators"
"""The group of entry points of packages that bring operators."""


def register_operator(operation: type[GraphOp], meaning: Callable[..., Any], lowering: RewritePattern) -> None:
    """Make `operation` available to networks: `meaning` takes it and its operands as arrays, `lowering` replaces it."""
    if meaning_of(operation) is not None:
        raise InputError(f"register_operator: {operation.name} is registered already; give the operation another name")
    MEANINGS[operation] = meaning
    PATTERNS.append(lowering)


@cache
def load_operators() -> None:
    """Register the operators of installed packages, once."""
    for point in entry_points(group=ENTRY_POINTS):
        try:
            point.load()()
        except Exception as error:  # whatever a package of somebody else raises
            raise InputError(
                f"operators {point.name} ({point.value}): cannot be registered ({error!r}); mend or remove the package "
                "that brings them"
            ) from error
