"""Static quantisation by onnxruntime's quantiser and calibrators, with models in memory."""
# The types of onnxruntime and onnx are partly unknown, and its reader may return None, whatever it says.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportIncompatibleMethodOverride=false

import contextlib
import inspect
import io
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import onnx

from s2s.errors import InputError, ToolchainError
from s2s.frontends import torch
from s2s.frontends.formats import ModelSource, load_model
from s2s.frontends.gguf import is_gguf
from s2s.frontends.onnx import LoadedModel
from s2s.frontends.onnx.names import place
from s2s.frontends.torch.tensors import to_tensor
from s2s.quantization.accuracy import Accuracy, Labelled, accuracy
from s2s.quantization.channels import Channels, observed
from s2s.quantization.floats import float_nodes, weight_bytes
from s2s.quantization.integer_ports import with_integer_ports
from s2s.quantization.noise import compare_layers, least_ratio, tensor_values
from s2s.quantization.onnx_attention import drop_pairs_of_scores, masked_scores, with_products
from s2s.quantization.onnx_network import Integers, OnnxNetwork, share_no_vectors
from s2s.quantization.ranges import Method
from s2s.quantization.recurrent import quantize_recurrent
from s2s.quantization.refine import Candidate, refined
from s2s.quantization.result import Quantized
from s2s.quantization.samples import InputSpec, Samples, SamplesSource, opened
from s2s.quantization.settings import Settings
from s2s.support import progress
from s2s.support.extras import require_extra
from s2s.support.logs import errors_only
from s2s.types.dtypes import Array

if TYPE_CHECKING:
    from torch.nn import Module

PortType = Literal["float", "int8"]


def quantize(
    model: "ModelSource | Module",
    samples: SamplesSource,
    *,
    method: Method = "minmax",
    refine: bool = True,
    labels: str | None = None,
    test: SamplesSource | None = None,
    ports: PortType = "float",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    trust: bool = False,
) -> Quantized:
    """Quantise `model` to 8 bits: weights per output channel, activations by calibration on `samples`.

    `samples` is an `.npz` file, or arrays by input name, that hold samples one after the other. `method` chooses the
    ranges of activations: `minmax` keeps all values, `entropy` and `percentile` cut rare large ones off. `refine`
    equalises channels and corrects biases where that brings the outputs closer to floats on the samples. `labels`
    names an array beside the inputs with the class of each sample, from 0: the result then tells how many are
    classified rightly, of the samples in `test` where that is given. With `ports` as `int8`, inputs and outputs are
    integers too, where the model quantises them at once. A program of PyTorch, or a module that is exported on the
    first sample, becomes a program with pairs of `quantized_decomposed` operators; `trust` lets a file of one run code
    while it is read.
    """
    require_extra("verify", "quantisation")
    if is_gguf(model):
        place = "model" if isinstance(model, bytes) else model
        raise InputError(f"{place}: is a GGUF file, which only llama-quantize of llama.cpp quantises; take that")
    settings = Settings(method, refine, labels, test, ports == "int8", shapes or {})
    loaded = load_model(_program(model, samples), trust=trust)
    if isinstance(loaded, torch.LoadedModel):
        from s2s.quantization.programs import quantize_program

        return quantize_program(loaded, samples, settings)
    if not isinstance(loaded, LoadedModel):
        raise InputError(f"{loaded.label}: only models of ONNX and PyTorch are quantised here; use TFLite's converter")
    _require_floats(loaded)
    return _quantize_model(loaded, samples, settings)


def _quantize_model(loaded: LoadedModel, samples: SamplesSource, settings: Settings) -> Quantized:
    specs = _inputs(loaded, settings.shapes)
    read, classified = settings.samples(samples, specs), settings.labelled(samples, specs)
    real = _prepared(loaded, settings.shapes)
    progress.step("quantising")
    format = _OnnxFormat(read, settings.method)
    best = refined(real, format) if settings.refine else Candidate(real, format.quantized(real))
    return Quantized(
        with_integer_ports(best.quantized) if settings.integer_ports else best.quantized,
        settings.method,
        read.count,
        compare_layers(best.real, best.quantized, read, read.count),
        float_nodes(best.quantized),
        weight_bytes(real),
        weight_bytes(best.quantized),
        best.steps,
        None if classified is None else _accuracy(classified, real, best.quantized),
    )


def _accuracy(classified: Labelled, real: onnx.ModelProto, quantized: onnx.ModelProto) -> Accuracy:
    """How many samples of known classes both models classify rightly by their first output."""
    name = real.graph.output[0].name
    scores = (
        (values[name] for values in tensor_values(model, [name], classified.samples)) for model in (real, quantized)
    )
    return accuracy(classified.labels, *scores)


def _program(module: "ModelSource | Module", source: SamplesSource) -> ModelSource:
    """Export a module of PyTorch on the first sample, whose arrays have the names of the arguments of `forward`;
    return any other model as it is."""
    if "torch" not in sys.modules:
        return cast("ModelSource", module)
    from torch.nn import Module

    if not isinstance(module, Module):
        return module
    arrays = source if isinstance(source, Mapping) else dict(opened(Path(source)))
    arguments = list(inspect.signature(module.forward).parameters)
    names = [name for name in arguments if name in arrays]
    if not names:
        accepted = ", ".join(map(repr, arguments))
        raise InputError(f"samples: hold none of the arguments of forward, {accepted}; name the arrays after these")
    first = [np.asarray(np.asarray(arrays[name])[:1], order="C") for name in names]
    return torch.export(module.eval(), [to_tensor(each) for each in first])


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


def _prepared(loaded: LoadedModel, shapes: Mapping[str, tuple[int, ...]]) -> onnx.ModelProto:
    """Return the model with inferred shapes, batch norms folded into the layers before them, and attention as products:
    as quantisers expect. All nodes have names."""
    from onnxruntime.quantization.shape_inference import quant_pre_process

    progress.step("preparing the model")
    proto = onnx.ModelProto()
    proto.CopyFrom(loaded.proto)
    for value in proto.graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, shapes.get(value.name, ()), strict=False):
            dim.dim_value = size
    with tempfile.TemporaryDirectory(prefix="s2s-quantize-") as folder, _quietly(loaded.label):
        before, after = Path(folder) / "model.onnx", Path(folder) / "prepared.onnx"
        if loaded.folder is not None:
            onnx.load_external_data_for_model(proto, loaded.folder)
        before.write_bytes(with_products(proto).SerializeToString())
        quant_pre_process(str(before), str(after), skip_symbolic_shape=True)
        made = onnx.ModelProto.FromString(after.read_bytes())
    for number, node in enumerate(made.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"
    share_no_vectors(made)
    return made


class _OnnxFormat:
    """How ONNX models are quantised and run."""

    def __init__(self, samples: Samples, method: Method) -> None:
        self._samples = samples
        self._method: Method = method

    def copied(self, model: onnx.ModelProto) -> onnx.ModelProto:
        """A copy of a model."""
        copied = onnx.ModelProto()
        copied.CopyFrom(model)
        return copied

    copied_integers = copied

    def quantized(self, real: onnx.ModelProto) -> onnx.ModelProto:
        """The model in QDQ form."""
        quantized = _quantized(real, self._samples, self._method)
        quantize_recurrent(real, quantized, self._samples)
        _drop_unused_domains(quantized)
        return quantized

    def network(self, real: onnx.ModelProto) -> OnnxNetwork:
        """The layers."""
        return OnnxNetwork(real)

    def integers(self, quantized: onnx.ModelProto) -> Integers:
        """The constants."""
        return Integers(quantized)

    def observed(self, real: onnx.ModelProto, spatial: Mapping[str, bool]) -> Channels:
        """What the channels of some tensors hold."""
        return observed(tensor_values(real, list(spatial), self._samples), spatial)

    def output_noise(self, real: onnx.ModelProto, quantized: onnx.ModelProto) -> float:
        """The least signal to noise ratio of an output, in decibel."""
        names = [value.name for value in real.graph.output]
        runs = (tensor_values(model, names, self._samples) for model in (real, quantized))
        return least_ratio((name, x[name], y[name]) for x, y in zip(*runs, strict=True) for name in names)


def _quantized(real: onnx.ModelProto, samples: Samples, method: Method) -> onnx.ModelProto:
    from onnxruntime import quantization as engine

    class Reader(engine.CalibrationDataReader):
        """Yields the samples one by one."""

        def __init__(self) -> None:
            self._left: Iterator[tuple[int, dict[str, Array]]] = iter(enumerate(samples, 1))

        def get_next(self) -> dict[str, Array] | None:
            number, sample = next(self._left, (0, None))
            if sample is not None:
                progress.step(f"calibrating: sample {number} of {samples.count}")
            return sample

    methods = {
        "minmax": engine.CalibrationMethod.MinMax,
        "entropy": engine.CalibrationMethod.Entropy,
        "percentile": engine.CalibrationMethod.Percentile,
    }
    floats = masked_scores(real)
    with tempfile.TemporaryDirectory(prefix="s2s-quantize-") as folder, _quietly("quantisation"):
        before, after = Path(folder) / "prepared.onnx", Path(folder) / "quantized.onnx"
        before.write_bytes(real.SerializeToString())
        engine.quantize_static(
            str(before),
            str(after),
            Reader(),
            quant_format=engine.QuantFormat.QDQ,
            per_channel=True,
            activation_type=engine.QuantType.QInt8,
            weight_type=engine.QuantType.QInt8,
            calibrate_method=methods[method],
            nodes_to_exclude=floats,
        )
        made = onnx.ModelProto.FromString(after.read_bytes())
    drop_pairs_of_scores(made, floats)
    return made


def _drop_unused_domains(model: onnx.ModelProto) -> None:
    """Import what nodes use; preparing a model adds every domain that onnxruntime knows."""
    used = {"", *(node.domain for node in model.graph.node)}
    kept = [entry for entry in model.opset_import if entry.domain in used]
    del model.opset_import[:]
    model.opset_import.extend(kept)


@contextlib.contextmanager
def _quietly(place: str) -> Generator[None]:
    """Suppress the output of the quantiser, and convert its exceptions to ours."""
    try:
        with errors_only(), contextlib.redirect_stdout(io.StringIO()):
            yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise ToolchainError(
            f"{place}: onnxruntime cannot quantise this model ({error}); check it with onnx.checker, or quantise it "
            "elsewhere"
        ) from error
