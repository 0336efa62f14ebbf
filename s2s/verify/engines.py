"""Other engines that run a model: what `s2s verify` holds the emitted C against."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from onnx import ModelProto

from s2s.analysis.dtypes import Array
from s2s.errors import InputError
from s2s.frontends.onnx import LoadedModel

EngineName = Literal["onnxruntime", "reference"]
Engine = Callable[[LoadedModel, Mapping[str, Array]], list[Array]]

NEWEST_IR = 13
"""The newest IR version that the released onnxruntime reads; the operators are the same."""


def run_engine(name: EngineName, model: LoadedModel, inputs: Mapping[str, Array]) -> list[Array]:
    """The outputs of `model` as the engine called `name` computes them."""
    return _ENGINES[name](model, inputs)


def _onnxruntime(model: LoadedModel, inputs: Mapping[str, Array]) -> list[Array]:
    try:
        ort: Any = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise InputError("--against onnxruntime: is not installed; pip install 's2s[verify]'") from error
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    source: str | bytes = model.label if model.folder is not None else _serialised(model.proto)
    try:
        session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        results: Sequence[Any] = session.run(None, {name: np.ascontiguousarray(a) for name, a in inputs.items()})
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"{model.label}: onnxruntime does not run it ({first}); try --against reference") from error
    return [np.asarray(result) for result in results]


def _serialised(proto: ModelProto) -> bytes:
    copy = ModelProto()
    copy.CopyFrom(proto)
    copy.ir_version = min(copy.ir_version, NEWEST_IR)
    return copy.SerializeToString()


def _reference(model: LoadedModel, inputs: Mapping[str, Array]) -> list[Array]:
    from onnx.reference import ReferenceEvaluator

    evaluator: Any = ReferenceEvaluator(model.proto)
    return [np.asarray(result) for result in evaluator.run(None, dict(inputs))]


_ENGINES: Mapping[str, Engine] = {"onnxruntime": _onnxruntime, "reference": _reference}
