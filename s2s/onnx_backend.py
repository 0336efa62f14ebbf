"""The interface that ONNX defines for engines: `onnx.backend.test` and its scoreboard run models through it.

    representation = s2s.onnx_backend.prepare(model)
    outputs = representation.run([image])

The C is built with the C compiler of this machine and runs in this process. Where sizes of results depend on inputs,
as those of Reshape do, the values of a run become constants. ONNX's own tests:

    backend_test = onnx.backend.test.BackendTest(s2s.onnx_backend.S2SBackend, __name__)
    for pattern in s2s.onnx_backend.EXCLUDED:
        backend_test.exclude(pattern)
    globals().update(backend_test.test_cases)
"""
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto
from onnx.backend.base import Backend, BackendRep

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import CompilerBug, InputError, UnknownValueError, UnsupportedError
from s2s.frontends.formats import import_model
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.types.numbers import as_numbers

EXCLUDED: dict[str, str] = {
    r"^test_(bernoulli|training_dropout_(default|mask|cpu))": "draws random numbers, which differ between engines",
    r"^test_dft_inverse_(opset\d+_)?cpu": "sums that cancel are 1.9e-7 in place of 0 in float32; 1e-7 is allowed",
    r"^test_(adagrad|adam|momentum|nesterov_momentum)": "an optimiser of training, not of inference",
    r"^test_flexattention(?!.*expanded)": "its definition in onnx 1.23 calls operators of a domain it does not import",
    r"^test_image_decoder": "decodes image files, whose sizes depend on the data",
    r"^test_(identity_sequence|if_seq|loop13_seq|sequence_|split_to_sequence)(?!model)": "sequences of tensors",
    r"^test_(identity_opt|if_opt|loop16_seq_none|optional_)": "optional tensors and sequences",
    r"^test_(string_|strnorm|regex_|equal_string|ai_onnx_ml_label_encoder_(string|tensor))": "texts",
}
"""Tests of ONNX's runner that cannot pass, as regular expressions of their names, and why."""

MAX_SHORT = 64
"""The most elements of an input that may become a constant."""


class Representation(BackendRep):
    """A model that has been compiled and loaded."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in order; inputs are a sequence in order, or a mapping by name, or the only one."""
        network = self.artifact.loaded()
        return tuple(network.run(_by_name(network.input_names, inputs)).values())


class LateRepresentation(BackendRep):
    """A model that is compiled when the values of its short inputs are known, and again when they change.

    Integers become constants first; numbers of other types too where that is not enough.
    """

    def __init__(self, model: ModelProto, options: CompileOptions, short: Sequence[str]) -> None:
        self._model, self._options, self._short = model, options, short
        self._bound: dict[str, Array] = {}
        self._compiled: Representation | None = None

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in order, for inputs as `Representation.run` takes them."""
        given = _by_name(_input_names(self._model), inputs)
        changed = any(not np.array_equal(given[name], value) for name, value in self._bound.items())
        if self._compiled is None or changed:
            self._compiled = self._compile({name: given[name] for name in self._short})
        return self._compiled.run({name: value for name, value in given.items() if name not in self._bound})

    def _compile(self, short: Mapping[str, Array]) -> Representation:
        integers = {name: value for name, value in short.items() if value.dtype.kind in "biu"}
        for bound in [integers, short] if 0 < len(integers) < len(short) else [short]:
            numbers = {name: as_numbers(_plain(value), name) for name, value in bound.items()}
            try:
                compiled = compile_artifact(self._model, replace(self._options, bind={**self._options.bind, **numbers}))
            except UnsupportedError:
                if bound is short:
                    raise
                continue
            self._bound = dict(bound)
            return Representation(compiled)
        raise CompilerBug("a model without short inputs has no values to wait for")


def _plain(value: Array) -> Array:
    """A value in a type that numpy has by itself."""
    return value if value.dtype.kind in "biuf" else value.astype(np.float32)


def _input_names(model: ModelProto) -> list[str]:
    """The inputs of a model that have no value of their own."""
    initialised = {each.name for each in model.graph.initializer}
    return [each.name for each in model.graph.input if each.name not in initialised]


def _short_inputs(model: ModelProto) -> list[str]:
    """The inputs of numbers that may say how large a result is: at most one axis, and few elements."""
    names, found = _input_names(model), list[str]()
    for each in model.graph.input:
        type = each.type.tensor_type
        sizes = [size.dim_value or MAX_SHORT + 1 for size in type.shape.dim]
        numeric = type.elem_type not in (TensorProto.UNDEFINED, TensorProto.STRING)
        if each.name in names and numeric and len(sizes) <= 1 and sum(sizes) <= MAX_SHORT:
            found.append(each.name)
    return found


def _by_name(names: Sequence[str], inputs: Any) -> dict[str, Array]:
    if isinstance(inputs, Mapping):
        return {str(name): np.asarray(value) for name, value in inputs.items()}
    given: Sequence[Any] = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
    if len(given) != len(names):
        raise InputError(
            f"{len(given)} inputs given, the model has {len(names)}: {', '.join(names)}; give one for each"
        )
    return {name: np.asarray(value) for name, value in zip(names, given, strict=True)}


def _is_imported(model: ModelProto) -> bool:
    """Whether a model can be imported, or can be once the values of its short inputs are constants."""
    try:
        import_model(model)
    except UnknownValueError:
        return bool(_short_inputs(model))
    except (InputError, UnsupportedError):
        return False
    return True


class S2SBackend(Backend):
    """Compiles ONNX models to C and runs them on this machine."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether all of a model can be imported, at the latest when the values of its short inputs are known."""
        return cls.supports_device(device) and _is_imported(model)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> Representation | LateRepresentation:
        """Compile a model; `kwargs` are options as `s2s.compile` takes them. A model that cannot be compiled before the
        values of its short inputs are known (new shapes, numbers of steps) is compiled when it first runs."""
        if not cls.supports_device(device):
            raise InputError(f"device {device}: is not supported; use CPU")
        options, short = CompileOptions(**kwargs), _short_inputs(model)
        try:
            return Representation(compile_artifact(model, options))
        except UnsupportedError:
            if not short:
                raise
        return LateRepresentation(model, options, short)

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        """Compile a model and run it once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether networks run on a device, as ONNX names it."""
        return device.partition(":")[0] == "CPU"


is_compatible = S2SBackend.is_compatible
prepare = S2SBackend.prepare
run = S2SBackend.run_model
run_model = S2SBackend.run_model
supports_device = S2SBackend.supports_device
