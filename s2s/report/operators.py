"""The operators of a network by its source nodes, as people name them: `conv 3×3, stride 2`, `matmul`, `avg_pool`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.dialects.graph.traits import provenance
from s2s.dialects.walk import walk
from s2s.support.frozen import frozen
from s2s.types.dtypes import as_tensor_type

UNNAMED = (graph.ConstantInterface, graph.RescaleOp, graph.CastOp)
"""Operations that a node consists of beside its operator."""
MAX_NAMES = 3
"""Operators of one node that are named; the others become an ellipsis."""


@frozen
class NodeOperator:
    """What a node of the source computes."""

    operator: str
    multiply_adds: int
    shape: tuple[int, ...]
    """The shape of its result in the layout of the model."""


def operators_of(module: ModuleOp) -> Mapping[str, NodeOperator]:
    """The operators of a module at graph level by the names of their source nodes."""
    of_node: dict[str, list[Operation]] = defaultdict(list)
    for op in walk(module):
        for node in provenance(op):
            if op.results:
                of_node[node].append(op)
    return {node: _described(operations) for node, operations in of_node.items()}


def describe_operators(nodes: Sequence[str], operators: Mapping[str, NodeOperator]) -> str:
    """What a kernel computes for these nodes, the operator with most multiply-adds first: `conv 1×1 + add`."""
    found = sorted((operators[node] for node in nodes if node in operators), key=lambda each: -each.multiply_adds)
    return " + ".join(dict.fromkeys(each.operator for each in found if each.operator))


def _described(operations: Sequence[Operation]) -> NodeOperator:
    products = sum(map(multiply_adds, operations))
    shape = tuple(as_tensor_type(operations[-1].results[0].type).get_shape())
    dearest = max(operations, key=multiply_adds)
    if products:
        return NodeOperator(_layer(dearest), products, shape)
    names = list(dict.fromkeys(op.name.partition(".")[2] for op in operations if not isinstance(op, UNNAMED)))
    return NodeOperator(", ".join(names[:MAX_NAMES]) + (", …" if len(names) > MAX_NAMES else ""), 0, shape)


def _layer(op: Operation) -> str:
    """A convolution with its window, or another operation by its name."""
    name = op.name.partition(".")[2]
    if not isinstance(op, graph.ConvFamilyOp):
        return name
    window, groups = op.window(), op.groups.value.data
    is_depthwise = groups > 1 and as_tensor_type(op.w.type).get_shape()[1] == 1
    return ", ".join([f"{'depthwise ' if is_depthwise else ''}{name} {_sizes(window.kernel)}", *_details(op, groups)])


def _details(op: graph.ConvFamilyOp, groups: int) -> Iterator[str]:
    window = op.window()
    for word, sizes in (("stride", window.strides), ("dilation", window.dilations)):
        if set(sizes) != {1}:
            yield f"{word} {_sizes(sizes) if len(set(sizes)) > 1 else sizes[0]}"
    if groups > 1 and as_tensor_type(op.w.type).get_shape()[1] > 1:
        yield f"{groups} groups"


def _sizes(sizes: Sequence[int]) -> str:
    return "×".join(map(str, sizes))
