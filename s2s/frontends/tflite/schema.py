"""The `tflite` schema package, and what its numbers are called.

The package is generated code without types: it is reached through `schema()`, which is `Any`, and only here.
"""

import importlib
import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.frontends.tflite.newer import MEMBERS, TABLES

SCHEMA_VERSION = 3
STRING, RESOURCE, COMPLEX = "STRING", "RESOURCE", "COMPLEX64"
PACKED_BITS: Mapping[str, int] = {"INT2": 2, "INT4": 4, "UINT4": 4}
"""Bits of the elements of which the file holds several in a byte, the lowest ones first."""

DTYPES: Mapping[str, np.dtype[Any]] = {
    "FLOAT32": np.dtype(np.float32),
    "FLOAT16": np.dtype(np.float16),
    "FLOAT64": np.dtype(np.float64),
    "INT8": np.dtype(np.int8),
    "INT16": np.dtype(np.int16),
    "INT32": np.dtype(np.int32),
    "INT64": np.dtype(np.int64),
    "UINT8": np.dtype(np.uint8),
    "UINT16": np.dtype(np.uint16),
    "UINT32": np.dtype(np.uint32),
    "UINT64": np.dtype(np.uint64),
    "BOOL": np.dtype(np.bool_),
    "INT2": np.dtype(np.int8),
    "INT4": np.dtype(np.int8),
    "UINT4": np.dtype(np.uint8),
    RESOURCE: np.dtype(np.int32),
    COMPLEX: np.dtype(np.float32),
}
"""Element types as values of the network have them: two and four bits in a byte each, a resource as the number it has,
a complex number as two floats along a last dimension."""

_SHARED_OPTIONS: Mapping[str, str] = {
    "ARG_MAX": "ArgMaxOptions",
    "ARG_MIN": "ArgMinOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "BATCH_MATMUL": "BatchMatMulOptions",
    "CONV_2D": "Conv2DOptions",
    "CONV_3D": "Conv3DOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "LSH_PROJECTION": "LSHProjectionOptions",
    "LSTM": "LSTMOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "MEAN": "ReducerOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "MULTINOMIAL": "RandomOptions",
    "PADV2": "PadV2Options",
    "RANDOM_STANDARD_NORMAL": "RandomOptions",
    "RANDOM_UNIFORM": "RandomOptions",
    "REDUCE_ALL": "ReducerOptions",
    "REDUCE_ANY": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "REDUCE_PROD": "ReducerOptions",
    "SUM": "ReducerOptions",
    "SVDF": "SVDFOptions",
    "STABLEHLO_COMPOSITE": "StableHLOCompositeOptions",
    "BATCH_TO_SPACE_ND": "BatchToSpaceNDOptions",
    "SPACE_TO_BATCH_ND": "SpaceToBatchNDOptions",
    "TOPK_V2": "TopKV2Options",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTMOptions",
    "BIDIRECTIONAL_SEQUENCE_LSTM": "BidirectionalSequenceLSTMOptions",
    "RNN": "RNNOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "BIDIRECTIONAL_SEQUENCE_RNN": "BidirectionalSequenceRNNOptions",
}


@cache
def schema() -> Any:
    """The `tflite` package."""
    try:
        return importlib.import_module("tflite")
    except ImportError:
        raise InputError("TFLite models: reading them takes the package tflite; pip install tflite") from None


@cache
def enum_names(enum: str) -> Mapping[int, str]:
    """The members of an enumeration of the schema, by number."""
    members: Mapping[str, Any] = getattr(schema(), enum).__dict__
    named = {number: name for name, number in members.items() if not name.startswith("_") and isinstance(number, int)}
    return {**MEMBERS.get(enum, {}), **named}


def enum_name(enum: str, number: int) -> str | None:
    """The name of `number` in an enumeration of the schema, None when it has none."""
    return enum_names(enum).get(number)


def options_class(builtin: str) -> str | None:
    """The table that holds the options of an operator: `Conv2DOptions` of CONV_2D; None when there is none."""
    name = _SHARED_OPTIONS.get(builtin)
    if name is None:
        name = "".join(word.capitalize() for word in builtin.split("_")) + "Options"
    known = {*enum_names("BuiltinOptions").values(), *enum_names("BuiltinOptions2").values()}
    return name if name in known else None


def table_class(name: str) -> Any:
    """The class that reads tables called `name`."""
    return TABLES.get(name) or getattr(schema(), name)


@cache
def fields_of(name: str) -> Sequence[str]:
    """The fields of a table of options, by the names of the accessors, in the order of the schema."""
    members: Mapping[str, Any] = table_class(name).__dict__
    plain = [each for each, member in members.items() if each[0].isupper() and inspect.isfunction(member)]
    return [each for each in plain if each != "Init" and not each.endswith(("Length", "AsNumpy", "IsNone"))]


_EMPTY_TABLE = bytes((8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0))
"""A root offset, a table description without fields, and a table of it: every field has its default."""


def default_options(name: str) -> Any:
    """A table of options called `name` with every field at its default."""
    options = table_class(name)()
    options.Init(_EMPTY_TABLE, _EMPTY_TABLE[0])
    return options
