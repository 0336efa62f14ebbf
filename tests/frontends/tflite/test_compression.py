"""Constants that TFLite-Micro's compressor has replaced by indices into tables of values."""

import re

import numpy as np
import pytest

from benchmarks.compressed import metadata
from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import load_model
from s2s.frontends.tflite.tensors import constant_array
from s2s.frontends.tflite.writer import SAME, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.engines import run_litert
from s2s.types.dtypes import Array

Entry = tuple[int, int, int]
"""Tensor, buffer of values, bits of an index."""


def packed(indices: Array, bits: int) -> Array:
    """Indices of so many bits each, the highest bit first."""
    text = (indices.reshape(-1, 1) >> np.arange(bits)[::-1] & 1).astype(np.uint8)
    return np.packbits(text.reshape(-1)).view(np.int8)


def layer(weights: Array, stored: Array | None, about: bytes | None, values: Array, *, axis: int = 0) -> bytes:
    """A convolution whose weights are an array, or bytes to look up."""
    channels = weights.shape[axis]
    scale = np.linspace(0.01, 0.02, channels).astype(np.float32)
    depthwise = axis == 3
    kind = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    options = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
    fields = {"padding": SAME, "stride_h": 1, "stride_w": 1} | ({"depth_multiplier": 1} if depthwise else {})
    depth = channels if depthwise else weights.shape[3]
    data = weights if stored is None else stored
    tensors = [
        TensorSpec("w", weights.shape, "INT8", data, scale, np.zeros(channels, np.int64), axis=axis),
        TensorSpec("x", (1, 5, 4, depth), "INT8", scale=0.1, zero_point=-2),
        TensorSpec("b", (channels,), data=np.arange(channels, dtype=np.int32), scale=scale * np.float32(0.1)),
        TensorSpec("y", (1, 5, 4, channels), "INT8", scale=0.1, zero_point=1),
    ]
    graph = GraphSpec(tensors, [OperatorSpec(kind, ["x", "w", "b"], ["y"], options, fields)], ["x"], ["y"])
    named = None if about is None else {"COMPRESSION_METADATA": about}
    return model([graph], metadata=named, extra=[values.tobytes()])


def example(bits: int, axis: int, channels: int = 6) -> tuple[Array, Array, Array]:
    """Weights, their indices, and a table for each channel."""
    rng = np.random.default_rng(bits)
    shape = (channels, 3, 3, 4) if axis == 0 else (1, 3, 3, channels)
    tables = rng.integers(-127, 128, (channels, 1 << bits)).astype(np.int8)
    indices = rng.integers(0, 1 << bits, shape)
    of = np.arange(channels).reshape([channels if each == axis else 1 for each in range(4)])
    return tables[of, indices], indices, tables


@pytest.mark.sample(4)
@pytest.mark.parametrize("bits", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("axis", [0, 3])
def test_tables_of_channels_give_the_plain_network(bits: int, axis: int):
    weights, indices, tables = example(bits, axis)
    data = layer(weights, packed(indices, bits), metadata([(0, 1, bits)]), tables, axis=axis)
    plain = layer(weights, None, None, tables, axis=axis)
    loaded = load_model(data)
    np.testing.assert_array_equal(constant_array(loaded.info.subgraphs[0].tensors[0], loaded.info), weights)
    x = np.random.default_rng(0).integers(-128, 128, (1, 5, 4, 6 if axis else 4)).astype(np.int8)
    with api.compile(data, target="c", tflite_rounding="reference") as artifact:
        np.testing.assert_array_equal(artifact.run({"x": x})["y"], run_litert(plain, [x])[0])


def test_engines_that_read_no_compressed_constants_are_refused():
    weights, indices, tables = example(2, 0)
    data = layer(weights, packed(indices, 2), metadata([(0, 1, 2)]), tables)
    with api.compile(data, target="c") as artifact:
        report = artifact.verify()
        assert report.passed
        assert report.against.startswith("the graph interpreter")
        with pytest.raises(InputError, match="--against litert: it does not read compressed constants"):
            artifact.verify(against="litert")


@pytest.mark.parametrize(
    ("entry", "version", "cut", "error", "message"),
    [
        ((0, 1, 0), 1, 0, InputError, "tensor 0 'w': indices of 0 bits, 1 to 7 expected"),
        ((0, 1, 8), 1, 0, InputError, "indices of 8 bits"),
        ((9, 1, 2), 1, 0, InputError, "metadata COMPRESSION_METADATA: sub-graph 0 has no tensor 9"),
        ((0, 77, 2), 1, 0, InputError, "metadata COMPRESSION_METADATA: buffer 77 of"),
        ((0, 1, 7), 1, 0, InputError, "bytes hold no 216 indices of 7 bits"),
        ((0, 1, 2), 2, 0, UnsupportedError, "has version 2; compress the model with version 1"),
        ((0, 1, 2), 1, 1, InputError, "23 bytes of values are no 6 tables"),
        ((0, 1, 2), 1, 6, InputError, "index 3 of 3 values"),
    ],
)
def test_wrong_metadata_are_refused(entry: Entry, version: int, cut: int, error: type[Exception], message: str):
    weights, indices, tables = example(2, 0)
    values = tables.reshape(-1)[: tables.size - cut]
    with pytest.raises(error, match=re.escape(message)):
        load_model(layer(weights, packed(indices, 2), metadata([entry], version), values))


@pytest.mark.parametrize("length", [0, 3, 7, 20])
def test_cut_metadata_are_refused(length: int):
    weights, indices, tables = example(2, 0)
    about = metadata([(0, 1, 2)])[:length]
    with pytest.raises(InputError, match=r"COMPRESSION_METADATA: is damaged"):
        load_model(layer(weights, packed(indices, 2), about, tables))
