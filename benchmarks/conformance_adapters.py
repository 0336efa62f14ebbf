"""Adapters for the ONNX conformance runner: `function(model_path, inputs) -> outputs`.

`run` is the whole compiler: the emitted C, built and called. `run_graph` stops after the frontend, so that a case that
fails there and one that fails further down can be told apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from s2s.analysis.network.functions import output_numbers
from s2s.compilation import Compilation
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph as interpret
from s2s.options import CompileOptions, Executor
from s2s.stages.c import Lowered
from s2s.targets.flags import STANDARD
from s2s.types.dtypes import Array
from s2s.types.interface import EMPTY_OUTPUTS, ModelTensor, as_declared, empty_tensors, model_tensor
from s2s.types.narrow import NARROW, pack
from s2s.types.symbols import function_named
from s2s.verify.build import load

QUICK = "-O1"
"""How networks are optimised that take longer to compile than to run."""
SMALL_WEIGHTS = 1 << 20
"""Bytes of weights up to which a network is built with the quick flags."""


def run(model_path: str, inputs: Sequence[Array]) -> list[Array]:
    """Compile to C, build, and run as the entry function does."""
    return _run_c(model_path, inputs, "aot")


def run_executor(model_path: str, inputs: Sequence[Array]) -> list[Array]:
    """Compile to C, build, and run by the graph executor."""
    return _run_c(model_path, inputs, "graph")


def run_graph(model_path: str, inputs: Sequence[Array]) -> list[Array]:
    """Import the model and run it by the numpy meaning of the graph dialect."""
    imported = import_model(model_path)
    main = function_named(imported.module, "main")
    assert main is not None
    given = [pack(array) if array.dtype in NARROW else array for array in inputs if array.size]
    found = interpret(imported.module, given, imported.weights)
    attributes = [] if main.res_attrs is None else list(main.res_attrs)
    outputs = [_Output(model_tensor(attributes[number].data)) for number in output_numbers(main)]
    return as_declared(outputs, empty_tensors(main, EMPTY_OUTPUTS), found)


@dataclass(frozen=True)
class _Output:
    """An output of `main`."""

    model: ModelTensor | None
    name: str = ""
    texts: tuple[str, ...] = ()


def _run_c(model_path: str, inputs: Sequence[Array], executor: Executor) -> list[Array]:
    compilation = Compilation(model_path, CompileOptions(executor=executor))
    small = compilation.facts(Lowered).constants <= SMALL_WEIGHTS
    flags = (*STANDARD, QUICK, *compilation.info.target.cflags) if small else None
    with load(compilation.tree, flags=flags, as_unit=small) as network:
        return list(network.run(dict(zip(network.input_names, inputs, strict=True))).values())
