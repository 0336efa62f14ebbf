"""Quantisation-aware fine-tuning: a module that rounds in training as the integers of the C will.

    tuned = s2s.quantization.prepare(module, images[:64])
    tuned.train()      # weights and activations are rounded to 8 bits; gradients pass through
    ...                # a training loop as usual
    s2s.quantize(tuned, {"x": images})

In `eval()` it computes in floats, so that `quantize` takes it like any other module. Weights have a scale for each
output channel, activations the ranges that training has seen; the tensors are the ones that `quantize` gives a pair.
Norms are folded into the layers before them.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.fx import GraphModule, Node

from s2s.errors import InputError
from s2s.quantization.attention import attention_in_products
from s2s.quantization.pairs import TRANSPOSED, WEIGHTED, integer_readers, operator_name, planned
from s2s.quantization.ranges import Range

MOMENTUM = 0.05
"""The weight of a batch of the training in the range of an activation, which begins with the one of the examples."""


class RoundedActivation(nn.Module):
    """Rounds a tensor to 8 bits of the range that training has seen; does nothing in evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("ends", torch.zeros(2))
        self.observes = False
        """Whether it takes the range of what it sees in evaluation."""

    def forward(self, x: Tensor) -> Tensor:
        """`x`, rounded in training."""
        if not (self.training or self.observes):
            return x
        ends = cast(Tensor, self.ends)
        with torch.no_grad():
            seen = torch.stack([x.min().clamp_max(0), x.max().clamp_min(0)])
            ends.copy_(torch.lerp(ends, seen, MOMENTUM) if self.training else seen)
        if self.observes:
            return x
        chosen = Range(*ends.tolist())
        return torch.fake_quantize_per_tensor_affine(x, chosen.step(), chosen.zero_point(), -128, 127)


class RoundedWeight(nn.Module):
    """Rounds weights to 8 bits with a scale for each output channel; does nothing in evaluation."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self._axis = axis

    def forward(self, weight: Tensor) -> Tensor:
        """`weight`, rounded in training."""
        if not self.training:
            return weight
        largest = weight.detach().movedim(self._axis, 0).flatten(1).abs().amax(1)
        scales = (largest / 127).clamp_min(1e-8)
        zeros = torch.zeros(scales.shape, dtype=torch.int32)
        return torch.fake_quantize_per_channel_affine(weight, scales, zeros, self._axis, -127, 127)


def prepare(module: nn.Module, *examples: Tensor) -> GraphModule:
    """Return a module with the weights of `module` that rounds in training as its quantised form will.

    `examples` are a batch of at least two for each argument of `forward`, floats as it takes them; other sizes of the
    batch may follow. Raises `InputError` where a batch has fewer samples.
    """
    if not examples or any(example.dim() < 1 or len(example) < 2 for example in examples):
        raise InputError("examples: hold fewer than two samples; give a batch for each argument of forward")
    batch = tuple({0: torch.export.Dim.AUTO} for _ in examples)
    exported = torch.export.export(module.eval(), examples, dynamic_shapes=batch)
    attention = torch.ops.aten.scaled_dot_product_attention.default
    graph: Any = exported.run_decompositions({attention: attention_in_products}).module(check_guards=False)
    _leave_batch_open(graph)
    plan = planned(graph, torch)
    # A module of its own: the one of an export refuses to be trained.
    tuned = GraphModule(plan.module, plan.module.graph)
    places = [(plan.nodes[name], integer_readers(plan, plan.nodes[name])) for name in plan.names]
    for node, readers in places:
        _insert(tuned, node, f"{node.name}_rounded", RoundedActivation(), readers)
    for node in list(tuned.graph.nodes):
        if operator_name(node) in WEIGHTED and plan.is_integer(node):
            _train(tuned, node)
    tuned.graph.eliminate_dead_code()
    tuned.recompile()
    _observe(tuned.eval(), examples)
    return tuned


def _observe(tuned: GraphModule, examples: Sequence[Tensor]) -> None:
    """Take the ranges of activations in floats."""
    activations = [activation for activation in tuned.modules() if isinstance(activation, RoundedActivation)]
    for activation in activations:
        activation.observes = True
    with torch.no_grad():
        tuned(*examples)
    for activation in activations:
        activation.observes = False


def _leave_batch_open(module: GraphModule) -> None:
    """Give views the size -1 in place of one that is read from a tensor."""
    for node in list(module.graph.nodes):
        if operator_name(node) in ("view", "reshape", "_unsafe_view"):
            sizes = [-1 if isinstance(size, Node) else size for size in node.args[1]]
            if sizes.count(-1) > 1:
                raise InputError(f"{node.name}: has several sizes that vary; export a module with an open batch alone")
            node.update_arg(1, sizes)
    module.graph.eliminate_dead_code()
    module.recompile()


def _train(module: GraphModule, layer: Node) -> None:
    """Make the weights and the bias of a layer parameters, and round the weights."""
    for operand in [operand for operand in layer.args[1:3] if isinstance(operand, Node) and operand.op == "get_attr"]:
        name = str(operand.target)
        values: Tensor = operator.attrgetter(name)(module)
        owner, _, last = name.rpartition(".")
        holder = module.get_submodule(owner)
        if not isinstance(values, nn.Parameter):
            delattr(holder, last)
            holder.register_parameter(last, nn.Parameter(values.detach().clone()))
    weight = layer.args[1]
    if isinstance(weight, Node):
        _insert(
            module,
            weight,
            f"{layer.name}_weight_rounded",
            RoundedWeight(int(operator_name(layer) in TRANSPOSED)),
            [layer],
        )


def _insert(module: GraphModule, node: Node, name: str, rounding: nn.Module, readers: list[Node]) -> None:
    """Put a module between a node and some of its readers."""
    module.add_submodule(name, rounding)
    with module.graph.inserting_after(node):
        rounded = module.graph.call_module(name, (node,))
    for reader in readers:
        reader.replace_input_with(node, rounded)
