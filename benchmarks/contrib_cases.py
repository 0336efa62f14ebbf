"""Cases of com.microsoft's operators: one node each, with operands, for tests and for the page of support."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.types.dtypes import Array

RNG = np.random.default_rng(0)


class Case(NamedTuple):
    """A node, its operands (None is left out), and which of its outputs are read."""

    kind: str
    operands: Sequence[Array | None]
    attributes: Mapping[str, Any]
    outputs: Sequence[str] = ("y",)
    domain: str = "com.microsoft"
    known: tuple[int, ...] = ()
    """The operands that are initializers."""
    stated: int | None = None
    """How many rows of outputs with four dimensions the operator states; behind them may be anything."""


def floats(*shape: int) -> Array:
    """Random numbers of a normal distribution."""
    return RNG.standard_normal(shape).astype(np.float32)


def integers(low: int, high: int, dtype: type[np.generic], *shape: int) -> Array:
    """Random integers from `low` to below `high`."""
    return RNG.integers(low, high, shape).astype(dtype)


def angles(count: int, half: int) -> list[Array]:
    """The cosines and sines by which positions are rotated."""
    turns = np.arange(count)[:, None] * np.linspace(0.1, 1, half)
    return [np.cos(turns).astype(np.float32), np.sin(turns).astype(np.float32)]


def real(number: float) -> Array:
    """One float."""
    return np.array(number, np.float32)


def grouped(length: int, total: int, lengths: Sequence[int], cache: int = 0, *, packed: bool = False) -> Case:
    """New keys of 2 heads of 16 numbers, for 4 heads of queries, behind the keys in a cache with room for `cache`."""
    batch = len(lengths)
    parts: list[Array | None] = [floats(batch, length, count * 16) for count in (4, 2, 2)]
    if packed:
        parts = [floats(batch, length, 128), None, None]
    past = [floats(batch, 2, cache, 16) if cache else None for _ in range(2)]
    tables = angles(16, 8) if packed else []
    operands = [*parts, *past, np.array(lengths, np.int32) - 1, np.array(total, np.int32), *tables]
    attributes = {"num_heads": 4, "kv_num_heads": 2, "do_rotary": int(packed)}
    return Case("GroupQueryAttention", operands, attributes, ("y", "keys", "values"), known=(6,))


QKV = [floats(2, 5, 12), floats(2, 7, 12), floats(2, 7, 12)]
MASK = np.array([[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 1, 1, 1]], np.int32)
SELF_MASK = MASK[:, :5].copy()
LSTM = (1, 2, 8, 9, 10, 11)
X, ROW = floats(2, 5, 12), floats(12)
TURNED, PLACES = floats(2, 5, 24), np.array([[0, 1, 2, 3, 4], [3, 4, 5, 6, 7]])
BYTES, WEIGHTS = integers(0, 256, np.uint8, 4, 12), integers(-128, 128, np.int8, 12, 6)
REDUCED = (WEIGHTS >> 1).astype(np.int8)
"""Weights of 7 bits, of which onnxruntime saturates no sum of two products on processors without VNNI."""
FROM_THREE = np.array([3], np.int64)
ZEROS = [np.array(7, np.uint8), np.array(-3, np.int8)]
CASES: dict[str, Case] = {
    "Gelu": Case("Gelu", [X], {}),
    "BiasGelu": Case("BiasGelu", [X, ROW], {}),
    "FastGelu": Case("FastGelu", [X], {}),
    "FastGelu of a sum": Case("FastGelu", [X, ROW], {}),
    "QuickGelu": Case("QuickGelu", [X], {"alpha": 1.5}),
    "FusedMatMul": Case("FusedMatMul", [floats(2, 6, 4), floats(2, 5, 6)], {"alpha": 0.5, "transA": 1, "transB": 1}),
    "FusedGemm": Case(
        "FusedGemm",
        [floats(3, 4), floats(4, 5), floats(5)],
        {"alpha": 0.5, "beta": 2.0, "activation": "LeakyRelu", "activation_alpha": 0.2},
    ),
    "FusedConv": Case(
        "FusedConv",
        [floats(1, 3, 6, 6), floats(4, 3, 3, 3), floats(4), floats(1, 4, 6, 6)],
        {"activation": "Relu", "pads": [1] * 4, "kernel_shape": [3, 3]},
    ),
    "FusedConv clipped": Case(
        "FusedConv",
        [floats(1, 3, 6, 6), floats(4, 3, 3, 3), floats(4)],
        {"activation": "Clip", "activation_params": [-0.5, 0.75], "strides": [2, 2]},
    ),
    "SkipLayerNormalization": Case("SkipLayerNormalization", [X, floats(2, 5, 12), ROW, floats(12), floats(12)], {}),
    "SkipLayerNormalization and sum": Case(
        "SkipLayerNormalization", [X, floats(2, 5, 12), ROW], {"epsilon": 1e-3}, ("y", "", "", "total")
    ),
    "SkipSimplifiedLayerNormalization": Case(
        "SkipSimplifiedLayerNormalization", [X, floats(2, 5, 12), ROW, floats(12)], {}, ("y", "", "", "total")
    ),
    "SimplifiedLayerNormalization": Case("SimplifiedLayerNormalization", [X, ROW], {"axis": -1}, domain=""),
    "MultiHeadAttention": Case("MultiHeadAttention", QKV, {"num_heads": 3}),
    "MultiHeadAttention with biases": Case(
        "MultiHeadAttention", [*QKV, floats(36), None, floats(2, 3, 5, 7)], {"num_heads": 3, "scale": 0.3}
    ),
    "MultiHeadAttention with a mask": Case("MultiHeadAttention", [*QKV, None, MASK], {"num_heads": 3}),
    "Attention": Case("Attention", [X, floats(12, 36), floats(36)], {"num_heads": 3}),
    "Attention of one direction": Case(
        "Attention", [X, floats(12, 36), floats(36), SELF_MASK], {"num_heads": 3, "unidirectional": 1}
    ),
    "GroupQueryAttention to a prompt": grouped(5, 5, [5, 5]),
    "GroupQueryAttention to a full cache": grouped(1, 7, [7], 6, packed=True),
    "GroupQueryAttention to several tokens": grouped(3, 9, [9], 6, packed=True),
    "GroupQueryAttention to a cache with room": grouped(1, 6, [6, 4], 8)._replace(stated=4),
    "GroupQueryAttention in a window": grouped(1, 7, [7, 7], 6)._replace(
        attributes={"num_heads": 4, "kv_num_heads": 2, "local_window_size": 3, "softcap": 2.0, "scale": 0.5}
    ),
    "RotaryEmbedding": Case("RotaryEmbedding", [TURNED, PLACES, *angles(8, 4)], {}),
    "RotaryEmbedding from an offset": Case(
        "RotaryEmbedding", [TURNED, FROM_THREE, *angles(8, 4)], {"interleaved": 1}
    ),
    "RotaryEmbedding of heads": Case("RotaryEmbedding", [floats(2, 3, 5, 8), PLACES, *angles(8, 4)], {}),
    "DynamicQuantizeMatMul": Case(
        "DynamicQuantizeMatMul", [floats(4, 12), REDUCED, real(0.05), ZEROS[1], floats(6)], {}
    ),
    "MatMulIntegerToFloat": Case(
        "MatMulIntegerToFloat", [BYTES, REDUCED, real(0.1), real(0.05), *ZEROS, floats(6)], {}
    ),
    "NhwcMaxPool": Case(
        "NhwcMaxPool", [integers(-128, 128, np.int8, 1, 7, 6, 3)], {"kernel_shape": [3, 2], "strides": [2, 1]}
    ),
}  # fmt: skip

_TABLE = integers(-128, 128, np.int8, 9, 32)
_HALVES = integers(0, 256, np.uint8, 9, 16)
_IMAGE = floats(1, 6, 5, 4)
_WORDS = integers(0, 9, np.int32, 2, 5)
_TWO = integers(0, 2, np.int32, 2, 5)
_EMBEDDED = [_WORDS, _TWO, floats(9, 8), floats(6, 8), floats(2, 8), floats(8), floats(8)]


def _quantised(*shape: int) -> list[Array]:
    return [integers(0, 256, np.uint8, *shape), real(0.05), np.array(120, np.uint8)]


def _lstm(batch: int, directions: int, *, per_gate: bool = False) -> list[Array | None]:
    """Six steps of four numbers, a state of five."""
    size = (directions, 20) if per_gate else (directions,)
    scale = [RNG.uniform(0.01, 0.02, size).astype(np.float32) for _ in range(2)]
    weights = [integers(-128, 128, np.int8, directions, rows, 20) for rows in (4, 5)]
    zeros = np.zeros(size, np.int8)
    operands = [floats(6, batch, 4), *weights, floats(directions, 40), None]
    states = [floats(directions, batch, 5), floats(directions, batch, 5), floats(directions, 15)]
    return [*operands, *states, scale[0], zeros, scale[1], zeros]


def _channels_last(channels_last: int) -> Case:
    shape = (2, 7, 6, 4) if channels_last else (2, 4, 7, 6)
    scales = RNG.uniform(0.001, 0.01, 6).astype(np.float32)
    weights = [integers(-127, 128, np.int8, 6, 4, 3, 3), scales, np.zeros(6, np.int8)]
    operands = [*_quantised(*shape), *weights, real(0.1), np.array(100, np.uint8), integers(-999, 999, np.int32, 6)]
    attributes = {"channels_last": channels_last, "pads": [1, 0, 1, 1], "strides": [2, 1], "kernel_shape": [3, 3]}
    return Case("QLinearConv", operands, attributes, known=(1, 2, 3, 4, 5, 6, 7, 8))


CASES.update({
    "QLinearConv": _channels_last(0),
    "QLinearConv with channels last": _channels_last(1),
    "QLinearAveragePool with channels last": Case(
        "QLinearAveragePool",
        [*_quantised(2, 7, 6, 3), real(0.0413), np.array(110, np.uint8)],
        {"channels_last": 1, "kernel_shape": [3, 2], "strides": [2, 1]},
        known=(1, 2, 3, 4),
    ),
    "QLinearGlobalAveragePool with channels last": Case(
        "QLinearGlobalAveragePool",
        [*_quantised(2, 7, 6, 3), real(0.0413), np.array(110, np.uint8)],
        {"channels_last": 1},
        known=(1, 2, 3, 4),
    ),
    "QLinearWhere": Case(
        "QLinearWhere",
        [
            integers(0, 2, np.bool_, 3, 4),
            *_quantised(3, 4),
            *_quantised(1, 4),
            *(real(0.07), np.array(100, np.uint8)),
        ],
        {},
        known=(2, 3, 5, 6, 7, 8),
    ),
    "DynamicQuantizeLSTM": Case("DynamicQuantizeLSTM", _lstm(1, 1), {"hidden_size": 5}, ("y", "h", "c"), known=LSTM),
    "DynamicQuantizeLSTM of gates, both ways": Case(
        "DynamicQuantizeLSTM",
        _lstm(1, 2, per_gate=True),
        {"hidden_size": 5, "direction": "bidirectional"},
        ("y", "h", "c"),
        known=LSTM,
    ),
    "MultiHeadAttention with a cache": Case(
        "MultiHeadAttention",
        [*(floats(2, 5, 12) for _ in range(3)), None, None, None, floats(2, 3, 6, 4), floats(2, 3, 6, 4)],
        {"num_heads": 3},
        ("y", "keys", "values"),
    ),
    "Attention with a cache": Case(
        "Attention",
        [X, floats(12, 36), floats(36), None, floats(2, 2, 3, 6, 4)],
        {"num_heads": 3, "unidirectional": 1},
        ("y", "present"),
    ),
    "Attention of rows with ends": Case(
        "Attention", [X, floats(12, 36), floats(36), np.array([3, 5], np.int32)], {"num_heads": 3}
    ),
    "Attention of rows with starts and ends": Case(
        "Attention", [X, floats(12, 36), floats(36), np.array([3, 5, 1, 0], np.int32)], {"num_heads": 3}
    ),
    "Attention with a mask of queries": Case(
        "Attention", [X, floats(12, 36), floats(36), integers(0, 2, np.int32, 2, 5, 5)], {"num_heads": 3}
    ),
    "QAttention": Case(
        "QAttention",
        [
            *(integers(0, 256, np.uint8, 2, 5, 12), integers(-128, 128, np.int8, 12, 36), floats(36)),
            *(real(0.02), real(0.01), SELF_MASK, np.array(120, np.uint8), np.array(0, np.int8)),
        ],
        {"num_heads": 3},
        known=(1, 3, 4, 6, 7),
    ),
    "EmbedLayerNormalization": Case("EmbedLayerNormalization", _EMBEDDED, {}, ("y", "mask", "total")),
    "EmbedLayerNormalization with a mask": Case(
        "EmbedLayerNormalization",
        [*_EMBEDDED, SELF_MASK, integers(0, 6, np.int32, 2, 5)],
        {"epsilon": 1e-3},
        ("y", "mask"),
    ),
    "EmbedLayerNormalization without segments": Case(
        "EmbedLayerNormalization", [_WORDS, None, *_EMBEDDED[2:4], None, *_EMBEDDED[5:]], {}, ("y", "mask")
    ),
    "QEmbedLayerNormalization": Case(
        "QEmbedLayerNormalization",
        [
            *(_WORDS, _TWO, *(integers(0, 256, np.uint8, rows, 8) for rows in (9, 6, 2))),
            *(integers(0, 256, np.uint8, 8), integers(0, 256, np.uint8, 8), SELF_MASK),
            *(real(number) for number in (0.1, 0.2, 0.15, 0.02, 0.03)),
            *(np.array(number, np.uint8) for number in (120, 130, 125, 7, 140)),
        ],
        {},
        ("y", "mask"),
        known=tuple(range(2, 7)) + tuple(range(8, 18)),
    ),
    "GatherBlockQuantized of nibbles": Case(
        "GatherBlockQuantized",
        [_HALVES, integers(0, 9, np.int64, 2, 3), RNG.uniform(0.1, 1, (9, 2)).astype(np.float32)],
        {"block_size": 16, "bits": 4},
        known=(0, 2),
    ),
    "GatherBlockQuantized of bytes": Case(
        "GatherBlockQuantized",
        [
            *(_TABLE.view(np.uint8), integers(-9, 9, np.int64, 4)),
            *(RNG.uniform(0.1, 1, (9, 2)).astype(np.float32), integers(100, 150, np.uint8, 9, 2)),
        ],
        {"block_size": 16, "bits": 8},
        known=(0, 2, 3),
    ),
    "MatMulBnb4 of NF4": Case(
        "MatMulBnb4",
        [floats(3, 32), integers(0, 256, np.uint8, 5 * 32 // 2), RNG.uniform(0.1, 1, 10).astype(np.float32)],
        {"K": 32, "N": 5, "block_size": 16, "quant_type": 1},
        known=(1, 2),
    ),
    "MatMulBnb4 of FP4": Case(
        "MatMulBnb4",
        [floats(3, 32), integers(0, 256, np.uint8, 5 * 32 // 2), RNG.uniform(0.1, 1, 10).astype(np.float32)],
        {"K": 32, "N": 5, "block_size": 16, "quant_type": 0},
        known=(1, 2),
    ),
    "ScaledSiLU": Case("ScaledSiLU", [X], {"alpha": 1.5}),
    "GatedAdd": Case("GatedAdd", [X, floats(2, 5, 12), floats(2, 5, 1)], {}),
    "GatedRMSNorm": Case("GatedRMSNorm", [X, floats(6), floats(2, 5, 12)], {"activation": "sigmoid"}),
    "MatMulInteger16": Case(
        "MatMulInteger16", [integers(-99, 99, np.int16, 3, 4), integers(-99, 99, np.int16, 4, 5)], {}
    ),
    "TransposeMatMul": Case("TransposeMatMul", [floats(6, 4), floats(6, 5)], {"alpha": 0.5, "transA": 1}),
    "ExpandDims": Case("ExpandDims", [X, np.array(1, np.int32)], {}, known=(1,)),
    "GatherND": Case("GatherND", [X, integers(0, 2, np.int64, 3, 2)], {}),
    "GridSample": Case("GridSample", [_IMAGE, RNG.uniform(-1, 1, (1, 3, 4, 2)).astype(np.float32)], {}),
    "Pad": Case("Pad", [X, np.array([0, 1, 2, 0, 3, 1]), real(0.5)], {}, known=(1, 2)),
    "Range": Case("Range", [np.array(2, np.int64), np.array(9, np.int64)], {}, known=(0, 1)),
    "Trilu": Case("Trilu", [X, np.array(1)], {"upper": 0}, known=(1,)),
})  # fmt: skip


_PROBABILITY = [real(1 / 256), np.array(0, np.uint8)]
_RESULT = [real(0.0413), np.array(110, np.uint8)]
_BLOCKS = integers(0, 256, np.uint8, 6, 2, 8)
CASES.update({
    name: Case(name, [*_quantised(3, 4, 5), *_quantised(4, 1), *_RESULT], {}, known=(1, 2, 4, 5, 6, 7))
    for name in ("QLinearAdd", "QLinearMul")
})  # fmt: skip
CASES.update({
    "QLinearSigmoid": Case("QLinearSigmoid", [*_quantised(60), *_PROBABILITY], {}, known=(1, 2, 3, 4)),
    "QLinearLeakyRelu": Case("QLinearLeakyRelu", [*_quantised(60), *_RESULT], {"alpha": 0.1}, known=(1, 2, 3, 4)),
    "QLinearSoftmax": Case(
        "QLinearSoftmax", [*_quantised(6, 9), *_PROBABILITY], {"axis": -1, "opset": 13}, known=(1, 2, 3, 4)
    ),
    "QLinearReduceMean": Case(
        "QLinearReduceMean", [*_quantised(3, 4, 5), *_RESULT], {"axes": [1], "keepdims": 0}, known=(1, 2, 3, 4)
    ),
    "QLinearConcat": Case(
        "QLinearConcat", [*_RESULT, *_quantised(2, 3), *_quantised(2, 4)], {"axis": 1}, known=(0, 1, 3, 4, 6, 7)
    ),
    "QGemm": Case(
        "QGemm",
        [*_quantised(3, 12), WEIGHTS, real(0.05), ZEROS[1], integers(-999, 999, np.int32, 6), *_RESULT],
        {},
        known=tuple(range(1, 9)),
    ),
    "QuantizeLinear": Case("QuantizeLinear", [X, real(0.05), np.array(7, np.int16)], {}, known=(1, 2)),
    "DequantizeLinear": Case("DequantizeLinear", [BYTES, real(0.05), ZEROS[0]], {}, known=(1, 2)),
    "MatMulNBits": Case(
        "MatMulNBits",
        [floats(3, 32), _BLOCKS, RNG.uniform(0.1, 1, (6, 2)).astype(np.float32)],
        {"K": 32, "N": 6, "bits": 4, "block_size": 16},
        known=(1, 2),
    ),
})  # fmt: skip


WITHOUT_KERNEL = frozenset(["QLinearReduceMean"])
"""Operators of the cases that onnxruntime runs on accelerators alone."""


def model(case: Case) -> onnx.ModelProto:
    """The network of one node."""
    names = [f"x{number}" if operand is not None else "" for number, operand in enumerate(case.operands)]
    node = helper.make_node(case.kind, names, case.outputs, name="node", domain=case.domain, **case.attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(operand.dtype), operand.shape)
        for place, (name, operand) in enumerate(zip(names, case.operands, strict=True))
        if operand is not None and place not in case.known
    ]
    known = [numpy_helper.from_array(np.asarray(case.operands[place]), names[place]) for place in case.known]
    outputs = [onnx.ValueInfoProto(name=name) for name in case.outputs if name]
    graph = helper.make_graph([node], "one", inputs, outputs, known)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)
