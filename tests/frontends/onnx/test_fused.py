"""Operators that onnxruntime's optimiser makes of several: the numbers of onnxruntime."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx import helper, numpy_helper

from s2s.errors import UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph
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
    return RNG.standard_normal(shape).astype(np.float32)


def integers(low: int, high: int, dtype: type[np.generic], *shape: int) -> Array:
    return RNG.integers(low, high, shape).astype(dtype)


def angles(count: int, half: int) -> list[Array]:
    turns = np.arange(count)[:, None] * np.linspace(0.1, 1, half)
    return [np.cos(turns).astype(np.float32), np.sin(turns).astype(np.float32)]


def real(number: float) -> Array:
    return np.array(number, np.float32)


def grouped(length: int, total: int, lengths: Sequence[int], cache: int = 0, *, packed: bool = False) -> Case:
    """New keys of 2 heads of 16 numbers, for 4 heads of queries, behind those in a cache with room for `cache`."""
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
X, ROW = floats(2, 5, 12), floats(12)
TURNED, PLACES = floats(2, 5, 24), np.array([[0, 1, 2, 3, 4], [3, 4, 5, 6, 7]])
BYTES, WEIGHTS = integers(0, 256, np.uint8, 4, 12), integers(-128, 128, np.int8, 12, 6)
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
        "DynamicQuantizeMatMul", [floats(4, 12), WEIGHTS, real(0.05), ZEROS[1], floats(6)], {}
    ),
    "MatMulIntegerToFloat": Case(
        "MatMulIntegerToFloat", [BYTES, WEIGHTS, real(0.1), real(0.05), *ZEROS, floats(6)], {}
    ),
    "NhwcMaxPool": Case(
        "NhwcMaxPool", [integers(-128, 128, np.int8, 1, 7, 6, 3)], {"kernel_shape": [3, 2], "strides": [2, 1]}
    ),
}  # fmt: skip


def model(case: Case) -> onnx.ModelProto:
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


@pytest.mark.parametrize("name", CASES)
def test_gives_the_numbers_of_onnxruntime(name: str):
    case = CASES[name]
    proto = model(case)
    inputs = [each for place, each in enumerate(case.operands) if each is not None and place not in case.known]
    imported = import_model(proto)
    found = run_graph(imported.module, inputs, imported.weights)
    runtime: Any = onnxruntime
    session = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {port.name: x for port, x in zip(session.get_inputs(), inputs, strict=True)})
    for ours, theirs in zip(found, expected, strict=True):
        stated = np.s_[:, :, : case.stated] if ours.ndim == 4 else ...
        np.testing.assert_allclose(ours[stated], theirs[stated], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (Case("MultiHeadAttention", [floats(1, 4, 3, 3, 4)], {"num_heads": 3}), "are packed"),
        (Case("FusedMatMul", [floats(2, 6, 4), floats(2, 4, 5)], {"transBatchA": 1}), "batches are transposed"),
        (Case("FusedGemm", [floats(3, 4), floats(4, 5)], {"activation": "Softplus"}), "has the activation 'Softplus'"),
        (
            grouped(1, 7, [7], 6)._replace(attributes={"num_heads": 4, "kv_num_heads": 2, "smooth_softmax": 1}),
            "attribute 'smooth_softmax' is 1",
        ),
        (Case("SkipLayerNormalization", [X, X, ROW], {}, ("y", "mean")), "mean and deviation are used"),
    ],
)
def test_what_is_not_supported_is_refused(case: Case, reason: str):
    with pytest.raises(UnsupportedError, match=reason):
        import_model(model(case))
