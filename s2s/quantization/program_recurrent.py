"""Quantise `torch.nn.GRU` and `torch.nn.LSTM`: modules that run a layer in pairs of `quantized_decomposed` operators.

    y, h = gru(x, h0, weights, …)
->
    p = quantize(x @ W + b)              all steps at once
    h8, y8 = scan(step, quantize(h0), p)     a step in QDQ form: `s2s/quantization/recurrent_cells.py`

A layer stays in floats if it drops outputs at random, projects its state, reads a packed sequence, or has weights that
are computed in the run.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch._higher_order_ops.scan import scan

from s2s.quantization.ranges import Range
from s2s.quantization.recurrent_cells import (
    STEPS,
    Direction,
    Product,
    Ranges,
    direction,
    observe,
    quantised_product,
    scales_of,
    step_products,
    write_step,
)
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

_ORDERS: Mapping[str, Sequence[int]] = {"gru": (1, 0, 2), "lstm": (0, 3, 1, 2)}
"""The gates of ONNX in order, as places among the gates of torch: `z r n` of `r z n`, `i o f g` of `i f g o`."""
_FUNCTIONS: Mapping[str, Any] = {
    "Add": torch.add,
    "Mul": torch.mul,
    "Sigmoid": torch.sigmoid,
    "Sub": operator.sub,
    "Tanh": torch.tanh,
}
_decomposed: Any = torch.ops.quantized_decomposed


@frozen
class RecurrentLayer:
    """A node that runs one or several layers, whose steps can be quantised."""

    node: Node
    directions: tuple[tuple[Direction, ...], ...]
    """Of each layer, the weights of its directions."""
    ranges: tuple[tuple[Ranges, ...], ...]
    """What the steps were seen to compute; filled by `observe`."""

    @property
    def input(self) -> Node:
        """The sequence."""
        return self.node.all_input_nodes[0]

    @property
    def states(self) -> list[Node]:
        """The initial states."""
        given: Any = self.node.args[1]
        return list(given) if isinstance(given, list | tuple) else [given]

    @property
    def batch_first(self) -> bool:
        """Whether the first dimension of a batch of sequences counts these."""
        return bool(self.node.args[-1])

    def observe(self, x: Array, states: Sequence[Array]) -> None:
        """Run the layers in floats on one sample."""
        if x.ndim == 2:
            x, states = x[:, None], [each[:, None] for each in states]
        elif self.batch_first:
            x = x.swapaxes(0, 1)
        place = 0
        for parts, seen in zip(self.directions, self.ranges, strict=True):
            outputs: list[Array] = []
            for way, part, ranges in zip((1, -1), parts, seen, strict=False):
                outputs.append(observe(part, x[::way], [each[place] for each in states], ranges)[::way])
                place += 1
            x = np.concatenate(outputs, axis=-1)

    def ranges_of_results(self) -> Mapping[str, Range]:
        """The ranges of the outputs and of the last states by node, whose steps are the greatest of the layers."""
        scales = [[scales_of(each) for each in seen] for seen in self.ranges]
        h = max(each["h"] for each in scales[-1])
        all_layers = [max(each[kind] for layer in scales for each in layer) for kind in ("h", "c")[: len(self.states)]]
        ranges = [Range(-(STEPS + 1) * step, STEPS * step) for step in (h, *all_layers)]
        return {each.name: ranges[int(str(each.args[1]))] for each in self.node.users}

    def replace(self, module: GraphModule, node: Node, step: float) -> None:
        """Call the layers in integers in place of `node`; its sequence is quantised in steps of `step`."""
        target, states = f"{node.name}_quantised", node.args[1]
        module.add_submodule(target, _Layers(self, step))
        operands: Any = node.args[0], *(states if isinstance(states, Sequence) else [states])
        with module.graph.inserting_before(node):
            call = module.graph.call_module(target, operands)
        node.replace_all_uses_with(call)
        module.graph.erase_node(node)


def recurrent_layer(module: GraphModule, node: Node) -> RecurrentLayer | None:
    """Return what a node runs, or None if it runs no layers whose steps can be quantised."""
    aten: Any = torch.ops.aten
    kind = "gru" if node.target == aten.gru.input else "lstm" if node.target == aten.lstm.input else None
    if kind is None:
        return None
    arguments: Any = node.args
    _, _, weights, has_biases, layers, dropout, train, bidirectional, _ = arguments
    if (train and dropout) or any(each.op != "get_attr" for each in weights):
        return None
    values = [operator.attrgetter(str(each.target))(module).detach().numpy() for each in weights]
    count, each = layers * (1 + bidirectional), 4 if has_biases else 2
    if len(values) != count * each or any(value.dtype != np.float32 for value in values):
        return None
    parts = [_direction(kind, values[at * each : (at + 1) * each]) for at in range(count)]
    by_layer = tuple(tuple(parts[at : at + count // layers]) for at in range(0, count, count // layers))
    return RecurrentLayer(node, by_layer, tuple(tuple({} for _ in each) for each in by_layer))


def _direction(kind: str, weights: Sequence[Array]) -> Direction:
    order = _ORDERS[kind]
    w, r, *biases = (np.concatenate([np.split(each, len(order))[at] for at in order]) for each in weights)
    return direction(kind.upper(), w, r, np.concatenate(biases) if biases else None, resets_after=True)


class _Writer:
    """Calls the operators of a step."""

    def constant(self, values: float) -> Any:
        """Return the number itself, which torch takes in place of a tensor."""
        return float(values)

    def add(self, operator: str, *inputs: Any) -> Any:
        """Call an operator of ONNX by its function of torch."""
        return _FUNCTIONS[operator](*inputs)

    def quantize(self, x: Any, scale: float, zero_point: int = 0) -> Any:
        """Quantise to int8."""
        return _decomposed.quantize_per_tensor.default(x, scale, zero_point, -128, 127, torch.int8)

    def dequantize(self, x: Any, scale: float, zero_point: int = 0) -> Any:
        """Dequantise int8."""
        return _decomposed.dequantize_per_tensor.default(x, scale, zero_point, -128, 127, torch.int8)

    def rounded(self, x: Any, scale: float, zero_point: int = 0) -> Any:
        """Call both."""
        return self.dequantize(self.quantize(x, scale, zero_point), scale, zero_point)

    def product(self, x: Any, product: Product) -> Any:
        """Multiply by weights of int8, and add a bias of int32."""
        return torch.matmul(x, _restored(product.weights, product.scales, 1)) + _restored(product.bias, product.sums, 0)

    def columns(self, x: Any, begin: int, end: int) -> Any:
        """Slice the last axis of a matrix."""
        return x[:, begin:end]


def _restored(values: Any, scales: Any, axis: int) -> Tensor:
    largest = torch.iinfo(values.dtype).max
    zeros = torch.zeros_like(scales, dtype=torch.int64)
    return _decomposed.dequantize_per_channel.default(values, scales, zeros, axis, -largest, largest, values.dtype)


class _OneWay(torch.nn.Module):
    """One layer in one direction, on the sequence `x[steps, batch, inputs]`."""

    def __init__(self, part: Direction, scales: Mapping[str, float], x_scale: float, *, backward: bool) -> None:
        super().__init__()
        self.cell, self.scales, self.backward = part.cell, scales, backward
        products = quantised_product(x_scale, part.inputs, part.bias), *step_products(part, scales)
        for at, product in enumerate(products):
            for name, values in product._asdict().items():
                self.register_buffer(f"{name}_{at}", torch.from_numpy(np.asarray(values, order="C")))

    def _product(self, at: int) -> Product:
        return Product(*(getattr(self, f"{name}_{at}") for name in Product._fields))

    def forward(self, x: Tensor, *states: Tensor) -> tuple[Tensor, list[Tensor]]:
        """The outputs of all steps, and the last states."""
        b = _Writer()
        p = b.quantize(b.product(x, self._product(0)), self.scales["projected"])
        begin = [b.quantize(each, self.scales[kind]) for each, kind in zip(states, ("h", "c"), strict=False)]
        ends, sequence = _steps(self._step, begin, p.flip(0) if self.backward else p)
        y = b.dequantize(sequence.flip(0) if self.backward else sequence, self.scales["h"])
        return y, [b.dequantize(each, self.scales[kind]) for each, kind in zip(ends, ("h", "c"), strict=False)]

    def _step(self, states: list[Tensor], p: Tensor) -> tuple[list[Tensor], Tensor]:
        ends: list[Any] = write_step(_Writer(), self.cell, [self._product(1)], self.scales, p, states)
        return ends, ends[0].clone()


def _steps(step: Any, states: list[Tensor], p: Tensor) -> tuple[list[Tensor], Tensor]:
    """Run a step on each row of `p`: as a loop of the program where it is exported, at once otherwise."""
    if torch.compiler.is_exporting():
        return scan(step, states, p)
    rows: list[Tensor] = []
    for each in p:
        states, row = step(states, each)
        rows.append(row)
    return states, torch.stack(rows)


class _Layers(torch.nn.Module):
    """All layers of a node, with its operands and results."""

    def __init__(self, layer: RecurrentLayer, step: float) -> None:
        super().__init__()
        self.batch_first = layer.batch_first
        self.steps: list[float] = []
        layers: list[torch.nn.ModuleList] = []
        for parts, seen in zip(layer.directions, layer.ranges, strict=True):
            scales = [scales_of(each) for each in seen]
            ways = [_OneWay(*each, step, backward=at == 1) for at, each in enumerate(zip(parts, scales, strict=True))]
            layers.append(torch.nn.ModuleList(ways))
            step = max(each["h"] for each in scales)
            self.steps.append(step)
        self.layers: Any = torch.nn.ModuleList(layers)

    def forward(self, x: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
        """The outputs of the last layer, and the last states of all layers and directions."""
        batched = x.dim() == 3
        if not batched:
            x, states = x.unsqueeze(1), tuple(each.unsqueeze(1) for each in states)
        elif self.batch_first:
            x = x.transpose(0, 1)
        ends: list[list[Tensor]] = []
        for layer, step in zip(self.layers, self.steps, strict=True):
            outputs: list[Tensor] = []
            for one_way in layer:
                y, last = one_way(x, *(each[len(ends)] for each in states))
                outputs.append(y)
                ends.append(last)
            x = outputs[0] if len(outputs) == 1 else _Writer().rounded(torch.cat(outputs, dim=-1), step)
        results = [x, *(torch.stack(kind) for kind in zip(*ends, strict=True))]
        if not batched:
            return tuple(each.squeeze(1) for each in results)
        return (x.transpose(0, 1) if self.batch_first else x, *results[1:])
