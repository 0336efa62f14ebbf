"""How far `--requantise fixed` is from onnxruntime: each layer on the same inputs, and the whole network.

    python -m benchmarks.fixed_point keywords_int8.onnx [--runs 40]

A layer is what lies between two quantised tensors of a QDQ model. Each is compiled by itself, and fed what onnxruntime
has there for random inputs of the network; then the whole network is fed these inputs. Prints the elements that differ
and the largest difference, in steps. The exit code is 1 where a layer differs by more than one step; the sum of such
steps through the layers may differ by more.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.utils import Extractor

from s2s import api
from s2s.types.dtypes import Array


@dataclass(frozen=True)
class Distance:
    """How far results are from onnxruntime's, in steps."""

    name: str
    differing: int
    elements: int
    largest: int


def layers(model: onnx.ModelProto) -> Iterator[tuple[list[str], str]]:
    """Yield the quantised tensors that each quantised tensor is computed from, and its name."""
    constants = {entry.name for entry in model.graph.initializer}
    makers = {name: node for node in model.graph.node for name in node.output}
    results = [node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear"]
    ends = {name for name in results if makers[name].input[0] not in constants}
    for result in (name for name in results if name in ends):
        sources: dict[str, None] = {}
        waiting = [makers[result].input[0]]
        while waiting:
            name = waiting.pop()
            if name in ends or name not in makers:
                sources |= {} if name in constants or not name else {name: None}
            else:
                waiting += makers[name].input
        yield [*sources], result


def values(model: onnx.ModelProto, names: Sequence[str], runs: int) -> list[dict[str, Array]]:
    """Return the inputs of random runs and the tensors that onnxruntime computes in each."""
    shown = onnx.ModelProto.FromString(model.SerializeToString())
    added = [name for name in names if name not in {entry.name for entry in shown.graph.output}]
    shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.INT8, None) for name in added)
    runtime: Any = import_module("onnxruntime")
    session = runtime.InferenceSession(shown.SerializeToString())
    ports, results = session.get_inputs(), [entry.name for entry in session.get_outputs()]
    random, rows = np.random.default_rng(0), list[dict[str, Array]]()
    for _ in range(runs):
        feed: dict[str, Array] = {entry.name: random.integers(-128, 128, entry.shape, np.int8) for entry in ports}
        computed = session.run(results, feed)
        rows.append(feed | {name: np.asarray(value) for name, value in zip(results, computed, strict=True)})
    return rows


def distance(model: onnx.ModelProto, name: str, runs: Sequence[Mapping[str, Array]]) -> Distance:
    """Compare the result of a model in fixed point with what it should be."""
    ports = [entry.name for entry in model.graph.input]
    with api.compile(model, target="c", requantise="fixed") as network:
        pairs = [(np.asarray(network.run({key: run[key] for key in ports})[name]), run[name]) for run in runs]
    steps = np.concatenate([np.abs(a.ravel().astype(np.int32) - b.ravel()) for a, b in pairs])
    return Distance(name, int(np.count_nonzero(steps)), steps.size, int(steps.max()))


def main() -> int:
    """Compare, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="a QDQ model with inputs and outputs of int8")
    parser.add_argument("--runs", type=int, default=40, help="random inputs")
    options = parser.parse_args()
    model = onnx.shape_inference.infer_shapes(onnx.ModelProto.FromString(options.model.read_bytes()))
    rows = [*layers(model)]
    runs, extractor = values(model, [name for _, name in rows], options.runs), Extractor(model)
    print(f"{'result':<36}{'differ':>9}{'of':>10}{'by at most':>12}")
    by_layer: list[Distance] = []
    for sources, name in rows:
        by_layer.append(distance(extractor.extract_model(sources, [name]), name, runs))
        show(by_layer[-1])
    show(distance(model, model.graph.output[0].name, runs), "the whole network: ")
    return 0 if all(entry.largest <= 1 for entry in by_layer) else 1


def show(rows: Distance, where: str = "") -> None:
    """Print one row."""
    print(f"{where + rows.name:<36}{rows.differing:9,}{rows.elements:10,}{rows.largest:12}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
