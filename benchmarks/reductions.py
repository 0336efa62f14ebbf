"""Long reductions with and without what schedules do for them: partial accumulators (rfactor) and cache blocks.

    python -m benchmarks.reductions [NAME ...] [--rounds 6] [--cpu N]

Each network is compiled for this machine as the compiler chooses, and without its `rfactor` or its cache blocks of the
reduction; where it has neither, with blocks of 512 steps that are forced on it. All of them and onnxruntime run in
turns on one core.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from xdsl.parser import Parser

from benchmarks import gemm
from benchmarks.timing import Call, fastest, pin
from s2s.api import compile as compile_network
from s2s.artifact import Artifact
from s2s.data.samples import sample
from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.schedules.directives import Prefetch, Rfactor, Tile, Vectorize
from s2s.schedules.directives.sizes import rows_of, sizes_attribute
from s2s.types.dtypes import tensor_type

BLOCK = 512
"""Steps of the blocks that are forced."""


def product(m: int, k: int, n: int) -> onnx.ModelProto:
    """A product of matrices with constant weights."""
    return gemm.Case(m, k, n, "weights").model()


def pointwise(channels: int, outputs: int, side: int) -> onnx.ModelProto:
    """A convolution of windows of one pixel."""
    values = np.random.default_rng(0).standard_normal((outputs, channels, 1, 1), np.float32)
    return _network("Conv", (1, channels, side, side), [numpy_helper.from_array(values, "w")])


def reduction(name: str, rows: int, size: int) -> onnx.ModelProto:
    """A reduction of the last axis."""
    return _network(name, (rows, size), [numpy_helper.from_array(np.array([1]), "axes")], keepdims=0)


def _network(
    name: str, shape: Sequence[int], constants: Sequence[onnx.TensorProto], **attributes: Any
) -> onnx.ModelProto:
    node = helper.make_node(name, ["x", *(each.name for each in constants)], ["y"], **attributes)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "reduction", [x], [y], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


@dataclass(frozen=True)
class Case:
    """A network of one operator, and the number of the reduction in its kernel."""

    model: onnx.ModelProto
    reduction: int


CASES: Mapping[str, Case] = {
    "ReduceSum of 65536": Case(reduction("ReduceSum", 1, 65536), 1),
    "ReduceMax of 65536": Case(reduction("ReduceMax", 1, 65536), 1),
    "ReduceSum of 3 x 4096": Case(reduction("ReduceSum", 3, 4096), 1),
    "dot product of 16384": Case(product(1, 16384, 1), 1),
    "256 x 4096 x 256": Case(product(256, 4096, 256), 2),
    "512 x 512 x 512": Case(product(512, 512, 512), 2),
    "1 x 4096 x 4096": Case(product(1, 4096, 4096), 1),
    "128 x 16384 x 128": Case(product(128, 16384, 128), 2),
    "128 x 32768 x 64": Case(product(128, 32768, 64), 2),
    "400 x 20000 x 256": Case(product(400, 20000, 256), 2),
    "pointwise 7 x 7, 2048 -> 512": Case(pointwise(2048, 512, 7), 2),
    "pointwise 7 x 7, 512 -> 2048": Case(pointwise(512, 2048, 7), 2),
}

CHOSEN, NO_RFACTOR, NO_BLOCKS, FORCED, THEIRS = "chosen", "no rfactor", "no blocks", "forced", "onnxruntime"
COLUMNS = (CHOSEN, NO_RFACTOR, NO_BLOCKS, FORCED, THEIRS)


def schedules(case: Case, chosen: tensor.ScheduleAttr) -> dict[str, tensor.ScheduleAttr]:
    """Other schedules than the chosen one, by column."""
    tile, found = chosen.find(Tile), dict[str, tensor.ScheduleAttr]()
    rows = [] if tile is None else rows_of(tile.sizes)
    if chosen.find(Rfactor) is not None:
        found[NO_RFACTOR] = chosen.without(Rfactor)
    elif any(row[0] == case.reduction for row in rows):
        plain = [(row[0], row[-1]) for row in rows if row[0] != case.reduction]
        found[NO_BLOCKS] = chosen.replacing(Tile(sizes_attribute(plain)))
    elif tile is not None and (vector := chosen.find(Vectorize)) is not None and vector.dim.data != case.reduction:
        blocked = Tile(sizes_attribute([(case.reduction, BLOCK, 1), *((row[0], row[-1]) for row in rows)]))
        found[FORCED] = chosen.without(Prefetch).replacing(blocked)
    return found


def compiled(case: Case) -> dict[str, Artifact]:
    """The network by the chosen schedule and by the others."""
    artifact = compile_network(case.model, target="host")
    decision = next(each for each in artifact.decisions if each.kind == "schedule")
    schedule = Parser(CompilerContext(), decision.chosen).parse_attribute()
    assert isinstance(schedule, tensor.ScheduleAttr)
    found = {CHOSEN: artifact}
    for column, other in schedules(case, schedule).items():
        entry = {"kind": "schedule", "subject": decision.subject, "chosen": str(other)}
        given = {"format": 1, "decisions": [entry]}
        found[column] = compile_network(case.model, target="host", decisions=given)
    return found


def measured(case: Case, rounds: int) -> dict[str, float]:
    """Seconds of each column that there is."""
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(case.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    artifacts = compiled(case)
    ports = artifacts[CHOSEN].info.inputs
    inputs = {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in ports}
    binding = session.io_binding()
    for name, value in inputs.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(value))
    binding.bind_output(session.get_outputs()[0].name)
    calls: dict[str, Call] = {THEIRS: lambda: session.run_with_iobinding(binding)}
    with ExitStack() as stack:
        bound = {column: stack.enter_context(artifact.loaded()).bind(inputs) for column, artifact in artifacts.items()}
        calls |= {column: each.call for column, each in bound.items()}
        return fastest(calls, rounds, seconds=0.1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of the names of cases")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--cpu", type=int, default=None)
    options = parser.parse_args(arguments)
    pin(options.cpu)
    print(f"{'microseconds':<30}" + "".join(f"{column:>13}" for column in COLUMNS))
    for name, case in CASES.items():
        if not options.names or any(each in name for each in options.names):
            found = measured(case, options.rounds)
            times = (f"{1e6 * found[column]:13.1f}" if column in found else f"{'-':>13}" for column in COLUMNS)
            print(f"{name:<30}{''.join(times)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
