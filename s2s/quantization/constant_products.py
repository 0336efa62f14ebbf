"""Turn products of an activation and a constant matrix into linear layers, which have weights to quantise.

    y = matmul(x, transpose(w))        addmm(b, x, w)
->
    y = linear(x, w)                   linear(x, transpose(w), b)

So are the heads of language models that multiply by the transposed table of their embedding.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import GraphModule, Node


def as_linear_layers(module: GraphModule) -> None:
    """Replace the products of `module` whose second operand is a matrix of constants."""
    import torch

    aten: Any = torch.ops.aten
    products = {aten.matmul.default: 0, aten.mm.default: 0, aten.addmm.default: 1}
    for node in list(module.graph.nodes):
        place = products.get(node.target)
        if place is None or node.kwargs:
            continue
        x, matrix = node.args[place : place + 2]
        values = constant_of(module, matrix)
        if values is None or values.dim() != 2 or constant_of(module, x) is not None:
            continue
        with module.graph.inserting_before(node):
            weight = _held(module, matrix, values, f"{node.name}_weight")
            bias = [node.args[0]] if place else []
            layer = module.graph.call_function(aten.linear.default, (x, weight, *bias))
        layer.meta.update(node.meta)
        node.replace_all_uses_with(layer)
        module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    module.recompile()


def constant_of(module: GraphModule, node: Node) -> Tensor | None:
    """The value of a node that depends on constants alone, and moves their elements only."""
    if node.op == "get_attr":
        value: Any = operator.attrgetter(str(node.target))(module)
        return value.detach()
    if node.op != "call_function" or len(node.all_input_nodes) != 1 or node.args[0] is not node.all_input_nodes[0]:
        return None
    source = constant_of(module, node.all_input_nodes[0])
    target: Any = node.target
    name = str(target).split(".")
    is_move = len(name) == 3 and name[1] in ("alias", "detach", "mT", "numpy_T", "permute", "t", "transpose")
    return target(source, *node.args[1:], **node.kwargs) if source is not None and is_move else None


def _held(module: GraphModule, node: Node, values: Tensor, name: str) -> Node:
    """A node of the transposed matrix `values`: the parameter that it is a view of, or a new one."""
    source = node
    while source.op != "get_attr":
        source = source.all_input_nodes[0]
    kept: Any = operator.attrgetter(str(source.target))(module)
    weight = values.t()
    if weight.data_ptr() == kept.data_ptr() and (weight.shape, weight.stride()) == (kept.shape, kept.stride()):
        return source
    module.register_buffer(name, weight.contiguous())
    made = module.graph.get_attr(name)
    made.meta["val"] = weight
    return made
