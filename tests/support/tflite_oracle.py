"""Reference kernels on this machine: TFLite-Micro's, and LiteRT's for operators that it has not."""

import importlib
from collections.abc import Sequence
from typing import Any

from s2s.types.dtypes import Array

ARENA = 4 << 20


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
