"""Operators that onnxruntime's optimiser makes of several: the numbers of onnxruntime."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest

from benchmarks.contrib_cases import CASES, WITHOUT_KERNEL, Case, X, floats, grouped, integers, model, real
from s2s.errors import UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import with_unsigned_weights
from support.threads import one_thread

ENDS = np.array([3, 5, 1], np.int32)
WORDS = integers(0, 255, np.uint8, 9, 16)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.kind not in WITHOUT_KERNEL])
def test_gives_the_numbers_of_onnxruntime(name: str):
    case = CASES[name]
    proto = model(case)
    inputs = [each for place, each in enumerate(case.operands) if each is not None and place not in case.known]
    imported = import_model(proto)
    found = run_graph(imported.module, inputs, imported.weights)
    runtime: Any = onnxruntime
    unsigned = with_unsigned_weights(proto).SerializeToString()
    session = runtime.InferenceSession(unsigned, one_thread(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {port.name: x for port, x in zip(session.get_inputs(), inputs, strict=True)})
    for ours, theirs in zip(found, expected, strict=True):
        stated = np.s_[:, :, : case.stated] if ours.ndim == 4 else ...
        np.testing.assert_allclose(ours[stated], theirs[stated], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (Case("MultiHeadAttention", [X, X, X], {"num_heads": 3}, ("y", "k", "v", "scores")), "gives its scores"),
        (Case("Attention", [X, floats(12, 36), floats(36), ENDS], {"num_heads": 3}), r"its mask has shape \[3\]"),
        (
            Case("GatherBlockQuantized", [WORDS, ENDS, floats(1, 9)], {"quantize_axis": 0}, known=(0, 2)),
            "gathers along the axis of its blocks",
        ),
        (Case("FusedMatMul", [floats(2, 6, 4), floats(2, 4, 5)], {"transBatchA": 1}), "batches are transposed"),
        (Case("FusedGemm", [floats(3, 4), floats(4, 5)], {"activation": "Softplus"}), "has the activation 'Softplus'"),
        (
            grouped(1, 7, [7], 6)._replace(attributes={"num_heads": 4, "kv_num_heads": 2, "smooth_softmax": 1}),
            "attribute 'smooth_softmax' is 1",
        ),
        (Case("SkipLayerNormalization", [X, X, floats(12)], {}, ("y", "mean")), "mean and deviation are used"),
    ],
)
def test_what_is_not_supported_is_refused(case: Case, reason: str):
    with pytest.raises(UnsupportedError, match=reason):
        import_model(model(case))


def by_numpy(case: Case, expected: Array | Sequence[Array]) -> None:
    """Compare with what the documentation of an operator states; onnxruntime has no CPU kernel for it."""
    proto = model(case)
    inputs = [each for place, each in enumerate(case.operands) if each is not None and place not in case.known]
    imported = import_model(proto)
    found = run_graph(imported.module, inputs, imported.weights)
    wanted = [expected] if isinstance(expected, np.ndarray) else expected
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def sigmoid(x: Array) -> Array:
    return np.float32(1) / (np.float32(1) + np.exp(-x))


def gelu(x: Array) -> Array:
    erf = np.vectorize(math.erf, otypes=[np.float32])
    return x * np.float32(0.5) * (1 + erf(x / np.float32(math.sqrt(2))))


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("packed", ["all", "keys"])
def test_packed_operands_of_attention_are_taken_apart(packed: str):
    q, k, v = (floats(2, 5, 3, 4) for _ in range(3))
    expected = np.einsum("bsnt,btnh->bsnh", softmax(np.einsum("bsnh,btnh->bsnt", q, k) / 2), v).reshape(2, 5, 12)
    if packed == "all":
        operands = [np.stack([q, k, v], axis=3)]
    else:
        operands = [q.reshape(2, 5, 12), np.stack([k, v], axis=3)]
    by_numpy(Case("MultiHeadAttention", operands, {"num_heads": 3}), expected)


def test_sums_before_an_activation():
    x, bias, skip = floats(2, 5, 12), floats(12), floats(2, 5, 12)
    by_numpy(Case("BiasAdd", [x, bias, skip], {}), x + bias + skip)
    by_numpy(Case("BiasSplitGelu", [x, bias], {}), (x + bias)[..., :6] * gelu((x + bias)[..., 6:]))
    by_numpy(Case("BiasDropout", [x, bias, skip], {}), x + bias + skip)
    gate, weight = floats(2, 5, 7), floats(7, 1)
    by_numpy(Case("GatedAdd", [x, skip, gate, weight], {}), x + skip * sigmoid(gate @ weight))


def test_products_without_a_kernel_for_cpus():
    x, w, bias = floats(2, 5, 12), floats(12, 6), floats(6)
    product = x @ w + bias
    inner = np.float32(math.sqrt(2 / math.pi)) * (product + np.float32(0.044715) * product**3)
    by_numpy(Case("GemmFastGelu", [x, w, bias], {}), product * np.float32(0.5) * (1 + np.tanh(inner)))
    a, b = integers(-128, 128, np.int8, 3, 4), integers(-128, 128, np.int8, 4)
    zero = np.array(3, np.int8)
    by_numpy(Case("MulInteger", [a, zero, b], {}), (a.astype(np.int32) - 3) * b.astype(np.int32))
    sums = a.sum(axis=1, keepdims=True, dtype=np.int32)
    by_numpy(Case("ReduceSumInteger", [a], {"axes": [1], "keepdims": 1}), sums)


@pytest.mark.parametrize("inner", [0, 1])
def test_softmax_of_a_sum(inner: int):
    x = floats(2, 3, 5, 7)
    bias = floats(2, 1, 1, 7) if inner else floats(1, 3, 5, 7)
    case = Case("BiasSoftmax", [x, bias], {"axis": 3, "is_inner_broadcast": inner})
    by_numpy(case, softmax(x + bias))


def test_group_norm_with_channels_last():
    x, skip, scale, shift = floats(2, 4, 3, 6), floats(2, 4, 3, 6), floats(6), floats(6)

    def normalised(total: Array) -> Array:
        apart = total.reshape(2, 12, 3, 2)
        spread = apart - apart.mean(axis=(1, 3), keepdims=True)
        y = spread / np.sqrt((spread**2).mean(axis=(1, 3), keepdims=True) + np.float32(1e-5))
        return y.reshape(x.shape) * scale + shift

    y = normalised(x)
    by_numpy(Case("GroupNorm", [x, scale, shift], {"groups": 3, "activation": 1}), y * sigmoid(y))
    expected = [normalised(x + skip), x + skip]
    case = Case("SkipGroupNorm", [x, scale, shift, skip], {"groups": 3, "activation": 0}, ("y", "total"))
    by_numpy(case, expected)


def test_convolutions_with_channels_last():
    x, w, added = floats(1, 6, 5, 3), floats(4, 3, 3, 3), floats(1, 4, 3, 4)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    y = np.einsum("nhwckl,ockl->nhwo", windows, w)
    by_numpy(Case("NhwcFusedConv", [x, w, None, added], {"activation": "Relu"}), np.maximum(y + added, 0))
    by_numpy(Case("NhwcConv", [x, np.asarray(w.transpose(0, 2, 3, 1), order="C")], {}), y)


def test_mean_of_quantised_elements():
    x = integers(0, 256, np.uint8, 3, 4, 5)
    operands = [x, real(0.05), np.array(120, np.uint8), real(0.0313), np.array(90, np.uint8)]
    mean: Array = ((x.astype(np.float32) - 120) * np.float32(0.05)).mean(axis=1)
    expected: Array = np.clip(np.round(mean / np.float32(0.0313)) + 90, 0, 255).astype(np.uint8)
    case = Case("QLinearReduceMean", operands, {"axes": [1], "keepdims": 0}, known=(1, 2, 3, 4))
    by_numpy(case, expected)


def test_relative_positions_of_both_directions():
    table = floats(8, 3)
    bins = np.array([[0, 5, 6, 6], [1, 0, 5, 6], [2, 1, 0, 5]])
    operands = [table, np.array([3]), np.array([4])]
    case = Case("RelativePositionBias", operands, {"max_distance": 16, "is_bidirectional": 1}, known=(1, 2))
    by_numpy(case, table[bins].transpose(2, 0, 1)[None])
