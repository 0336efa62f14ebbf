"""Reference engines, with which `s2s verify` compares the emitted C."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from onnx import ModelProto

from s2s.errors import InputError
from s2s.frontends import onnx, tflite, torch
from s2s.frontends.formats import LoadedModel
from s2s.support.extras import ExtraName, is_installed, optional_module
from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import with_unsigned_weights

EngineName = Literal["onnxruntime", "reference", "tflm", "litert", "torch", "interpreter"]
ForeignEngine = Literal["onnxruntime", "reference", "tflm", "litert", "torch"]
Runner = Callable[[Mapping[str, Array]], list[Array]]
"""Runs an opened model on inputs by name; variables of the model keep their values from call to call."""
Engine = Callable[[LoadedModel], Runner]

NEWEST_IR = 13
"""The newest IR version that the released onnxruntime reads; the operators are the same."""


def default_engine(model: LoadedModel) -> EngineName:
    """Return the default reference engine of a model: the engine of its format."""
    if isinstance(model, onnx.LoadedModel):
        return "onnxruntime"
    if isinstance(model, torch.LoadedModel):
        return "torch"
    if model.info.compression is not None:
        return "interpreter"
    return "tflm" if is_installed("tflite_micro") else "interpreter"


def open_engine(name: ForeignEngine, model: LoadedModel) -> Runner:
    """Open `model` in the engine called `name`, with its variables as before their first run."""
    return _ENGINES[name](model)


def run_engine(name: ForeignEngine, model: LoadedModel, inputs: Mapping[str, Array]) -> list[Array]:
    """Return the outputs of the first run of `model` by the engine called `name`."""
    return open_engine(name, model)(inputs)


def _imported(engine: ForeignEngine, module: str, extra: ExtraName) -> Any:
    return optional_module(module, extra, f"--against {engine}", "give --against interpreter")


def _refusal(
    model: LoadedModel, engine: ForeignEngine, error: Exception, instead: EngineName = "interpreter"
) -> InputError:
    return InputError(f"{model.label}: {engine} does not run it ({_first_line(error)}); try --against {instead}")


def _tflm(model: LoadedModel) -> Runner:
    """TFLite-Micro's reference kernels on this machine."""
    model = _tflite(model, "tflm")
    runtime = _imported("tflm", "tflite_micro", "tflm")
    refusal = partial(_refusal, model, "tflm")
    outputs = range(len(model.info.subgraphs[0].outputs))

    try:
        interpreter: Any = runtime.runtime.Interpreter.from_bytes(model.data)
    except Exception as error:
        raise refusal(error) from error

    def run(inputs: Mapping[str, Array]) -> list[Array]:
        try:
            for position, array in enumerate(inputs.values()):
                interpreter.set_input(np.asarray(array, order="C"), position)
            interpreter.invoke()
            return [np.array(interpreter.get_output(number)) for number in outputs]
        except Exception as error:
            raise refusal(error) from error

    return run


def _litert(model: LoadedModel) -> Runner:
    """LiteRT's reference kernels on this machine: TFLite's own, which know operators that TFLite-Micro does not."""
    model = _tflite(model, "litert")
    runtime = _imported("litert", "ai_edge_litert.interpreter", "litert")
    refusal = partial(_refusal, model, "litert")
    try:
        kernels = runtime.OpResolverType.BUILTIN_REF
        interpreter: Any = runtime.Interpreter(model_content=model.data, experimental_op_resolver_type=kernels)
        interpreter.allocate_tensors()
    except Exception as error:
        raise refusal(error) from error

    def run(inputs: Mapping[str, Array]) -> list[Array]:
        places = [detail["index"] for detail in interpreter.get_input_details()]
        shapes = [tuple(detail["shape"]) for detail in interpreter.get_input_details()]
        try:
            if shapes != [array.shape for array in inputs.values()]:
                for place, array in zip(places, inputs.values(), strict=True):
                    interpreter.resize_tensor_input(place, array.shape)
                interpreter.allocate_tensors()
            for place, array in zip(places, inputs.values(), strict=True):
                interpreter.set_tensor(place, array)
            interpreter.invoke()
            return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
        except Exception as error:
            raise refusal(error) from error

    return run


def _tflite(model: LoadedModel, engine: str) -> tflite.LoadedModel:
    if not isinstance(model, tflite.LoadedModel):
        raise InputError(f"--against {engine}: {model.label} is no TFLite model; try --against onnxruntime")
    if model.info.compression is not None:
        raise InputError(f"--against {engine}: it does not read compressed constants; try --against interpreter")
    return model


def _onnx(model: LoadedModel, engine: str) -> onnx.LoadedModel:
    if not isinstance(model, onnx.LoadedModel):
        raise InputError(f"--against {engine}: {model.label} is no ONNX model; try --against tflm or interpreter")
    return model


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _onnxruntime(loaded: LoadedModel) -> Runner:
    model = _onnx(loaded, "onnxruntime")
    ort = _imported("onnxruntime", "onnxruntime", "verify")
    refusal = partial(_refusal, model, "onnxruntime", instead="reference")
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Run node by node: graph optimisations merge quantised nodes to others that round differently.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    source: str | bytes = model.label
    proto = with_unsigned_weights(model.proto, model.folder)
    if model.folder is None or model.is_specialised or proto is not model.proto:
        source = _serialised(proto)
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", model.folder or "")

    try:
        session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise refusal(error) from error

    labels = [_class_labels(model.proto, output.name) for output in model.proto.graph.output]
    types = [output.type.tensor_type.elem_type for output in model.proto.graph.output]

    def run(inputs: Mapping[str, Array]) -> list[Array]:
        try:
            results: Sequence[Any] = session.run(None, {name: np.asarray(a, order="C") for name, a in inputs.items()})
        except Exception as error:
            raise refusal(error) from error
        arrays = [_as_array(result, of_classes) for result, of_classes in zip(results, labels, strict=True)]
        return [_as_declared(array, type) for array, type in zip(arrays, types, strict=True)]

    return run


def _class_labels(proto: ModelProto, output: str) -> list[Any]:
    """Return the labels by which a ZipMap node names the columns of `output`; none if no such node computes it."""
    from onnx import helper

    for node in proto.graph.node:
        if node.op_type == "ZipMap" and output in node.output:
            return [label for attribute in node.attribute for label in helper.get_attribute_value(attribute)]
    return []


def _as_array(result: Any, labels: Sequence[Any]) -> Array:
    """Return an output of onnxruntime as an array: the output of a ZipMap node is a mapping from labels for each
    row."""
    if not labels:
        return np.asarray(result)
    texts = [label.decode() if isinstance(label, bytes) else label for label in labels]
    return np.array([[row[label] for label in texts] for row in result], np.float32)


def _as_declared(array: Array, element_type: int) -> Array:
    """Return an output in its element type: onnxruntime hands floats of eight bits over as bytes."""
    from onnx import helper

    declared = helper.tensor_dtype_to_np_dtype(element_type) if element_type else array.dtype
    return array.view(declared) if array.dtype == np.uint8 and declared.itemsize == 1 else array


def _serialised(proto: ModelProto) -> bytes:
    copy = ModelProto()
    copy.CopyFrom(proto)
    copy.ir_version = min(copy.ir_version, NEWEST_IR)
    return copy.SerializeToString()


def _reference(model: LoadedModel) -> Runner:
    from onnx.reference import ReferenceEvaluator

    evaluator: Any = ReferenceEvaluator(_onnx(model, "reference").proto)
    return lambda inputs: [np.asarray(result) for result in evaluator.run(None, dict(inputs))]


def _torch(model: LoadedModel) -> Runner:
    if not isinstance(model, torch.LoadedModel):
        raise InputError(f"--against torch: {model.label} is no model of PyTorch; try --against interpreter")
    return torch.open_program(model)


_ENGINES: Mapping[ForeignEngine, Engine] = {
    "onnxruntime": _onnxruntime,
    "reference": _reference,
    "tflm": _tflm,
    "litert": _litert,
    "torch": _torch,
}
