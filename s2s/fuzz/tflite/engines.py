"""Reference kernels on this machine: TFLite-Micro's, and LiteRT's for operators that it has not."""

import importlib
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from s2s.errors import InputError
from s2s.frontends.tflite.unsigned import SHIFTED
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array

ARENA = 4 << 20
STDERR = 2

EngineName = Literal["TFLite-Micro", "TFLite-Micro on int8", "LiteRT"]
ENGINES: tuple[EngineName, ...] = ("TFLite-Micro on int8", "TFLite-Micro", "LiteRT")
"""By default the first engine that takes an operator computes it."""


def run_micro(model: bytes, inputs: Sequence[Array], *, arena: int = ARENA) -> list[Array]:
    """The outputs of a model for one set of inputs, in the order of the model."""
    package: Any = importlib.import_module("tflite_micro")
    interpreter = package.runtime.Interpreter.from_bytes(model, arena_size=arena)
    for place, value in enumerate(inputs):
        interpreter.set_input(value, place)
    interpreter.invoke()
    count = len(_outputs(model))
    return [interpreter.get_output(place).copy() for place in range(count)]


def run_litert(model: bytes, inputs: Sequence[Array], *, optimized: bool = False) -> list[Array]:
    """The outputs of a model for one set of inputs, by the reference kernels of LiteRT or by its optimised ones."""
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    kinds = package.OpResolverType
    kernels = kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES if optimized else kinds.BUILTIN_REF
    return _run(package.Interpreter(model_content=model, experimental_op_resolver_type=kernels), inputs)


def run_litert_resized(model: bytes, inputs: Sequence[Array]) -> list[Array]:
    """As `run_litert`, with inputs that get the shapes of `inputs` before."""
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    kernels = package.OpResolverType.BUILTIN_REF
    interpreter = package.Interpreter(model_content=model, experimental_op_resolver_type=kernels)
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.resize_tensor_input(detail["index"], value.shape)
    return _run(interpreter, inputs)


def _run(interpreter: Any, inputs: Sequence[Array]) -> list[Array]:
    interpreter.allocate_tensors()
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def _outputs(model: bytes) -> Sequence[int]:
    tflite: Any = importlib.import_module("tflite")
    graph = tflite.Model.GetRootAs(model, 0).Subgraphs(0)
    return range(graph.OutputsLength())


def run_operator(
    operator: OperatorSpec,
    tensors: Mapping[str, TensorSpec],
    runs: Sequence[Mapping[str, Array]],
    engines: Sequence[EngineName] = ENGINES,
) -> tuple[EngineName, list[list[Array]]]:
    """The first engine that takes an operator, and the outputs for each of `runs`, the operands by name."""
    reasons: list[str] = []
    for name in engines:
        try:
            with _silenced():
                return name, [_ENGINES[name](operator, tensors, each) for each in runs]
        except (RuntimeError, ValueError, InputError) as error:
            lines = str(error).strip().splitlines()
            reasons.append(f"{name} ({lines[0] if lines else type(error).__name__})")
    raise InputError(f"{operator.builtin}: no engine computes it: {', '.join(reasons)}; leave it out")


@contextmanager
def _silenced() -> Generator[None]:
    """Both engines print why they refuse a model."""
    kept, nothing = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, STDERR)
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(kept)
        os.close(nothing)


Runner = Callable[[bytes, Sequence[Array]], list[Array]]


def _run_alone(
    run: Runner, operator: OperatorSpec, tensors: Mapping[str, TensorSpec], operands: Mapping[str, Array]
) -> list[Array]:
    """The outputs of a model of one operator, in the shapes that its tensors have."""
    names = dict.fromkeys(filter(None, operator.inputs))
    specs = [
        replace(tensors[name], data=operands[name]) if tensors[name].data is not None else tensors[name]
        for name in names
    ]
    results = [tensors[name] for name in operator.outputs]
    free = [spec.name for spec in specs if spec.data is None and not spec.is_variable]
    further = [tensors[name] for name in operator.intermediates]
    data = model([GraphSpec([*specs, *results, *further], [operator], free, operator.outputs)])
    found = run(data, [np.asarray(operands[name], order="C") for name in free])
    return [value.reshape(spec.shape) for value, spec in zip(found, results, strict=True)]


def _micro(operator: OperatorSpec, tensors: Mapping[str, TensorSpec], operands: Mapping[str, Array]) -> list[Array]:
    return _run_alone(run_micro, operator, tensors, operands)


def _litert(operator: OperatorSpec, tensors: Mapping[str, TensorSpec], operands: Mapping[str, Array]) -> list[Array]:
    return _run_alone(run_litert, operator, tensors, operands)


def _micro_on_int8(
    operator: OperatorSpec, tensors: Mapping[str, TensorSpec], operands: Mapping[str, Array]
) -> list[Array]:
    """TFLite-Micro has few kernels for uint8: the kernels for int8 compute the same on numbers that are 128 lower."""
    names = [*filter(None, operator.inputs), *operator.outputs]
    raised = [name for name in names if tensors[name].element == "UINT8"]
    if operator.builtin not in SHIFTED or not raised:
        raise InputError(f"{operator.builtin}: is no operator on uint8; compute it as it is")
    lower = {name: lowered(tensors[name]) for name in names}
    given = {name: (lowered_values(value) if name in raised else value) for name, value in operands.items()}
    found = _run_alone(run_micro, operator, {**tensors, **lower}, given)
    return [
        lowered_values(value).view(np.uint8) if name in raised else value
        for name, value in zip(operator.outputs, found, strict=True)
    ]


def lowered(spec: TensorSpec) -> TensorSpec:
    """The tensor in int8, if it is in uint8."""
    if spec.element != "UINT8":
        return spec
    data = None if spec.data is None else lowered_values(spec.data)
    return replace(spec, type="INT8", data=data, zero_point=np.asarray(spec.zero_point) - 128)


def lowered_values(values: Array) -> Array:
    """The bytes 128 lower, as int8."""
    return (values.view(np.uint8) ^ np.uint8(128)).view(np.int8)


_ENGINES: Mapping[EngineName, Callable[[OperatorSpec, Mapping[str, TensorSpec], Mapping[str, Array]], list[Array]]] = {
    "TFLite-Micro on int8": _micro_on_int8,
    "TFLite-Micro": _micro,
    "LiteRT": _litert,
}
