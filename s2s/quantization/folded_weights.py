"""Fold the weights that a program computes from parameters alone, so that layers have weights to quantise.

    w = _weight_norm(v, g)            `torch.nn.utils.parametrizations.weight_norm`
    y = conv1d(x, w, b)
->
    y = conv1d(x, w, b)               w is a buffer

Constants that are only moved, as the transposed table of an embedding, stay views of their parameters.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from s2s.quantization.constant_products import constant_of

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node


def fold_weights(module: GraphModule) -> None:
    """Replace each tensor that is computed from parameters and buffers alone, and read by something else, by its
    value."""
    constants: set[Node] = set()
    for node in module.graph.nodes:
        if node.op == "get_attr" or (_is_computed(node) and constants.issuperset(node.all_input_nodes)):
            constants.add(node)
    values: dict[Node, Any] = {}
    for node in [each for each in module.graph.nodes if each in constants and each.op == "call_function"]:
        read = [user for user in node.users if user not in constants]
        if not read or constant_of(module, node) is not None:
            continue
        value = _value(module, node, values)
        if not hasattr(value, "dim"):
            continue
        module.register_buffer(f"{node.name}_folded", value)
        with module.graph.inserting_before(node):
            held = module.graph.get_attr(f"{node.name}_folded")
        held.meta["val"] = value
        for user in read:
            user.replace_input_with(node, held)
    module.graph.eliminate_dead_code()
    module.recompile()


def _is_computed(node: Node) -> bool:
    """Whether a node has a value that is the same in every run if the values of its operands are."""
    if node.op != "call_function" or not node.all_input_nodes:
        return False
    target: Any = node.target
    if target is operator.getitem:
        return True
    schema = getattr(target, "_schema", None)
    tags = {str(tag) for tag in getattr(target, "tags", ())}
    return schema is not None and not schema.is_mutable and "nondeterministic_seeded" not in str(tags)


def _value(module: GraphModule, node: Node, values: dict[Node, Any]) -> Any:
    """The value of a node of constants."""
    import torch
    from torch.fx import node as nodes

    if node not in values:
        if node.op == "get_attr":
            found: Any = operator.attrgetter(str(node.target))(module)
            values[node] = found.detach()
        else:
            for each in node.all_input_nodes:
                _value(module, each, values)
            target: Any = node.target
            arguments: Any = nodes.map_arg((node.args, node.kwargs), values.__getitem__)
            with torch.no_grad():
                values[node] = target(*arguments[0], **arguments[1])
    return values[node]
