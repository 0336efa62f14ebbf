"""Quantise one ONNX model: its data, its network of floats as quantisers expect it, and the best form in 8 bits."""
# The types of onnxruntime and onnx are partly unknown.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx

from s2s.data.sets import SamplesSource
from s2s.data.specs import InputSpec, Samples
from s2s.errors import InputError
from s2s.frontends.onnx import LoadedModel
from s2s.frontends.onnx.names import place
from s2s.quantization.accuracy import Accuracy, accuracy
from s2s.quantization.floats import float_nodes, weight_bytes
from s2s.quantization.integer_ports import with_integer_ports
from s2s.quantization.noise import compare_layers, tensor_values
from s2s.quantization.onnx_attention import with_products
from s2s.quantization.onnx_format import OnnxFormat, quietly
from s2s.quantization.onnx_network import share_no_vectors
from s2s.quantization.ranges import Convergence, Ranges
from s2s.quantization.refine import Candidate, refined
from s2s.quantization.result import Quantized
from s2s.quantization.settings import Settings
from s2s.support import progress
from s2s.types.dtypes import Array

OPSETS = {"int8": 0, "int16": 21}
"""The first version of ONNX's operators with such activations."""


class OnnxWork:
    """A model that is read, calibrated and refined."""

    def __init__(self, loaded: LoadedModel, samples: SamplesSource, settings: Settings, opset: int = 0) -> None:
        """`opset` is the least version of ONNX's operators that the result has."""
        _require_floats(loaded)
        self.settings, specs = settings, _inputs(loaded, settings.shapes)
        self.samples, self.classified = settings.data(samples, specs)
        self.real = _prepared(loaded, settings.shapes, max(opset, OPSETS[settings.activations]))
        progress.step("quantising")
        self.format = format = OnnxFormat(self.samples, settings.method, settings.activations)
        self.best = refined(self.real, format) if settings.refine else Candidate(self.real, format.quantized(self.real))

    def result(self, model: onnx.ModelProto | None = None, steps: Sequence[str] = ()) -> Quantized:
        """Describe the best form in 8 bits, or a `model` that was made of it by `steps`."""
        quantized = self.best.quantized if model is None else model
        return Quantized(
            with_integer_ports(quantized) if self.settings.integer_ports else quantized,
            self.settings.method,
            self.samples.count,
            compare_layers(self.best.real, quantized, self.samples, self.samples.count),
            float_nodes(quantized),
            weight_bytes(self.real),
            weight_bytes(quantized),
            (*self.best.steps, *steps),
            None if self.classified is None else self._accuracy(self.classified, quantized),
            self._convergence(),
        )

    def scores(self, model: onnx.ModelProto, samples: Samples) -> list[Array]:
        """The first output of a model on samples."""
        name = self.real.graph.output[0].name
        return [values[name] for values in tensor_values(model, [name], samples)]

    def _accuracy(self, classified: Samples, quantized: onnx.ModelProto) -> Accuracy:
        """How many samples of known classes both models classify rightly by their first output."""
        real, integers = (self.scores(model, classified) for model in (self.real, quantized))
        return accuracy(classified, real, integers, self.settings.metric)

    def _convergence(self) -> Convergence | None:
        """How many samples settle the ranges of activations."""
        seen, names = Ranges(), list(self.format.ranges(self.best.real, self.best.quantized))
        for values in tensor_values(self.best.real, names, self.samples):
            for name in names:
                seen.add(name, values[name])
        return seen.convergence() if names else None


def _require_floats(loaded: LoadedModel) -> None:
    """Refuse a model that is quantised already."""
    for node in loaded.proto.graph.node:
        if "Quantize" in node.op_type or node.op_type.startswith("QLinear") or node.op_type.endswith("Integer"):
            raise InputError(
                f"{loaded.label}: is quantised already, by {place(node)}; quantise the model of floats it was made of"
            )


def _inputs(loaded: LoadedModel, shapes: Mapping[str, tuple[int, ...]]) -> list[InputSpec]:
    """Return the inputs that are no initializers."""
    held = {tensor.name for tensor in loaded.proto.graph.initializer}
    values = [value for value in loaded.proto.graph.input if value.name not in held]
    unknown = sorted(set(shapes) - {value.name for value in values})
    if unknown:
        raise InputError(f"{loaded.label}: {unknown[0]!r} is no input of the model; name one that is")
    specs: list[InputSpec] = []
    for value in values:
        kind = value.type.tensor_type
        if kind.elem_type == onnx.TensorProto.UNDEFINED:
            raise InputError(f"{loaded.label}: input {value.name!r} is no tensor; models of tensors are quantised")
        dims = tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim)
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
        specs.append(InputSpec(value.name, dtype, shapes.get(value.name, dims)))
    return specs


def _prepared(loaded: LoadedModel, shapes: Mapping[str, tuple[int, ...]], opset: int) -> onnx.ModelProto:
    """Return the model with inferred shapes, batch norms folded into the layers before them, and attention as products:
    as quantisers expect. All nodes have names; operators are of version `opset` at least."""
    from onnxruntime.quantization.shape_inference import quant_pre_process

    progress.step("preparing the model")
    proto = onnx.ModelProto()
    proto.CopyFrom(loaded.proto)
    for value in proto.graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, shapes.get(value.name, ()), strict=False):
            dim.dim_value = size
    with tempfile.TemporaryDirectory(prefix="s2s-quantize-") as folder, quietly(loaded.label):
        before, after = Path(folder) / "model.onnx", Path(folder) / "prepared.onnx"
        if loaded.folder is not None:
            onnx.load_external_data_for_model(proto, loaded.folder)
        before.write_bytes(with_products(proto).SerializeToString())
        quant_pre_process(str(before), str(after), skip_symbolic_shape=True)
        model = onnx.ModelProto.FromString(after.read_bytes())
    if model.opset_import[0].version < opset:
        with quietly(loaded.label):
            model = onnx.shape_inference.infer_shapes(onnx.version_converter.convert_version(model, opset))
    for number, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"
    share_no_vectors(model)
    return model
