"""Quantise GRU and LSTM of ONNX, which onnxruntime's quantiser leaves in floats.

    y = GRU(x, W, R, B)
->
    p = QuantizeLinear(MatMul(x, W) + B)        all steps at once
    h, y = Scan(h0, p)                          a step in QDQ form: `s2s/quantization/recurrent_cells.py`

Weights have 8 bits and a scale for each gate and unit, activations and states 8 bits. The ranges are those of a run in
floats on the samples. Left in floats: layers with other activations, clipping, peepholes, lengths of sequences, or
weights that are no constants.
"""
# onnxruntime has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from s2s.quantization.floats import networks
from s2s.quantization.noise import session
from s2s.quantization.onnx_writer import NodeWriter, quantized_array
from s2s.quantization.recurrent_cells import (
    GATES,
    Direction,
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

FUNCTIONS = {"GRU": [b"Sigmoid", b"Tanh"], "LSTM": [b"Sigmoid", b"Tanh", b"Tanh"]}
WEIGHTS, LENGTHS, PEEPHOLES = slice(1, 4), 4, 7
STATES: Mapping[str, Sequence[int]] = {"GRU": (5,), "LSTM": (5, 6)}
"""The inputs that hold initial states."""


@frozen
class Layer:
    """A recurrent node whose steps can be quantised."""

    node: onnx.NodeProto
    directions: tuple[Direction, ...]
    backward: tuple[bool, ...]

    @property
    def states(self) -> list[str]:
        """The names of the initial states; empty for zeros."""
        names = list(self.node.input)
        return [names[at] if at < len(names) else "" for at in STATES[self.node.op_type]]


def quantize_recurrent(
    real: onnx.ModelProto, quantized: onnx.ModelProto, samples: Iterable[Mapping[str, Array]]
) -> None:
    """Replace the recurrent layers of `quantized`, which `real` has in floats, by scans of integers."""
    layers = list(_layers(real))
    if not layers:
        return
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in real.graph.initializer}
    observed = _observed(real, layers, samples, constants)
    nodes = list(quantized.graph.node)
    del quantized.graph.node[:]
    by_name = {layer.node.output[0]: (layer, ranges) for layer, ranges in zip(layers, observed, strict=True)}
    for node in nodes:
        counterpart = by_name.get(node.output[0]) if node.op_type in GATES else None
        if counterpart is None:
            quantized.graph.node.append(node)
            continue
        writer = NodeWriter(node.name or node.output[0])
        _write_layer(writer, node, *counterpart, constants)
        quantized.graph.node.extend(writer.nodes)
        quantized.graph.initializer.extend(writer.constants)
    _drop_unread(quantized)


def _layers(model: onnx.ModelProto) -> Iterator[Layer]:
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type not in GATES or node.domain:
            continue
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        names = [*node.input, *[""] * (PEEPHOLES + 1 - len(node.input))]
        count = 2 if attributes.get("direction") == b"bidirectional" else 1
        plain = attributes.get("activations") in (None, FUNCTIONS[node.op_type] * count)
        odd = {"clip", "activation_alpha", "activation_beta"} & set(attributes)
        asked = attributes.get("layout", 0) or attributes.get("input_forget", 0) or names[LENGTHS] or names[PEEPHOLES]
        if odd or asked or not plain or any(name and name not in constants for name in names[WEIGHTS]):
            continue
        w, r, b = (numpy_helper.to_array(constants[name]) if name else None for name in names[WEIGHTS])
        if w is None or r is None or w.dtype != np.float32:
            continue
        after = node.op_type == "LSTM" or bool(attributes.get("linear_before_reset", 0))
        parts = [
            direction(node.op_type, w[at], r[at], None if b is None else b[at], resets_after=after)
            for at in range(len(w))
        ]
        first = attributes.get("direction", b"forward") == b"reverse"
        yield Layer(node, tuple(parts), (first, True)[: len(parts)])


def _observed(
    model: onnx.ModelProto,
    layers: Sequence[Layer],
    samples: Iterable[Mapping[str, Array]],
    constants: Mapping[str, Array],
) -> list[list[tuple[Ranges, int]]]:
    """Return the ranges of each direction of each layer, with the batch of its sequences."""
    wanted = list(dict.fromkeys(name for layer in layers for name in (layer.node.input[0], *layer.states) if name))
    inputs = {value.name for value in model.graph.input}
    computed = [name for name in wanted if name not in constants and name not in inputs]
    run = session(model, computed)
    observed: list[list[tuple[Ranges, int]]] = [[({}, 0) for _ in layer.directions] for layer in layers]
    for sample in samples:
        results: list[Array] = run.run(computed, dict(sample)) if computed else []
        values: dict[str, Array] = {**constants, **sample, **dict(zip(computed, results, strict=True))}
        for layer, ranges in zip(layers, observed, strict=True):
            x = values[layer.node.input[0]]
            for at, part in enumerate(layer.directions):
                begin = [
                    values[name][at] if name else np.zeros((x.shape[1], part.units), np.float32)
                    for name in layer.states
                ]
                observe(part, x[::-1] if layer.backward[at] else x, begin, ranges[at][0])
                ranges[at] = ranges[at][0], x.shape[1]
    return observed


def _write_layer(
    o: NodeWriter,
    node: onnx.NodeProto,
    layer: Layer,
    observed: Sequence[tuple[Ranges, int]],
    constants: Mapping[str, Array],
) -> None:
    """Write a layer in place of `node`, whose inputs may have other names than in the model of floats."""
    sequences: list[str] = []
    ends: list[list[str]] = [[] for _ in layer.states]
    for at, (ranges, batch) in enumerate(observed):
        part, scales = layer.directions[at], scales_of(ranges)
        x = o.rounded(node.input[0], scales["x"])
        p = o.quantize(o.product(x, quantised_product(scales["x"], part.inputs, part.bias)), scales["projected"])
        kinds = ["h", "c"][: len(layer.states)]
        begin: list[str] = []
        for n, (kind, name) in enumerate(zip(kinds, layer.states, strict=True)):
            initial = constants.get(name) if name else np.zeros((at + 1, batch, part.units), np.float32)
            if initial is not None:
                begin.append(o.constant(quantized_array(initial[at], scales[kind]), np.int8, kind))
                continue
            gathered = o.add("Gather", node.input[STATES[node.op_type][n]], o.constant(at, np.int64), axis=0)
            begin.append(o.quantize(gathered, scales[kind]))
        body, last = _body(o.name("step"), part, scales, batch), [o.name("last") for _ in kinds]
        ys, way = o.name("sequence"), [int(layer.backward[at])]
        o.nodes.append(
            helper.make_node(
                "Scan", [*begin, p], [*last, ys], name=ys, body=body, num_scan_inputs=1, scan_input_directions=way,
                scan_output_directions=way,
            )
        )  # fmt: skip
        sequences.append(o.add("Unsqueeze", o.dequantize(ys, scales["h"]), o.constant([1], np.int64)))
        for n, kind in enumerate(kinds):
            ends[n].append(o.add("Unsqueeze", o.dequantize(last[n], scales[kind]), o.constant([0], np.int64)))
    for out, parts, axis in zip(node.output, [sequences, *ends], [1, 0, 0], strict=False):
        if out:
            o.add("Concat", *parts, axis=axis, out=out)


def _body(name: str, layer: Direction, scales: Mapping[str, float], batch: int) -> onnx.GraphProto:
    b = NodeWriter(name)
    begin = [f"{name}/{state}" for state in ("h", "c")[: len(STATES[layer.operator])]]
    ends = write_step(b, layer.cell, step_products(layer, scales), scales, f"{name}/p", begin)
    put = b.add("Identity", ends[0])
    shape = [batch, layer.units]
    inputs = [*((state, shape) for state in begin), (f"{name}/p", [batch, layer.inputs.shape[1]])]
    return helper.make_graph(
        b.nodes,
        name,
        [helper.make_tensor_value_info(port, TensorProto.INT8, sizes) for port, sizes in inputs],
        [helper.make_tensor_value_info(port, TensorProto.INT8, shape) for port in (*ends, put)],
        b.constants,
    )


def _drop_unread(model: onnx.ModelProto) -> None:
    """Drop constants that no node reads any more."""
    read = {name for network in networks(model.graph) for node in network.node for name in node.input}
    read |= {value.name for value in model.graph.output}
    kept = [tensor for tensor in model.graph.initializer if tensor.name in read]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
