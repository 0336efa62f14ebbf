"""Import LSTM, one step of a layer: `basic`, with all gates in one matrix, or `full`, as the layers over sequences are.

A basic step takes what it keeps as operands and gives it as results. Variable tensors keep it from run to run, others
hold what the caller gives them. Of `uint8` it computes in fixed point of 16 bits, with LiteRT's bits on x86 (its
reference rounds ties of rescaled negative sums down).
"""

from collections.abc import Mapping, Sequence
from math import log2

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat
from s2s.frontends.recurrent import gate_of, lstm_cell
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite.arithmetic import saturated
from s2s.frontends.tflite.fixed_point import I32, NARROW
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.recurrent import one_step
from s2s.frontends.tflite.unsigned import lowered, raised

_BASIC = 1
_X, _HIDDEN, _WEIGHTS, _BIAS, _CELL = range(5)
_ORDER = "icfo"
_INT8, _INT16 = np.dtype(np.int8), np.dtype(np.int16)
_KINDS = ("uint8", "uint8", "uint8", "int32", "int16")
"""Element types of a quantised step."""
_GATE_BITS, _CELL_BITS = 3, 4
"""Integer bits of the arguments of the gates' functions, and of the cell's state."""


def _lstm(node: Node) -> Value | Sequence[Value]:
    return _basic(node) if int(node.options.KernelType()) == _BASIC else one_step(node)


def _basic(node: Node) -> Sequence[Value]:
    """The output, the cell, the operands of the product one behind the other, and what goes into the gates."""
    if node.input_count != 5 or node.output_count != 4:
        raise node.invalid(f"has {node.input_count} operands and {node.output_count} results", "give 5 and 4")
    x, weights, bias = (node.input(position).value for position in (_X, _WEIGHTS, _BIAS))
    hidden, cell = (_kept(node, position) for position in (_HIDDEN, _CELL))
    kinds = tuple(value.dtype.name for value in (x, hidden, weights, bias, cell))
    if kinds not in (("float32",) * 5, _KINDS):
        raise node.unsupported(f"works on {', '.join(kinds)}", f"use float32, or {', '.join(_KINDS)}")
    if x.rank != 2 or cell.rank != 2 or hidden.shape != cell.shape or x.shape[0] != cell.shape[0]:
        raise node.invalid(f"input {list(x.shape)} does not fit its state {list(cell.shape)}", "fix the model")
    units = cell.shape[1]
    if weights.shape != (4 * units, x.shape[1] + units) or bias.shape != (4 * units,):
        raise node.invalid(f"weights {list(weights.shape)} do not fit {units} units", "fix the model")
    rows = concat([x, hidden], 1)
    gates = _gates(node, rows, weights, bias)
    parts = {gate: gate_of(gates, _ORDER, gate, units) for gate in _ORDER}
    if x.is_float:
        y, new = lstm_cell(node.builder, cell, lambda gate, _: parts[gate], _ORDER)
    else:
        y, new = _quantised_cell(parts, cell)
    for position, value in ((_HIDDEN, y), (_CELL, new)):
        if node.variable(position) is not None:
            node.keep(position, value)
    return [y, new, rows, gates]


def _kept(node: Node, position: int) -> Value:
    """What a variable tensor holds, or the operand itself."""
    return node.input(position).value if node.variable(position) is None else node.state(position)[0]


def _gates(node: Node, rows: Value, weights: Value, bias: Value) -> Value:
    """What goes into the functions of all gates."""
    if rows.is_float:
        return emit(graph.MatmulOp, rows, weights, transpose_b=True) + bias
    scale = node.output_type(1).scalar()[0]
    if log2(scale) != _CELL_BITS - 15:
        raise node.unsupported(f"its cell has the scale {scale:.3g}", f"use 2 ** {_CELL_BITS - 15}")
    zero_point = node.input(_WEIGHTS).scalar()[1] - 128
    products = emit(graph.MatmulOp, lowered(rows), lowered(weights), transpose_b=True, b_zp=zero_point)
    return saturated(_scaled(products + bias, node.input(_BIAS).scalar()[0] * 2.0 ** (15 - _GATE_BITS)), _INT16)


def _scaled(sums: Value, factor: float) -> Value:
    """`sums * factor` rounded twice, ties up both times as by LiteRT's products on x86."""
    multiplier, shift = quantize_multiplier(factor)
    product = fixed.high_product(fixed.saturated_left(sums, shift) if shift > 0 else sums, multiplier)
    return fixed.halves_up(product, -shift) if shift < 0 else product


def _quantised_cell(gates: Mapping[str, Value], cell: Value) -> tuple[Value, Value]:
    """As `lstm_cell`, in fixed point of 16 bits; the output is of `uint8`, 128 for zero."""
    wide = {gate: cast(value, I32) for gate, value in gates.items()}
    i, forget, o = (fixed.logistic(wide[gate], _GATE_BITS, NARROW) for gate in "ifo")
    taken = NARROW.product(i, fixed.tangent(wide["c"], _GATE_BITS, NARROW))
    new = saturated(fixed.rounded_right(taken, _CELL_BITS) + NARROW.product(forget, cast(cell, I32)), _INT16)
    seen = NARROW.saturated_left(cast(new, I32), _CELL_BITS - _GATE_BITS)
    y = NARROW.product(o, fixed.tangent(seen, _GATE_BITS, NARROW))
    return raised(saturated(fixed.rounded_right(y, 8), _INT8)), new


IMPORTERS: Mapping[str, Importer] = {"LSTM": _lstm}
