"""Traits and attributes of graph operations that passes use: the fusion kind, and the source nodes."""

import re
from collections.abc import Iterable
from enum import IntEnum

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.traits import OpTrait

from s2s.support.frozen import frozen

PROVENANCE = "node"
"""Name of the discardable attribute that holds the names of the source nodes, separated by `, `."""

PART_OF = "part_of"
"""Name of the discardable attribute that names the function that an operation is a step of: `gelu`, `lstm_cell`.

Importers compose such functions of operations; kernels are called after them. No result depends on it."""
DESCRIPTIVE = frozenset((PROVENANCE, PART_OF))
"""Names of the attributes that describe an operation to readers, and do not tell operations apart."""

_LINE = re.compile(r" \([^()]*:\d+\)$")
"""Where an exporter says that a node was called: ` (net.py:31)`."""


class FusionKind(IntEnum):
    """How an operation may be fused into a kernel. Names, numbers and rules are TVM's (`OpPatternKind`)."""

    ELEMENTWISE = 0
    """Each output element depends on the same element of every input."""
    BROADCAST = 1
    """As elementwise, after the inputs are broadcast to the output."""
    INJECTIVE = 2
    """Each output element depends on one element of an input, somewhere."""
    REDUCTION = 3
    """Each output element depends on many; elementwise inputs can be computed on the fly."""
    OUT_FUSABLE = 4
    """Expensive (convolution, matrix product); elementwise consumers can be computed on its output tile."""
    OPAQUE = 8
    """Not fused with anything."""


@frozen
class HasFusionKind(OpTrait):
    """Attaches a fusion kind to an operation class."""

    kind: FusionKind


def fusion_kind(op: Operation) -> FusionKind:
    """The fusion kind of `op`; operations that state none are opaque."""
    trait = op.get_trait(HasFusionKind)
    return FusionKind.OPAQUE if trait is None else trait.kind


def provenance(op: Operation) -> tuple[str, ...]:
    """Names of the source nodes `op` came from."""
    node = op.attributes.get(PROVENANCE)
    return tuple(node.data.split(", ")) if isinstance(node, StringAttr) and node.data else ()


def layer_of(node: str) -> str:
    """The name of a source node without the line of the program that called it: `fc (net.py:31)` is `fc`."""
    return _LINE.sub("", node)


def set_provenance(op: Operation, nodes: Iterable[str]) -> None:
    """State the source nodes of `op`, each once, in the given order."""
    unique = dict.fromkeys(nodes)
    if unique:
        op.attributes[PROVENANCE] = StringAttr(", ".join(unique))


def part_of(op: Operation) -> str:
    """The name of the function that `op` is a step of; empty for an operation that stands for itself."""
    function = op.attributes.get(PART_OF)
    return function.data if isinstance(function, StringAttr) else ""


def set_part_of(op: Operation, function: str) -> None:
    """State that `op` is a step of `function`; an empty name states nothing."""
    if function:
        op.attributes[PART_OF] = StringAttr(function)


def copy_provenance(target: Operation, *sources: Operation) -> None:
    """Add the source nodes of `sources` to the ones of `target`, and the function that they all are steps of."""
    set_provenance(target, [name for op in (target, *sources) for name in provenance(op)])
    functions = {part_of(op) for op in sources}
    if not part_of(target) and len(functions) == 1:
        set_part_of(target, functions.pop())
