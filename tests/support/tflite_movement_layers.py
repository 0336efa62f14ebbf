"""Layers of TFLite that move elements, alone or side by side in a model, and the random choices they are made of."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.types.dtypes import Array


class Layer:
    """An operator on its tensors, alone or beside others in a model."""

    def __init__(
        self,
        builtin: str,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        options: str = "",
        **fields: Any,
    ) -> None:
        self.builtin, self.inputs, self.outputs, self.options, self.fields = builtin, inputs, outputs, options, fields

    def model(self) -> bytes:
        return single(self.builtin, self.inputs, self.outputs, self.options, **self.fields)

    def renamed(self, prefix: str) -> "Layer":
        inputs, outputs = (
            [replace(spec, name=f"{prefix}_{spec.name}") for spec in specs] for specs in (self.inputs, self.outputs)
        )
        return Layer(self.builtin, inputs, outputs, self.options, **self.fields)


def side_by_side(layers: Sequence[Layer]) -> bytes:
    """A model of all `layers`, none of which reads another."""
    named = [layer.renamed(f"l{number}") for number, layer in enumerate(layers)]
    tensors = [spec for layer in named for spec in (*layer.inputs, *layer.outputs)]
    operators = [
        OperatorSpec(
            each.builtin, [x.name for x in each.inputs], [y.name for y in each.outputs], each.options, each.fields
        )
        for each in named
    ]
    inputs = [spec.name for layer in named for spec in layer.inputs if spec.data is None]
    return model([GraphSpec(tensors, operators, inputs, [spec.name for layer in named for spec in layer.outputs])])


Case = tuple[Layer, list[Array]]

DTYPES = {
    "FLOAT32": np.float32,
    "INT8": np.int8,
    "UINT8": np.uint8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "BOOL": np.bool_,
}


class Draw:
    """Random choices of one case."""

    def __init__(self, seed: str, kind: str) -> None:
        self.random, self.kind = Random(seed), kind
        self.numpy = np.random.default_rng(self.random.getrandbits(32))
        self.zero_point = self.random.randint(-128, 127) if kind == "INT8" else 0

    def shape(self, low: int = 1, high: int = 4, size: int = 5) -> tuple[int, ...]:
        return tuple(self.random.randint(1, size) for _ in range(self.random.randint(low, high)))

    def spec(self, name: str, shape: Sequence[int], data: Array | None = None) -> TensorSpec:
        quantised = self.kind in ("INT8", "INT16", "UINT8")
        scale = 0.25 if quantised else None
        return TensorSpec(name, shape, self.kind, data, scale=scale, zero_point=self.zero_point)

    def values(self, shape: Sequence[int]) -> Array:
        dtype = np.dtype(DTYPES[self.kind])
        if dtype.kind == "f":
            return self.numpy.standard_normal(tuple(shape)).astype(dtype)
        if dtype == np.bool_:
            return self.numpy.integers(0, 2, tuple(shape)).astype(dtype)
        limits = np.iinfo(dtype.str)
        return self.numpy.integers(limits.min, limits.max, tuple(shape), dtype=dtype, endpoint=True)

    def axis(self, rank: int) -> int:
        return self.random.randint(0, rank - 1)


def ints(name: str, values: Any, dtype: Any = np.int32) -> TensorSpec:
    array = np.asarray(values, dtype)
    return TensorSpec(name, array.shape, data=array)
