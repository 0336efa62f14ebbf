"""Operators on `uint8`: TFLite-Micro has none, but they are those on `int8`, all numbers 128 lower."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.table import IMPORTERS
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.fuzz.tflite.engines import run_micro
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from support import tflite_cases, tflite_layer_cases

ELEMENTS = [
    *("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "LEAKY_RELU", "PRELU", "RELU", "RELU6", "HARD_SWISH"),
    *("EQUAL", "GREATER", "LESS_EQUAL", "ELU", "LOGISTIC", "TANH", "SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION"),
    *("ARG_MAX", "ARG_MIN", "REDUCE_MAX", "REDUCE_MIN", "SUM"),
]
LAYERS = ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "MAX_POOL_2D"]
CASES = 8


def raised(values: Array) -> Array:
    """What stands for the same numbers in `uint8`."""
    return (values.astype(np.int16) + 128).astype(np.uint8) if values.dtype == np.int8 else values


def raised_spec(spec: TensorSpec) -> TensorSpec:
    """The tensor in `uint8`, if it is in `int8`."""
    if spec.element != "INT8":
        return spec
    zero = np.asarray(spec.zero_point) + 128
    data = None if spec.data is None else raised(spec.data)
    return replace(spec, type="UINT8", data=data, zero_point=zero if zero.ndim else int(zero))


def run(model: bytes, inputs: Sequence[Array]) -> Array:
    imported = import_model(model)
    (found,) = run_graph(imported.module, list(inputs), imported.weights)
    return found


@pytest.mark.parametrize("builtin", ELEMENTS)
def test_elements(builtin: str):
    for seed in range(CASES):
        case = tflite_cases.GENERATORS[builtin]["int8"](np.random.default_rng(seed))
        (expected,) = run_micro(case.model, case.inputs)
        operands = [
            replace(each, values=raised(each.values), quant=each.quant and (each.quant[0], each.quant[1] + 128))
            for each in case.operands
        ]
        quant = (case.quant[0], case.quant[1] + 128) if case.quant and case.kind == "int8" else case.quant
        high = replace(case, operands=operands, kind="uint8" if case.kind == "int8" else case.kind, quant=quant)
        found = run(high.model, high.inputs)
        assert not tflite_cases.difference(high, found, raised(expected)), f"seed {seed}"


@pytest.mark.parametrize("builtin", LAYERS)
def test_layers(builtin: str):
    for seed in range(CASES):
        case: Any = tflite_layer_cases.GENERATORS[builtin]["int8"](np.random.default_rng(seed))
        if any(spec is not None and len(np.atleast_1d(np.asarray(spec.scale))) > 1 for spec in case.operands):
            continue
        (expected,) = run_micro(case.model, case.inputs)
        specs = [None if spec is None else raised_spec(spec) for spec in case.operands]
        high = single(builtin, specs, [raised_spec(case.y)], case.options, **case.fields)
        np.testing.assert_array_equal(run(high, [raised(x) for x in case.inputs]), raised(expected))


def test_weights_have_a_zero_point():
    random = np.random.default_rng(0)
    x, w = (random.integers(0, 256, shape).astype(np.uint8) for shape in ((1, 1, 5, 6), (3, 1, 1, 6)))
    bias = random.integers(-100, 100, 3).astype(np.int32)
    specs = [
        TensorSpec("x", x.shape, "UINT8", scale=0.5, zero_point=90),
        TensorSpec("w", w.shape, data=w, scale=0.5, zero_point=117),
        TensorSpec("b", (3,), data=bias, scale=0.25),
    ]
    y = TensorSpec("y", (1, 1, 5, 3), "UINT8", scale=64.0, zero_point=100)
    found = run(single("CONV_2D", specs, [y], "Conv2DOptions", padding=1, stride_w=1, stride_h=1), [x])
    total = (x[0, 0].astype(np.int64) - 90) @ (w[:, 0, 0].astype(np.int64).T - 117) + bias
    expected = np.clip(np.sign(total) * (np.abs(total) + 128 >> 8) + 100, 0, 255)
    np.testing.assert_array_equal(found[0, 0], expected)


def test_averages_are_rounded_as_stored():
    x = np.array([3, 4, 250, 253], np.uint8).reshape(1, 2, 2, 1)
    specs = [TensorSpec(name, (1, n, n, 1), "UINT8", scale=0.5, zero_point=100) for name, n in (("x", 2), ("y", 1))]
    fields = {"padding": 1, "stride_w": 1, "stride_h": 1, "filter_width": 2, "filter_height": 2}
    found = run(single("AVERAGE_POOL_2D", specs[:1], specs[1:], "Pool2DOptions", **fields), [x])
    assert found.reshape(-1).tolist() == [128]


def test_what_rounds_stored_numbers_is_refused():
    x, y = (TensorSpec(name, (1, 4), "UINT8", scale=0.5, zero_point=100) for name in "xy")
    model = single("MEAN", [x, TensorSpec("a", (1,), data=np.array([0], np.int32))], [replace(y, shape=(4,))])
    with pytest.raises(UnsupportedError, match=r"operator 0 \(MEAN\) 'y': is applied to uint8; use one of float32"):
        import_model(model)


def test_all_these_operators_are_there():
    assert set(ELEMENTS) | set(LAYERS) <= set(IMPORTERS)
