"""QUANTIZE, DEQUANTIZE and CAST against TFLite-Micro, bit for bit."""

from random import Random

import numpy as np
import pytest

from s2s.errors import UnsupportedError
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.types.dtypes import Array
from support.tflite_checks import run_imported, same_as_micro

CASES = 40
_DTYPES = {"INT8": np.int8, "UINT8": np.uint8, "INT16": np.int16, "INT32": np.int32, "UINT32": np.uint32}
REQUANTISED = [
    ("INT8", "INT8"),
    ("INT8", "UINT8"),
    ("INT8", "INT16"),
    ("INT8", "INT32"),
    ("UINT8", "INT8"),
    ("INT16", "INT8"),
    ("INT16", "INT16"),
    ("INT16", "INT32"),
    ("INT32", "INT8"),
    ("INT32", "INT16"),
]


def integers(kind: str, random: Random, shape: tuple[int, ...], bits: int = 32) -> Array:
    limits = np.iinfo(_DTYPES[kind])
    low, high = max(limits.min, -(2 ** (bits - 1))), min(limits.max, 2 ** (bits - 1) - 1)
    rng = np.random.default_rng(random.getrandbits(32))
    return rng.integers(low, high, shape, dtype=_DTYPES[kind], endpoint=True)


def quantised(name: str, kind: str, random: Random, shape: tuple[int, ...], scale: float) -> TensorSpec:
    limits = np.iinfo(_DTYPES[kind])
    zero = random.randint(int(limits.min), int(limits.max)) if limits.bits == 8 else 0
    return TensorSpec(name, shape, kind, scale=scale, zero_point=zero)


def scale(random: Random) -> float:
    return float(np.float32(2.0 ** random.uniform(-10, 3)))


@pytest.mark.parametrize(("source", "target"), REQUANTISED)
def test_requantise(source: str, target: str):
    for seed in range(CASES):
        random = Random(f"{source} {target} {seed}")
        shape, from_scale = (random.randint(1, 60),), scale(random)
        to_scale = from_scale if random.random() < 0.2 else from_scale * float(np.float32(2.0 ** random.uniform(-4, 8)))
        x, y = (quantised(n, k, random, shape, s) for n, k, s in (("x", source, from_scale), ("y", target, to_scale)))
        same_as_micro(single("QUANTIZE", [x], [y], "QuantizeOptions"), [integers(source, random, shape, 24)])


@pytest.mark.parametrize("target", ["INT8", "INT16"])
def test_quantise_reals(target: str):
    for seed in range(CASES):
        random = Random(f"{target} {seed}")
        rng, shape = np.random.default_rng(seed), (random.randint(1, 60),)
        y = quantised("y", target, random, shape, scale(random))
        assert isinstance(y.scale, float)
        x = (rng.standard_normal(shape) * y.scale * 2 ** random.uniform(0, 20)).astype(np.float32)
        halves = ((rng.integers(-300, 300, shape) + 0.5) * y.scale).astype(np.float32)
        same_as_micro(single("QUANTIZE", [TensorSpec("x", shape)], [y], "QuantizeOptions"), [x])
        same_as_micro(single("QUANTIZE", [TensorSpec("x", shape)], [y], "QuantizeOptions"), [halves])


@pytest.mark.parametrize("source", ["INT8", "UINT8", "INT16"])
def test_dequantise(source: str):
    for seed in range(CASES):
        random = Random(f"{source} {seed}")
        shape = (random.randint(1, 60),)
        x = quantised("x", source, random, shape, scale(random))
        data = single("DEQUANTIZE", [x], [TensorSpec("y", shape)], "DequantizeOptions")
        same_as_micro(data, [integers(source, random, shape)])


def test_dequantise_channel_by_channel():
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    spec = TensorSpec("x", x.shape, data=x, scale=[0.5, 2.0, 4.0], zero_point=[0, 1, 2], axis=1)
    (found,) = run_imported(single("DEQUANTIZE", [spec], [TensorSpec("y", x.shape)], "DequantizeOptions"), [])
    assert found.tolist() == [[0.5, 2.0, 4.0], [2.0, 8.0, 16.0]]


def test_dequantise_half_precision():
    x = np.array([0.5, 1.5], np.float16)
    data = single("DEQUANTIZE", [TensorSpec("x", (2,), data=x)], [TensorSpec("y", (2,))], "DequantizeOptions")
    assert run_imported(data, [])[0].tolist() == [0.5, 1.5]


def test_wide_integers_are_not_dequantised():
    x = TensorSpec("x", (2,), "INT32", scale=0.5)
    with pytest.raises(UnsupportedError, match=r"operator 0 \(DEQUANTIZE\) 'y': turns int32 .*; dequantise integers"):
        run_imported(single("DEQUANTIZE", [x], [TensorSpec("y", (2,))], "DequantizeOptions"), [np.zeros(2, np.int32)])


@pytest.mark.parametrize("source", ["INT8", "INT16", "INT32", "UINT32", "FLOAT32", "BOOL"])
@pytest.mark.parametrize("target", ["INT8", "INT16", "INT32", "UINT32", "FLOAT32"])
def test_cast(source: str, target: str):
    random = Random(f"{source} {target}")
    rng = np.random.default_rng(7)
    if source == "FLOAT32":
        x = rng.uniform(0 if target == "UINT32" else -120, 120, 50).astype(np.float32)
    elif source == "BOOL":
        x = rng.integers(0, 2, 50).astype(np.bool_)
    else:
        x = integers(source, random, (50,))
    data = single("CAST", [TensorSpec("x", (50,), source)], [TensorSpec("y", (50,), target)], "CastOptions")
    same_as_micro(data, [x])
