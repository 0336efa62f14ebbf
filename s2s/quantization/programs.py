"""Quantise a program of PyTorch: the result has pairs of `quantized_decomposed` operators, as programs of PT2E."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.data.sets import SamplesSource
from s2s.data.specs import InputSpec, Samples
from s2s.errors import InputError
from s2s.frontends.torch import LoadedModel, export
from s2s.frontends.torch.dtypes import numpy_dtype
from s2s.quantization.accuracy import Accuracy, accuracy
from s2s.quantization.attention import attention_in_products
from s2s.quantization.channels import Channels, observed
from s2s.quantization.metrics import Metric
from s2s.quantization.noise import LayerNoise, compare_values, least_ratio
from s2s.quantization.pairs import Pairs, float_nodes, inserted, operator_name, planned, without_port_pairs
from s2s.quantization.program_network import ProgramIntegers, ProgramNetwork
from s2s.quantization.ranges import Method, Range, Ranges
from s2s.quantization.refine import MEASURED, Candidate, refined, spread_places
from s2s.quantization.result import Quantized
from s2s.quantization.settings import Settings
from s2s.support import progress
from s2s.types.dtypes import Array

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node


def quantize_program(loaded: LoadedModel, samples: SamplesSource, settings: Settings) -> Quantized:
    """Quantise a program of floats: weights per output channel, activations by calibration on `samples`."""
    if settings.activations != "int8":
        raise InputError(f"{loaded.label}: has activations of 8 bits here; export it with torch.onnx.export")
    import torch
    import torch.ao.quantization.fx._decomposed  # pyright: ignore[reportUnusedImport]  # registers the operators

    if any("quantize" in call.target for call in loaded.program.graph.calls):
        raise InputError(f"{loaded.label}: is quantised already; quantise the program of floats it was made of")
    specs = _inputs(loaded, settings.shapes)
    read, classified = settings.data(samples, specs)
    progress.step("calibrating")
    attention = torch.ops.aten.scaled_dot_product_attention.default
    exported = loaded.exported.run_decompositions({attention: attention_in_products})
    module: Any = exported.module(check_guards=False)
    plan = planned(module, torch)
    format = _ProgramFormat([_ordered(sample, specs) for sample in read], settings.method)
    best = refined(plan, format) if settings.refine else Candidate(plan, format.quantized(plan))
    quantized = best.quantized
    layers = _noise(best.real, quantized, read, specs)
    floats = float_nodes(plan)
    right = None if classified is None else _accuracy(classified, specs, (plan.module, quantized), settings.metric)
    examples = [torch.from_numpy(np.asarray(each, order="C")) for each in _ordered(next(iter(read)), specs)]
    if settings.integer_ports:
        examples = without_port_pairs(quantized, examples)
    before = sum(each.numel() * each.element_size() for each in module.state_dict().values())
    program = export(quantized, examples)
    after = sum(each.numel() * each.element_size() for each in program.state_dict.values())
    seen = Ranges()
    for sample in format.samples:
        for name, value in _values(plan.module, sample, plan.names).items():
            seen.add(name, value)
    settled = seen.convergence() if plan.names else None
    return Quantized(program, settings.method, read.count, layers, floats, before, after, best.steps, right, settled)


def _accuracy(
    classified: Samples, specs: Sequence[InputSpec], modules: Sequence[GraphModule], metric: Metric | None
) -> Accuracy:
    """How many samples of known classes the module of floats and the quantised one classify rightly by their first
    output."""
    samples = [_ordered(sample, specs) for sample in classified]
    real, integers = ([outputs[0] for outputs in _outputs(module, samples)] for module in modules)
    return accuracy(classified, real, integers, metric)


class _ProgramFormat:
    """How programs of PyTorch are quantised and run."""

    def __init__(self, samples: Sequence[Sequence[Array]], method: Method) -> None:
        self.samples = samples
        self._measured = [samples[place] for place in spread_places(len(samples), MEASURED)]
        self._method: Method = method
        self._expected: list[list[Array]] = []
        """The outputs of floats on the samples that candidates are measured on."""

    def copied(self, model: Pairs) -> Pairs:
        """The plan with a copy of the graph."""
        return replace(model, module=copy.deepcopy(model.module))

    def copied_integers(self, model: GraphModule) -> GraphModule:
        """A copy of a graph."""
        return copy.deepcopy(model)

    def quantized(self, real: Pairs) -> GraphModule:
        """The graph with pairs."""
        return inserted(real, _ranges(real, self.samples, self._method))

    def network(self, real: Pairs) -> ProgramNetwork:
        """The layers."""
        return ProgramNetwork(real.module)

    def integers(self, quantized: GraphModule) -> ProgramIntegers:
        """The constants."""
        return ProgramIntegers(quantized)

    def observed(self, real: Pairs, spatial: Mapping[str, bool]) -> Channels:
        """What the channels of some tensors hold."""
        return observed((_values(real.module, sample, list(spatial)) for sample in self.samples), spatial)

    def values(self, real: Pairs, names: Sequence[str]) -> Iterator[Mapping[str, Array]]:
        """The values of some nodes in each of the samples that candidates are measured on."""
        return (_values(real.module, sample, names) for sample in self._measured)

    def ranges(self, real: Pairs, quantized: GraphModule) -> Mapping[str, Range]:
        """The ranges of activations that recurrent layers neither compute nor read: these choose theirs together."""
        own = [name for name in real.names if name not in real.source and not _is_recurrent(real, real.nodes[name])]
        return ProgramIntegers(quantized).ranges(own)

    def with_range(self, real: Pairs, quantized: GraphModule, tensor: str, chosen: Range) -> GraphModule:
        """A copy in which an activation, and what moves its values, has another range."""
        module = self.copied_integers(quantized)
        moved = [name for name, source in real.source.items() if source == tensor]
        ProgramIntegers(module).set_range([tensor, *moved], chosen)
        module.recompile()
        return module

    def output_noise(self, real: Pairs, quantized: GraphModule) -> float:
        """The least signal to noise ratio of an output of floats, in decibel."""
        self._expected = self._expected or list(_outputs(real.module, self._measured))
        return least_ratio(
            (str(place), x, y)
            for expected, computed in zip(self._expected, _outputs(quantized, self._measured), strict=True)
            for place, (x, y) in enumerate(zip(expected, computed, strict=True))
            if x.dtype.kind == "f"
        )


def _is_recurrent(plan: Pairs, node: Node) -> bool:
    """Whether a recurrent layer computes or reads a tensor, or what moves its values."""
    tensors = [node, *(plan.nodes[name] for name, source in plan.source.items() if source == node.name)]
    read = {user.name for tensor in tensors for user in tensor.users}
    return any(plan.computing(tensor) is not tensor for tensor in tensors) or not read.isdisjoint(plan.recurrent)


def _outputs(module: Any, samples: Iterable[Sequence[Array]]) -> Iterator[list[Array]]:
    """Run a module on samples, and yield its outputs for each."""
    import torch
    from torch.utils._pytree import tree_leaves

    with torch.no_grad():
        for sample in samples:
            outputs = module(*(torch.from_numpy(np.asarray(array, order="C")) for array in sample))
            yield [leaf.numpy() for leaf in tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]


def _values(module: Any, sample: Sequence[Array], names: Sequence[str]) -> dict[str, Array]:
    """The values of some nodes in one sample."""
    values: dict[str, Array] = {}
    _run(module, sample, names, values.__setitem__)
    return values


def _ranges(plan: Pairs, samples: Iterable[Sequence[Array]], method: Method) -> Mapping[str, Range]:
    """The ranges of all tensors that get a pair; recurrent layers are run in floats, to see what steps compute."""
    ranges = Ranges(method)
    layers = plan.recurrent.values()
    operands = [operand.name for layer in layers for operand in (layer.input, *layer.states)]
    for sample in samples:
        values = _values(plan.module, sample, [*plan.names, *operands])
        for name in plan.names:
            ranges.add(name, values[name])
        for layer in layers:
            layer.observe(values[layer.input.name], [values[operand.name] for operand in layer.states])
    results = (result for layer in layers for result in layer.ranges_of_results().items())
    return {**ranges.found(), **dict(results)}


def _inputs(loaded: LoadedModel, shapes: Mapping[str, tuple[int, ...]]) -> list[InputSpec]:
    """The inputs in the order in which the program takes them."""
    if loaded.program.numbers or loaded.exported.call_spec.in_spec is None:
        raise InputError(f"{loaded.label}: takes numbers beside tensors; export a module that takes tensors")
    arguments: Any = loaded.exported.example_inputs
    if arguments is not None and arguments[1]:
        raise InputError(f"{loaded.label}: was exported with named arguments; export it with positional ones")
    return [
        InputSpec(port.name, np.dtype(numpy_dtype(port.info.dtype, port.name)), shapes.get(port.name, port.info.shape))
        for port in loaded.program.inputs
    ]


def _ordered(sample: Mapping[str, Array], specs: Sequence[InputSpec]) -> list[Array]:
    return [sample[spec.name] for spec in specs]


def _run(module: Any, inputs: Iterable[Array], names: Sequence[str], seen: Any) -> None:
    """Run a module, and show the values of its nodes `names` to `seen`."""
    import torch

    class Watching(torch.fx.Interpreter):
        """Shows the values of nodes."""

        def run_node(self, n: torch.fx.Node) -> Any:
            value = super().run_node(n)
            if n.name in wanted:
                seen(n.name, value.numpy())
            return value

    wanted = frozenset(names)
    with torch.no_grad():
        Watching(module).run(*(torch.from_numpy(np.asarray(each, order="C")) for each in inputs))


def _noise(plan: Pairs, quantized: Any, samples: Samples, specs: Sequence[InputSpec]) -> tuple[LayerNoise, ...]:
    """The error of each quantised activation over all samples."""
    pairs = {f"{name}_dequantized": name for name in plan.names}

    def values() -> Iterable[tuple[str, Array, Array]]:
        for sample in samples:
            inputs = _ordered(sample, specs)
            expected = _values(plan.module, inputs, plan.names)
            for name, value in _values(quantized, inputs, list(pairs)).items():
                yield pairs[name], expected[pairs[name]], value

    sums = compare_values(values())
    computed = {name: plan.computing(plan.nodes[name]) for name in sums}
    return tuple(
        LayerNoise(node.name, operator_name(node), name, total.decibel(), total.largest_error, total.largest_value)
        for (name, total), node in zip(sums.items(), computed.values(), strict=True)
        if node.op == "call_function" and not math.isnan(total.decibel())
    )
