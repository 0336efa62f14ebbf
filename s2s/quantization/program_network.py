"""Programs of PyTorch as networks of layers with constant weights."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from s2s.quantization.network import Layer, Step, Window
from s2s.quantization.pairs import operator_name
from s2s.quantization.ranges import Range
from s2s.types.dtypes import Array

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d")
_PASSES = frozenset(
    ("adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "clone", "dropout", "leaky_relu")
) | frozenset(("max_pool1d", "max_pool2d", "relu"))
_FLATTENS = frozenset(["flatten", "reshape", "squeeze", "view"])
_GROUPS = 6
"""The place of the groups among the arguments of a convolution."""


class ProgramNetwork:
    """A graph whose norms are folded."""

    def __init__(self, module: GraphModule) -> None:
        self._module = module
        targets = [node for node in module.graph.nodes if node.op == "get_attr"]
        self._uses = Counter(str(node.target) for node in targets for _ in node.users)
        [ending] = [node for node in module.graph.nodes if node.op == "output"]
        self.outputs: Collection[str] = {node.name for node in ending.all_input_nodes}
        calls = [node for node in module.graph.nodes if node.op not in ("get_attr", "output", "placeholder")]
        self.steps: Sequence[Step] = [self._step(node) for node in calls]

    def constant(self, name: str) -> Array:
        """The values of a constant."""
        return self._tensor(name).numpy().copy()

    def replace(self, name: str, values: Array) -> None:
        """Give a constant other values, in its own type."""
        import torch

        self._tensor(name).copy_(torch.from_numpy(values))

    def _tensor(self, name: str) -> Any:
        tensor: Any = operator.attrgetter(name)(self._module)
        return tensor.detach()

    def _step(self, node: Node) -> Step:
        inputs = [operand.name for operand in node.all_input_nodes if operand.op != "get_attr"]
        layer = self._layer(node)
        if layer is not None:
            return Step(inputs, node.name, layer)
        name, bound = operator_name(node), _bound(node)
        if name == "layer_norm":
            return Step(inputs, node.name, norm=self._norm(node))
        passes = name in _PASSES or math.isfinite(bound) or (name == "mean" and _averages_taps(node, keeps=True))
        flattens = _averages_taps(node, keeps=False) if name == "mean" else name in _FLATTENS and _makes_matrix(node)
        return Step(inputs, node.name, passes=passes and len(inputs) == 1, flattens=flattens, bound=bound)

    def _layer(self, node: Node) -> Layer | None:
        name = operator_name(node)
        if name not in (*_CONVOLUTIONS, "linear") or node.kwargs:
            return None
        x, weights, *rest = node.args
        bias = rest[0] if rest else None
        spatial = name != "linear"
        groups: Any = node.args[_GROUPS] if spatial and len(node.args) > _GROUPS else 1
        if not self._is_owned(weights) or not (bias is None or self._is_owned(bias)) or x in (weights, bias):
            return None
        targets = [str(getattr(constant, "target", "")) for constant in (weights, bias)]
        named = targets[0], targets[1] or None
        window = _window(node.args) if spatial else Window()
        return Layer(node.name, str(x), *named, node.name, spatial, groups, transposed=not spatial, window=window)

    def _norm(self, node: Node) -> Layer | None:
        """A normalisation of the last axis with its own scales and shifts."""
        x, sizes, *constants = node.args[:4]
        held = isinstance(sizes, list | tuple) and len(sizes) == 1 and bool(constants)
        if not held or node.kwargs or not all(self._is_owned(constant) for constant in constants):
            return None
        targets = [str(getattr(constant, "target", "")) for constant in constants]
        names = (node.name, str(x), targets[0], targets[1] if len(targets) > 1 else None, node.name)
        return Layer(*names, spatial=False, transposed=True, normalises=True)

    def _is_owned(self, node: Any) -> bool:
        """Whether a node is a constant of floats that is read once."""
        import torch

        if getattr(node, "op", None) != "get_attr" or self._uses[str(node.target)] != 1:
            return False
        return self._tensor(str(node.target)).dtype == torch.float32


class ProgramIntegers:
    """The constants of integers of a graph with pairs."""

    def __init__(self, module: GraphModule) -> None:
        self._buffers: dict[str, Any] = dict(module.named_buffers())
        self._nodes: dict[str, Any] = {node.name: node for node in module.graph.nodes}

    def of(self, layer: Layer) -> Iterator[tuple[str, Array, Array]]:
        """Yield weights and bias of a layer, if both are integers: names, integers, and scales that fit their shape."""
        names = [f"{layer.name}_weight", *([] if layer.bias is None else [f"{layer.name}_bias"])]
        if all(part in self._buffers for name in names for part in (name, f"{name}_scales")):
            for name in names:
                integers, scales = self._buffers[name], self._buffers[f"{name}_scales"]
                yield name, integers.numpy().copy(), scales.numpy().reshape([-1] + [1] * (integers.dim() - 1))

    def ranges(self, names: Iterable[str]) -> Mapping[str, Range]:
        """The ranges of some activations by the names of their nodes."""
        pairs = {name: self._nodes[f"{name}_quantized"].args[1:3] for name in names}
        return {name: Range((-128 - zero) * step, (127 - zero) * step) for name, (step, zero) in pairs.items()}

    def set_range(self, names: Iterable[str], chosen: Range) -> None:
        """Give activations another range, and the biases of the layers that read them other scales."""
        step, zero = chosen.step(), chosen.zero_point()
        for name in names:
            pair = [self._nodes[f"{name}_{part}"] for part in ("quantized", "dequantized")]
            factor = step / pair[0].args[1]
            for node in pair:
                node.update_arg(1, step)
                node.update_arg(2, zero)
            for reader in pair[1].users:
                if reader.args[0] is pair[1]:
                    self._rescale_bias(reader, factor)

    def _rescale_bias(self, layer: Node, factor: float) -> None:
        """Give the bias of a layer, where it has one of integers, a unit `factor` times as large."""
        bias: Any = self._buffers.get(f"{layer.name}_bias")
        if bias is None:
            return
        bias.copy_((bias.double() / factor).round().clamp(-(2**31), 2**31 - 1))
        restored: Any = layer.args[2]
        scales: Any = self._buffers.get(f"{layer.name}_bias_scales")
        if scales is None:
            restored.update_arg(1, restored.args[1] * factor)
        else:
            scales.mul_(factor)

    def replace(self, name: str, values: Array) -> None:
        """Give a constant other values."""
        import torch

        self._buffers[name].copy_(torch.from_numpy(values))


def _window(arguments: Any) -> Window:
    """The window of a convolution, from its strides, padding and dilations, which are arguments 3 to 5."""
    strides, padding, dilations, *_ = (*arguments[3:6], *[()] * 3)
    pads = () if isinstance(padding, str) else tuple(padding)
    same = "upper" if padding == "same" else ""
    return Window(tuple(strides), tuple(dilations), pads, pads, same)


def _shape(node: Any) -> Sequence[Any]:
    value: Any = node.meta.get("val")
    return list(getattr(value, "shape", ()))


def _bound(node: Node) -> float:
    """The bound of a clip from 0; infinite for all other operators."""
    arguments: Any = node.args
    if operator_name(node) == "relu6":
        return 6.0
    clips = operator_name(node) == "hardtanh" and len(arguments) == 3 and arguments[1] == 0
    return float(arguments[2]) if clips else math.inf


def _makes_matrix(node: Node) -> bool:
    """Whether a node makes a matrix of a tensor, with the same first axis."""
    before, after = _shape(node.args[0]), _shape(node)
    return len(before) > 2 and len(after) == 2 and before[0] == after[0]


def _averages_taps(node: Node, *, keeps: bool) -> bool:
    """Whether a mean is taken over all axes behind the channels."""
    arguments: Any = node.args
    if len(arguments) < 2 or not isinstance(arguments[1], list | tuple):
        return False
    rank = len(_shape(arguments[0]))
    axes = sorted(axis % rank for axis in arguments[1])
    return axes == list(range(2, rank)) and (len(arguments) > 2 and bool(arguments[2])) == keeps
