"""Static quantisation of models of any format that is quantised here."""
# The types of onnxruntime and onnx are partly unknown.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from s2s.data.sets import SamplesSource, opened
from s2s.errors import InputError
from s2s.frontends import torch
from s2s.frontends.formats import ModelSource, load_model
from s2s.frontends.gguf import is_gguf
from s2s.frontends.onnx import LoadedModel
from s2s.frontends.torch.tensors import to_tensor
from s2s.quantization.metrics import Function
from s2s.quantization.onnx_work import OnnxWork
from s2s.quantization.ranges import Method
from s2s.quantization.result import Quantized
from s2s.quantization.settings import Activations, PortType, settings_of
from s2s.support.extras import require_extra

if TYPE_CHECKING:
    from torch.nn import Module

    from s2s.frontends.features.step import PreStep


def quantize(
    model: "ModelSource | Module",
    samples: SamplesSource,
    *,
    method: Method = "minmax",
    refine: bool = True,
    labels: str | None = None,
    test: SamplesSource | None = None,
    pre: Sequence["PreStep | str"] = (),
    metric: "str | Function" = "accuracy",
    ports: PortType = "float",
    activations: Activations = "int8",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    trust: bool = False,
) -> Quantized:
    """Quantise `model` to 8 bits: weights per output channel, activations by calibration on `samples`.

    `samples` are arrays by input name that hold samples one after the other, or a source of them: an `.npz`, `.npy`,
    `.csv`, `.parquet` or `.arrow` file, a folder of images or sounds, or `FILE.py:FUNCTION`. `pre` are steps before the
    inputs, as of `compile`, that the samples go through. `method` chooses the ranges of activations: `minmax` keeps all
    values, `entropy` and `percentile` cut rare large ones off. `refine` equalises channels and corrects biases where
    that brings the outputs closer to floats on the samples. `labels` names an array or column beside the inputs with
    the class of each sample: the result then tells how many are classified rightly, of the samples in `test` where that
    is given. `metric` is another number to compare: `f1`, `auc`, `map`, or a function of scores and labels. With
    `ports` as `int8`, inputs and outputs are integers too, where the model quantises them at once. `activations` of
    `int16` (ONNX models) take 16 bits, symmetric, beside weights of 8. A program of PyTorch, or a module that is
    exported on the first sample, becomes a program with pairs of `quantized_decomposed` operators; `trust` lets a
    file of one run code while it is read.
    """
    require_extra("verify", "quantisation")
    if is_gguf(model):
        place = "model" if isinstance(model, bytes) else model
        raise InputError(f"{place}: is a GGUF file, which only llama-quantize of llama.cpp quantises; take that")
    settings = settings_of(
        method=method,
        refine=refine,
        labels=labels,
        test=test,
        pre=pre,
        metric=metric,
        ports=ports,
        activations=activations,
        shapes=shapes,
    )
    loaded = load_model(_program(model, samples), trust=trust)
    if isinstance(loaded, torch.LoadedModel):
        from s2s.quantization.programs import quantize_program

        return quantize_program(loaded, samples, settings)
    if not isinstance(loaded, LoadedModel):
        raise InputError(f"{loaded.label}: only models of ONNX and PyTorch are quantised here; use TFLite's converter")
    return OnnxWork(loaded, samples, settings).result()


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
