"""The interface that ONNX defines for engines: `onnx.backend.test` and its scoreboard run models through it.

    representation = s2s.onnx_backend.prepare(model)
    outputs = representation.run([image])

The C is built with the C compiler of this machine and runs in this process.
"""
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.backend.base import Backend, BackendRep

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.formats import import_model
from s2s.options import CompileOptions
from s2s.types.dtypes import Array


class Representation(BackendRep):
    """A model that has been compiled and loaded."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in order; inputs are a sequence in order, or a mapping by name, or the only one."""
        network = self.artifact.loaded()
        return tuple(network.run(_by_name(network.input_names, inputs)).values())


def _by_name(names: Sequence[str], inputs: Any) -> dict[str, Array]:
    if isinstance(inputs, Mapping):
        return {str(name): np.asarray(value) for name, value in inputs.items()}
    given: Sequence[Any] = [inputs] if isinstance(inputs, np.ndarray) else list(inputs)
    if len(given) != len(names):
        raise InputError(
            f"{len(given)} inputs given, the model has {len(names)}: {', '.join(names)}; give one for each"
        )
    return {name: np.asarray(value) for name, value in zip(names, given, strict=True)}


class S2SBackend(Backend):
    """Compiles ONNX models to C and runs them on this machine."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether all of a model can be imported."""
        try:
            import_model(model)
        except (InputError, UnsupportedError):
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> Representation:
        """Compile a model; `kwargs` are options as `s2s.compile` takes them."""
        if not cls.supports_device(device):
            raise InputError(f"device {device}: is not supported; use CPU")
        return Representation(compile_artifact(model, CompileOptions(**kwargs)))

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
