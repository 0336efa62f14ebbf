"""TFLite models from a plain description: tensors, operators, sub-graphs; written with the schema package's builders.

    T, O = TensorSpec, OperatorSpec
    data = single("CONV_2D", [T("x", (1, 5, 5, 2), "INT8", scale=0.5, zero_point=3),
                              T("w", (4, 3, 3, 2), data=weights, scale=[…], axis=0),
                              T("b", (4,), data=bias, scale=[…], axis=0)],
                  [T("y", (1, 5, 5, 4), "INT8", scale=0.1)], "Conv2DOptions", padding=SAME, stride_w=1, stride_h=1)

A tensor with `data` is a constant. Options are those of the schema in lower case; lists of integers are vectors.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, cast

import numpy as np

from s2s.frontends.tflite.newer import MEMBERS
from s2s.frontends.tflite.schema import PACKED_BITS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

flatbuffers: Any = importlib.import_module("flatbuffers")
tflite: Any = importlib.import_module("tflite")
_NEWER = {name: number for members in MEMBERS.values() for number, name in members.items()}
"""Numbers of operators and tables that the `tflite` package does not have."""

SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6, TANH, SIGN_BIT = range(6)
ACTIVATIONS = (NONE, RELU, RELU_N1_TO_1, RELU6)

_KINDS = {
    np.dtype(np.float32): "FLOAT32",
    np.dtype(np.float64): "FLOAT64",
    np.dtype(np.float16): "FLOAT16",
    np.dtype(np.int8): "INT8",
    np.dtype(np.int16): "INT16",
    np.dtype(np.int32): "INT32",
    np.dtype(np.int64): "INT64",
    np.dtype(np.uint8): "UINT8",
    np.dtype(np.uint16): "UINT16",
    np.dtype(np.uint32): "UINT32",
    np.dtype(np.uint64): "UINT64",
    np.dtype(np.bool_): "BOOL",
}


@frozen
class TensorSpec:
    """A tensor. Data of two and four bits is packed."""

    name: str
    shape: Sequence[int]
    type: str = ""
    """The element type by its name in the schema, such as `INT8`; by default the type of `data`."""
    data: Array | None = None
    scale: float | Sequence[float] | Array | None = None
    zero_point: int | Sequence[int] | Array = 0
    axis: int = 0
    is_variable: bool = False
    signature: Sequence[int] | None = None
    blocks: tuple[str, int] | None = None
    """The name of the tensor with the scales of blocks, and the size of these."""

    @property
    def element(self) -> str:
        """Name of the element type."""
        return self.type or ("FLOAT32" if self.data is None else _KINDS[self.data.dtype])


@frozen
class OperatorSpec:
    """An operator on tensors by name; an empty name is an operand that is left out."""

    builtin: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    options: str = ""
    """Class of the options, such as `Conv2DOptions`; empty for none."""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    custom: str = ""
    custom_options: bytes = b""
    intermediates: Sequence[str] = ()
    version: int = 1


@frozen
class GraphSpec:
    """A sub-graph."""

    tensors: Sequence[TensorSpec]
    operators: Sequence[OperatorSpec]
    inputs: Sequence[str]
    outputs: Sequence[str]
    name: str = "main"


def single(
    builtin: str,
    inputs: Sequence[TensorSpec | None],
    outputs: Sequence[TensorSpec],
    options: str = "",
    **fields: Any,
) -> bytes:
    """A model of one operator. Tensors without data are inputs of the model, `None` is an operand that is left out."""
    operands = list({spec.name: spec for spec in inputs if spec is not None}.values())
    names = ["" if spec is None else spec.name for spec in inputs]
    operator = OperatorSpec(builtin, names, [spec.name for spec in outputs], options, fields)
    free = [spec.name for spec in operands if spec.data is None and not spec.is_variable]
    return model([GraphSpec([*operands, *outputs], [operator], free, operator.outputs)])


def model(
    graphs: Sequence[GraphSpec],
    description: str = "test",
    metadata: Mapping[str, bytes] | None = None,
    extra: Sequence[bytes] = (),
) -> bytes:
    """The file of a model; the first graph is the one that runs. Buffers `extra` are the first ones, from 1 on."""
    return _Writer(extra).write(graphs, description, metadata or {})


class _Writer:
    """Tables of flatbuffers are written from the leaves to the root."""

    def __init__(self, extra: Sequence[bytes]) -> None:
        self.builder = flatbuffers.Builder(1024)
        self.buffers: list[bytes] = [b"", *extra]
        self.codes: dict[tuple[int, str, int], int] = {}

    def write(self, graphs: Sequence[GraphSpec], description: str, metadata: Mapping[str, bytes]) -> bytes:
        b = self.builder
        subgraphs = [self._graph(graph) for graph in graphs]
        entries = [self._metadata(name, data) for name, data in metadata.items()]
        parts = {
            "Version": 3,
            "OperatorCodes": self._tables([self._code(*key) for key in self.codes]),
            "Subgraphs": self._tables(subgraphs),
            "Description": b.CreateString(description),
            "Buffers": self._tables([self._buffer(data) for data in self.buffers]),
            "Metadata": self._tables(entries) if entries else None,
        }
        b.Finish(self._table("Model", parts), b"TFL3")
        return bytes(b.Output())

    def _metadata(self, name: str, data: bytes) -> int:
        self.buffers.append(data)
        return self._table("Metadata", {"Name": self.builder.CreateString(name), "Buffer": len(self.buffers) - 1})

    def _table(self, name: str, parts: Mapping[str, Any]) -> int:
        if name in _NEWER:
            return self._newer_table(parts)
        module = importlib.import_module(f"tflite.{name}")
        getattr(module, "Start")(self.builder)  # noqa: B009
        for part, value in parts.items():
            if value is not None:
                getattr(module, f"Add{part}")(self.builder, value)
        return getattr(module, "End")(self.builder)  # noqa: B009

    def _newer_table(self, parts: Mapping[str, Any]) -> int:
        """A table of vectors, in the order of its fields."""
        self.builder.StartObject(len(parts))
        for place, vector in enumerate(parts.values()):
            self.builder.PrependUOffsetTRelativeSlot(place, vector, 0)
        return self.builder.EndObject()

    def _tables(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.builder.EndVector()

    def _vector(self, values: Any, dtype: Any) -> int:
        return self.builder.CreateNumpyVector(np.atleast_1d(np.asarray(values, dtype)))

    def _code(self, code: int, custom: str, version: int) -> int:
        text = self.builder.CreateString(custom) if custom else None
        small = min(code, 127)
        parts = {"DeprecatedBuiltinCode": small, "CustomCode": text, "Version": version, "BuiltinCode": code}
        return self._table("OperatorCode", parts)

    def _buffer(self, data: bytes) -> int:
        if not data:
            return self._table("Buffer", {})
        # TFLite wants the bytes of a buffer aligned to 16.
        self.builder.StartVector(1, len(data), 16)
        self.builder.head -= len(data)
        self.builder.Bytes[self.builder.head : self.builder.head + len(data)] = data
        return self._table("Buffer", {"Data": self.builder.EndVector()})

    def _graph(self, graph: GraphSpec) -> int:
        places = {spec.name: place for place, spec in enumerate(graph.tensors)}

        def numbers(names: Sequence[str]) -> int:
            return self._vector([places[name] if name else -1 for name in names], np.int32)

        tensors = self._tables([self._tensor(spec, places) for spec in graph.tensors])
        operators = self._tables([self._operator(spec, numbers) for spec in graph.operators])
        parts = {
            "Tensors": tensors,
            "Inputs": numbers(graph.inputs),
            "Outputs": numbers(graph.outputs),
            "Operators": operators,
            "Name": self.builder.CreateString(graph.name),
        }
        return self._table("SubGraph", parts)

    def _tensor(self, spec: TensorSpec, places: Mapping[str, int]) -> int:
        buffer = 0
        if spec.data is not None:
            buffer = len(self.buffers)
            self.buffers.append(_stored(spec.data, spec.element))
        parts = {
            "Shape": self._vector(spec.shape, np.int32),
            "Type": _NEWER.get(spec.element) or getattr(tflite.TensorType, spec.element),
            "Buffer": buffer,
            "Name": self.builder.CreateString(spec.name),
            "Quantization": self._quantised(spec, places),
            "IsVariable": spec.is_variable or None,
            "ShapeSignature": None if spec.signature is None else self._vector(spec.signature, np.int32),
            "HasRank": True,
        }
        return self._table("Tensor", parts)

    def _quantised(self, spec: TensorSpec, places: Mapping[str, int]) -> int | None:
        if spec.blocks is None:
            return None if spec.scale is None else self._quantization(spec)
        self.builder.StartObject(3)
        for slot, number in enumerate((places[spec.blocks[0]], -1, spec.blocks[1])):
            self.builder.PrependInt32Slot(slot, number, 0)
        details = self.builder.EndObject()
        return self._table("QuantizationParameters", {"DetailsType": 2, "Details": details})

    def _quantization(self, spec: TensorSpec) -> int:
        scale = np.atleast_1d(np.asarray(spec.scale, np.float32))
        zero_point = np.broadcast_to(np.asarray(spec.zero_point, np.int64), scale.shape)
        parts = {
            "Scale": self._vector(scale, np.float32),
            "ZeroPoint": self._vector(zero_point.copy(), np.int64),
            "QuantizedDimension": spec.axis,
        }
        return self._table("QuantizationParameters", parts)

    def _operator(self, spec: OperatorSpec, numbers: Any) -> int:
        code = _NEWER.get(spec.builtin) or getattr(tflite.BuiltinOperator, spec.builtin)
        index = self.codes.setdefault((code, spec.custom, spec.version), len(self.codes))
        second = spec.options and not hasattr(tflite.BuiltinOptions, spec.options)
        union = tflite.BuiltinOptions2 if second else tflite.BuiltinOptions
        suffix = "2" if second else ""
        parts = {
            "OpcodeIndex": index,
            "Inputs": numbers(spec.inputs),
            "Outputs": numbers(spec.outputs),
            "Intermediates": numbers(spec.intermediates) if spec.intermediates else None,
            "CustomOptions": self.builder.CreateByteVector(spec.custom_options) if spec.custom_options else None,
        }
        if spec.options:
            parts[f"BuiltinOptions{suffix}"] = self._options(spec.options, spec.fields)
            parts[f"BuiltinOptions{suffix}Type"] = _NEWER.get(spec.options) or getattr(union, spec.options)
        return self._table("Operator", parts)

    def _options(self, name: str, fields: Mapping[str, Any]) -> int:
        parts: dict[str, Any] = {}
        for key, value in fields.items():
            camel = "".join(word.capitalize() for word in key.split("_"))
            if isinstance(value, str):
                value = self.builder.CreateString(value)
            elif isinstance(value, list | tuple | np.ndarray):
                array: Array = np.asarray(cast(Any, value))
                integers = np.int64 if name.startswith("Stablehlo") and name not in _NEWER else np.int32
                value = self._vector(array, np.float32 if array.dtype.kind == "f" else integers)
            parts[camel] = value
        return self._table(name, parts)


def _stored(data: Array, kind: str) -> bytes:
    if kind not in PACKED_BITS:
        return np.asarray(data, order="C").tobytes()
    bits = PACKED_BITS[kind]
    codes = data.reshape(-1).astype(np.uint8) & (2**bits - 1)
    rows = np.pad(codes, (0, -len(codes) % (8 // bits))).reshape(-1, 8 // bits)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(rows << shifts, axis=1).astype(np.uint8).tobytes()
