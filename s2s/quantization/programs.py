"""Quantise a program of PyTorch: the result has pairs of `quantized_decomposed` operators, as programs of PT2E."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.errors import InputError
from s2s.frontends.torch import LoadedModel, export
from s2s.frontends.torch.dtypes import numpy_dtype
from s2s.quantization.attention import attention_in_products
from s2s.quantization.noise import LayerNoise, compare_values
from s2s.quantization.pairs import Pairs, float_nodes, inserted, operator_name, planned, without_port_pairs
from s2s.quantization.ranges import Method, Range, Ranges
from s2s.quantization.result import Quantized
from s2s.quantization.samples import InputSpec, Samples, read_samples
from s2s.support import progress
from s2s.types.dtypes import Array

if TYPE_CHECKING:
    pass


def quantize_program(
    loaded: LoadedModel,
    samples: str | Path | Mapping[str, Array],
    *,
    method: Method,
    integer_ports: bool,
    shapes: Mapping[str, tuple[int, ...]],
) -> Quantized:
    """Quantise a program of floats: weights per output channel, activations by calibration on `samples`."""
    import torch
    import torch.ao.quantization.fx._decomposed  # pyright: ignore[reportUnusedImport]  # registers the operators

    if any("quantize" in call.target for call in loaded.program.graph.calls):
        raise InputError(f"{loaded.label}: is quantised already; quantise the program of floats it was made of")
    specs = _inputs(loaded, shapes)
    read = read_samples(samples, specs)
    progress.step("calibrating")
    attention = torch.ops.aten.scaled_dot_product_attention.default
    exported = loaded.exported.run_decompositions({attention: attention_in_products})
    module: Any = exported.module(check_guards=False)
    plan = planned(module, torch)
    quantized = inserted(plan, _ranges(plan, [_ordered(sample, specs) for sample in read], method))
    layers = _noise(plan, quantized, read, specs)
    floats = float_nodes(plan)
    examples = [torch.from_numpy(np.asarray(each, order="C")) for each in _ordered(next(iter(read)), specs)]
    if integer_ports:
        examples = without_port_pairs(quantized, examples)
    before = sum(each.numel() * each.element_size() for each in module.state_dict().values())
    program = export(quantized, examples)
    after = sum(each.numel() * each.element_size() for each in program.state_dict.values())
    return Quantized(program, method, read.count, layers, floats, before, after)


def _ranges(plan: Pairs, samples: Iterable[Sequence[Array]], method: Method) -> Mapping[str, Range]:
    """The ranges of all tensors that get a pair; those of recurrent layers widen to what their steps compute."""
    ranges = Ranges(method)
    layers = plan.recurrent.values()
    operands = [each.name for layer in layers for each in (layer.input, *layer.states)]
    for sample in samples:
        values: dict[str, Array] = {}
        _run(plan.module, sample, [*plan.names, *operands], values.__setitem__)
        for name in plan.names:
            ranges.add(name, values[name])
        for layer in layers:
            layer.observe(values[layer.input.name], [values[each.name] for each in layer.states])
    results = (each for layer in layers for each in layer.ranges_of_results().items())
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
            expected: dict[str, Array] = {}
            found: dict[str, Array] = {}
            _run(plan.module, inputs, plan.names, expected.__setitem__)
            _run(quantized, inputs, list(pairs), found.__setitem__)
            for name, value in found.items():
                yield pairs[name], expected[pairs[name]], value

    sums = compare_values(values())
    computed = {name: plan.computing(plan.nodes[name]) for name in sums}
    return tuple(
        LayerNoise(node.name, operator_name(node), name, total.decibel(), total.largest_error, total.largest_value)
        for (name, total), node in zip(sums.items(), computed.values(), strict=True)
        if node.op == "call_function" and not math.isnan(total.decibel())
    )
