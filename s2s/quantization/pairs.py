"""Insert quantise-dequantise pairs into a graph of PyTorch: which tensors get a pair, and what it looks like.

    y = relu(conv2d(x, w, b))
->
    x8 = quantize_per_tensor(x, …); xf = dequantize_per_tensor(x8, …)
    wf = dequantize_per_channel(w8, scales, zeros, 0, …)
    y = relu(conv2d(xf, wf, b)); y8 = quantize_per_tensor(y, …); yf = dequantize_per_tensor(y8, …)

A layer whose result an activation alone reads has no pair between the two. Operators that move values, as `view` and
`max_pool2d`, keep the scale of what they read, so that their integers stay as they are. All others compute in floats;
where a layer or a product of activations reads the result of one, that result gets a pair which the others do not see.

    y = matmul(softmax(matmul(q, k.mT) * scale + mask), v)

Of an attention the queries, keys, values and probabilities have pairs. The scores have none: the softmax takes the sums
of integers, with one factor for both steps and the scale.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import copy
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from s2s.quantization.constant_products import as_linear_layers
from s2s.quantization.floats import FloatNode
from s2s.quantization.folded_weights import fold_weights
from s2s.quantization.program_recurrent import RecurrentLayer, recurrent_layer
from s2s.quantization.ranges import Range

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import GraphModule, Node


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


TRANSPOSED = frozenset(["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])
WEIGHTED = frozenset(["conv1d", "conv2d", "conv3d", "linear"]) | TRANSPOSED
"""Operators with weights as second argument. Output channels are counted by its first dimension, by the second one for
transposed convolutions."""
_ACTIVATIONS = frozenset(["relu", "relu6", "hardtanh"])
"""Operators that the kernel of the layer before them computes."""
_COMPUTED = _names(
    "adaptive_avg_pool2d, add, avg_pool2d, bmm, cat, elu, gelu, hardsigmoid, hardswish, leaky_relu, matmul, mean, mul, "
    "sigmoid, silu, tanh"
)
_PRODUCTS = frozenset(["bmm", "matmul"])
_SOFTMAXES = frozenset(["softmax", "_softmax"])
_SCORES = _names("add, clone, div, masked_fill, mul, reshape, sub, view, where")
"""Operators that may stand between the first product of an attention and its softmax."""
_SPLITS = _names("chunk, split, split_with_sizes, unbind")
_MOVES = _names(
    "_unsafe_view, clone, expand, flatten, getitem, max_pool1d, max_pool2d, permute, reshape, select, slice, "
    "squeeze, transpose, unsqueeze, view"
)
"""Operators whose results are elements of their operand."""
_BOUNDS = -128, 127


@dataclass
class Pairs:
    """A graph, and the tensors in it that get a pair."""

    module: GraphModule
    nodes: dict[str, Node] = field(default_factory=dict[str, Any])
    """The nodes that get a pair, in order."""
    source: dict[str, str] = field(default_factory=dict[str, str])
    """For nodes that move values, the node whose scale they keep."""
    fused: set[str] = field(default_factory=set[str])
    """Nodes whose result an activation or a softmax alone reads."""
    floats: set[str] = field(default_factory=set[str])
    """Nodes with a pair that compute in floats: only layers and products read their integers."""
    varying: set[str] = field(default_factory=set[str])
    """Nodes that depend on an input."""
    recurrent: dict[str, RecurrentLayer] = field(default_factory=dict[str, RecurrentLayer])
    """Nodes that run recurrent layers in integers."""

    @property
    def names(self) -> list[str]:
        """The names of the nodes that get a pair."""
        return list(self.nodes)

    def is_integer(self, node: Node) -> bool:
        """Whether a node computes in integers."""
        name = node.name
        return name in self.fused or name in self.recurrent or (name in self.nodes and name not in self.floats)

    def computing(self, node: Node) -> Node:
        """The node that computes a tensor: the recurrent layers for one of their results."""
        recurrent = [each for each in node.all_input_nodes if each.name in self.recurrent]
        return recurrent[0] if recurrent and operator_name(node) == "getitem" else node


def operator_name(node: Node) -> str:
    """`conv2d` of `aten.conv2d.default`."""
    if node.target is operator.getitem:
        return "getitem"
    parts = str(node.target).split(".")
    return parts[1] if len(parts) == 3 else parts[0]


def planned(module: GraphModule, torch: Any) -> Pairs:
    """Decide which tensors of `module` get a pair; computed weights and norms after convolutions are folded before."""
    module = copy.deepcopy(module)
    fold_weights(module)
    _fold_norms(module, torch)
    as_linear_layers(module)
    plan = Pairs(module)
    for node in module.graph.nodes:
        if node.op == "placeholder" or any(each.name in plan.varying for each in node.all_input_nodes):
            plan.varying.add(node.name)
        if (node.op == "placeholder" and _is_float(node, torch)) or plan.computing(node) is not node:
            plan.nodes[node.name] = node
        elif node.op == "call_function" and _is_float(node, torch):
            _plan(plan, node)
        elif (layer := recurrent_layer(module, node)) and _quantise_operands(plan, [layer.input]):
            plan.recurrent[node.name] = layer
    return plan


def _is_float(node: Node, torch: Any) -> bool:
    value: Any = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype == torch.float32


def _plan(plan: Pairs, node: Node) -> None:
    name = operator_name(node)
    given = _operands(node)
    constants = len(node.all_input_nodes) - len(given)
    if node.name in plan.fused or not given:
        return
    layer = name in WEIGHTED and len(given) == 1
    if layer or (name in _PRODUCTS and not constants):
        if not _quantise_operands(plan, given):
            return
    elif not all(plan.is_integer(each) for each in given):
        return
    if name in _MOVES and not constants:
        plan.source[node.name] = plan.source.get(given[0].name, given[0].name)
        plan.nodes[node.name] = node
    elif name in _PRODUCTS and (scores := _scores(node)):
        plan.fused.update(each.name for each in scores[:-1])
        if all(operator_name(user) in _PRODUCTS for user in scores[-1].users):
            plan.nodes[scores[-1].name] = scores[-1]
    elif layer or (name in _ACTIVATIONS | _COMPUTED and not constants):
        users = list(node.users)
        joined = name in WEIGHTED or name == "add"
        if joined and len(users) == 1 and operator_name(users[0]) in _ACTIVATIONS:
            plan.fused.add(node.name)
        else:
            plan.nodes[node.name] = node


def _operands(node: Node) -> list[Node]:
    """The activations that an operator reads; for a part of a split tensor, that tensor."""
    if operator_name(node) == "getitem":
        whole = node.all_input_nodes[0]
        return [whole.all_input_nodes[0]] if operator_name(whole) in _SPLITS else []
    return [each for each in node.all_input_nodes if each.op != "get_attr"]


def _quantise_operands(plan: Pairs, given: Sequence[Node]) -> bool:
    """Return whether the operands of a layer or a product have pairs; operands in floats get one, if all vary."""
    added = {each.name: each for each in given if not plan.is_integer(each)}
    if not all(each.name in plan.varying for each in given):
        return False
    plan.nodes.update(added)
    plan.floats.update(added)
    return True


def _scores(product: Node) -> list[Node]:
    """The operators from the first product of an attention to its softmax, in order; none if it is another product."""
    found = [product]
    while len(found[-1].users) == 1:
        (user,) = found[-1].users
        found.append(user)
        if operator_name(user) in _SOFTMAXES:
            return found
        if operator_name(user) not in _SCORES:
            break
    return []


def float_nodes(plan: Pairs) -> tuple[FloatNode, ...]:
    """The operators that compute in floats, in the order of the program; not operators of constants alone."""
    found: list[FloatNode] = []
    layers = [each for each in plan.module.graph.nodes if operator_name(each) in WEIGHTED and plan.is_integer(each)]
    bytes_of = {str(getattr(each.args[1], "target", "")) for each in layers if operator_name(each) not in TRANSPOSED}
    for node in plan.module.graph.nodes:
        if operator_name(node) == "embedding" and str(node.args[0].target) in bytes_of:
            continue
        if node.op != "call_function" or plan.is_integer(node) or operator_name(node) == "getitem":
            continue
        weights = [each.meta["val"] for each in node.all_input_nodes if each.op == "get_attr" and "val" in each.meta]
        splits_integers = operator_name(node) in _SPLITS and all(plan.is_integer(part) for part in node.users)
        if (weights or node.name in plan.varying) and not splits_integers:
            size = sum(each.numel() * 4 for each in weights)
            found.append(FloatNode(node.name, operator_name(node), size, _reason(plan, node)))
    return tuple(found)


def _reason(plan: Pairs, node: Node) -> str:
    """Why an operator computes in floats."""
    name, given = operator_name(node), _operands(node)
    if name in WEIGHTED and len(given) > 1:
        return "its weights are computed in the run"
    if name not in WEIGHTED | _PRODUCTS | _MOVES | _ACTIVATIONS | _COMPUTED:
        return "the quantiser has no integer form of it"
    floats = next((each.name for each in given if not plan.is_integer(each)), None)
    return "one of its operands is a constant of floats" if floats is None else f"it reads floats of {floats}"


def inserted(plan: Pairs, ranges: Mapping[str, Range]) -> GraphModule:
    """A copy of the graph with all pairs."""
    import torch

    module = copy.deepcopy(plan.module)
    nodes = {node.name: node for node in module.graph.nodes}
    decomposed: Any = torch.ops.quantized_decomposed
    for name in plan.nodes:
        limits = ranges[plan.source.get(name, name)]
        parameters = limits.step(), limits.zero_point(), *_BOUNDS, torch.int8
        node = nodes[name]
        readers = integer_readers(plan, node)
        with module.graph.inserting_after(node):
            quantised = module.graph.create_node(
                "call_function", decomposed.quantize_per_tensor.default, (node, *parameters), name=f"{name}_quantized"
            )
        with module.graph.inserting_after(quantised):
            restored = module.graph.create_node(
                "call_function",
                decomposed.dequantize_per_tensor.default,
                (quantised, *parameters),
                name=f"{name}_dequantized",
            )
        for reader in readers:
            reader.replace_input_with(node, restored)
    for name in (*plan.nodes, *plan.fused):
        if operator_name(nodes[name]) in WEIGHTED:
            _quantise_weight(module, nodes[name], torch)
    for name, layer in plan.recurrent.items():
        layer.replace(module, nodes[name], ranges[plan.source.get(layer.input.name, layer.input.name)].step())
    _drop_unused(module)
    return module


def integer_readers(plan: Pairs, node: Node) -> list[Node]:
    """The readers of a node with a pair that take what is rounded, in the graph of `plan` or a copy."""
    readers = list(node.users)
    if node.name not in plan.floats:
        return readers
    layers = [each for each in readers if operator_name(each) in WEIGHTED | _PRODUCTS and plan.is_integer(each)]
    return [each for each in readers if each.name in plan.recurrent or each in layers]


def _quantise_weight(module: GraphModule, node: Node, torch: Any) -> None:
    """Integers and a scale per output channel in place of the weights of a layer; one scale for all channels of a
    transposed convolution in groups, whose dimension of output channels counts channels of one group."""
    weight = node.args[1]
    assert not isinstance(weight, tuple | list)
    target = str(getattr(weight, "target", ""))
    values: Tensor = operator.attrgetter(target)(module).detach()
    axis = int(operator_name(node) in TRANSPOSED)
    per_tensor = axis and _groups(node) > 1
    largest = values.abs().amax() if per_tensor else values.movedim(axis, 0).flatten(1).abs().amax(1)
    scales = (largest / 127).clamp_min(1e-8)
    shape = [-1 if dim == axis else 1 for dim in range(values.dim())]
    steps = values / (scales if per_tensor else scales.reshape(shape))
    tables = [] if axis else _embeddings(module, target)
    integers = steps.round().clamp(-127, 127).to(torch.int8)
    restored = _restored(module, tables[0] if tables else node, f"{node.name}_weight", (integers, scales, axis), torch)
    node.update_arg(1, restored)
    for table in tables:
        table.update_arg(0, restored)
    _quantise_bias(module, node, scales, torch)


def _quantise_bias(module: GraphModule, node: Node, scales: Tensor, torch: Any) -> None:
    """Integers in the scale of the products, which the sums start from, in place of the bias of a layer. A bias too
    large for 32 bits stays in floats."""
    x: Any = node.args[0]
    bias: Any = node.args[2] if len(node.args) > 2 else None
    if bias is None or bias.op != "get_attr" or operator_name(x) != "dequantize_per_tensor":
        return
    values: Tensor = operator.attrgetter(str(bias.target))(module).detach()
    units = (scales.double() * x.args[1]).float()
    steps = (values.double() / units).round()
    if bool((steps.abs() < 2**30).all()):
        parts = steps.to(torch.int32), units, 0
        node.update_arg(2, _restored(module, node, f"{node.name}_bias", parts, torch))


def _restored(module: GraphModule, before: Node, name: str, parts: tuple[Tensor, Tensor, int], torch: Any) -> Node:
    """Insert what dequantises constant integers, by one scale or by one for each index of an axis."""
    integers, scales, axis = parts
    decomposed: Any = torch.ops.quantized_decomposed
    bounds = -torch.iinfo(integers.dtype).max, torch.iinfo(integers.dtype).max, integers.dtype
    zeros = f"zeros_{scales.numel()}"
    held = {name: integers} | ({f"{name}_scales": scales, zeros: _no_offsets(scales, torch)} if scales.dim() else {})
    with module.graph.inserting_before(before):
        nodes: list[Any] = []
        for part, value in held.items():
            module.register_buffer(part, value)
            nodes.append(module.graph.get_attr(part))
        if scales.dim():
            return module.graph.call_function(decomposed.dequantize_per_channel.default, (*nodes, axis, *bounds))
        arguments = *nodes, float(scales), 0, *bounds
        return module.graph.call_function(decomposed.dequantize_per_tensor.default, arguments)


def _no_offsets(scales: Tensor, torch: Any) -> Tensor:
    """A zero point for each scale."""
    return torch.zeros(scales.shape, dtype=torch.int64)


def _embeddings(module: GraphModule, name: str) -> list[Node]:
    """The embeddings in order whose table is the parameter `name`: that is stored once, with a scale for each row."""
    found = (each for each in module.graph.nodes if each.op == "call_function" and operator_name(each) == "embedding")
    return [each for each in found if str(each.args[0].target) == name]


def _groups(node: Node) -> int:
    """The groups of a transposed convolution, its seventh argument."""
    found = node.args[6] if len(node.args) > 6 else node.kwargs.get("groups", 1)
    assert isinstance(found, int)
    return found


def without_port_pairs(module: GraphModule, examples: Sequence[Tensor]) -> list[Tensor]:
    """Give the graph integer inputs and outputs where it quantises or dequantises them; return such examples."""
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    given: list[Tensor] = []
    for node, example in zip(inputs, examples, strict=True):
        users = list(node.users)
        if len(users) == 1 and operator_name(users[0]) == "quantize_per_tensor":
            given.append(users[0].target(example, *users[0].args[1:]))
            users[0].replace_all_uses_with(node)
            module.graph.erase_node(users[0])
        else:
            given.append(example)
    output = next(node for node in module.graph.nodes if node.op == "output")
    for node in list(output.all_input_nodes):
        if operator_name(node) == "dequantize_per_tensor":
            output.replace_input_with(node, node.args[0])
    module.graph.eliminate_dead_code()
    module.recompile()
    return given


def _fold_norms(module: GraphModule, torch: Any) -> None:
    """Fold each batch norm of inference into the convolution before it, where nothing else reads that."""
    for norm in list(module.graph.nodes):
        if norm.op != "call_function" or operator_name(norm) != "_native_batch_norm_legit_no_training":
            continue
        layer = norm.args[0]
        if operator_name(layer) not in ("conv1d", "conv2d", "conv3d") or len(layer.users) > 1:
            continue
        nodes = [layer.args[1], layer.args[2] if len(layer.args) > 2 else None, *norm.args[1:5]]
        weight, bias, scale, shift, mean, variance = (
            None if node is None else operator.attrgetter(node.target)(module) for node in nodes
        )
        fused = torch.nn.utils.fusion.fuse_conv_bn_weights(weight, bias, mean, variance, norm.args[6], scale, shift)
        _replace_weights(module, layer, [each.detach() for each in fused])
        for result in list(norm.users):  # the normalised tensor, the mean and the deviation, which nobody reads
            result.replace_all_uses_with(layer)
            module.graph.erase_node(result)
        module.graph.erase_node(norm)
    _drop_unused(module)


def _drop_unused(module: GraphModule) -> None:
    """Remove what no result depends on: nodes, modules, weights."""
    module.graph.eliminate_dead_code()
    read = {str(node.target) for node in module.graph.nodes if node.op in ("get_attr", "call_module")}
    held = [name for name, _ in (*module.named_parameters(), *module.named_buffers())]
    for name in held:
        if name not in read and name.partition(".")[0] not in read:
            owner, _, own = name.rpartition(".")
            delattr(module.get_submodule(owner), own)
    module.recompile()


def _replace_weights(module: GraphModule, layer: Node, values: Sequence[Tensor]) -> None:
    """Give a layer other weights and another bias."""
    with module.graph.inserting_before(layer):
        for place, value in enumerate(values, 1):
            name = f"{layer.name}_folded{place}"
            module.register_buffer(name, value)
            node = module.graph.get_attr(name)
            node.meta["val"] = value
            layer.args = (*layer.args[:place], node, *layer.args[place + 1 :])
