"""Runs in steps (`--steps`) beside runs in one piece, on an emulated board: the longest step, all steps together, RAM.

    python -m benchmarks.steps [--board qemu:m4] [--bounds 10000 100000 1000000] [NETWORK ...]

Prints for each network and bound the number of steps, the cycles of the longest one by the model of the core with the
most that its manual allows, the cycles of all steps over those of one run, and the bytes of the arena and of the
structure of a run. A network with a sum that takes more than a bound is refused with it, which is printed. Exits with 1
if a step is above its bound or the one in the header, a bit differs, RAM grows by over 64 bytes, or all steps take over
1.02 runs where the bound is a hundredth of the run or more.
"""

import argparse
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from benchmarks.models import MLPERF_TINY
from benchmarks.networks.builder import Network
from s2s import api
from s2s.artifact import Artifact
from s2s.boards import get_board
from s2s.dialects import c
from s2s.errors import UnsupportedError
from s2s.testing.decoders import Config, make_model, states
from s2s.types.dtypes import Array
from s2s.verify.on_board import BoardBuild

BOUNDS = (10_000, 100_000, 1_000_000)
OVERHEAD, SHARE, RAM = 1.02, 100, 64
"""The goals: all steps over one run, where a step may be this part of it; bytes beside the arena."""
COLUMNS = ("bound", 11), ("steps", 7), ("longest", 10), ("ratio", 8), ("arena", 8), ("beside", 8)
DECODER = Config(layers=2, width=64, hidden=96, vocabulary=256, bits=8)


def lstm() -> onnx.ModelProto:
    """49 frames of 10 coefficients: an LSTM of 32 units, of which the last output is classified."""
    net = Network("lstm")
    layer = net.weights(1, 128, 10, fan=10), net.weights(1, 128, 32, fan=32), net.weights(1, 256, fan=100)
    sequence = net.op("LSTM", net.input(49, 1, 10), *layer, hidden_size=32)
    last = net.op("Slice", sequence, net.integers(48), net.integers(49), net.integers(0))
    return net.model(net.linear(net.op("Reshape", last, net.integers(1, 32)), 12))


def _decoder() -> onnx.ModelProto:
    return make_model(DECODER)


NETWORKS: Mapping[str, Path | Callable[[], onnx.ModelProto]] = {
    "kws": MLPERF_TINY / "kws_ref_model_int8.tflite",
    "vww": MLPERF_TINY / "vww_96_int8.tflite",
    "ic": MLPERF_TINY / "pretrainedResnet_quant.tflite",
    "lstm": lstm,
    "decoder": _decoder,
}


def _compiled(name: str, **options: Any) -> Artifact:
    network = NETWORKS[name]
    kept = states(DECODER) if network is _decoder else None
    every: dict[str, Any] = {"states": kept, **options}
    return api.compile(network if isinstance(network, Path) else network(), **every)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("networks", nargs="*", default=list(NETWORKS), metavar="NETWORK")
    parser.add_argument("--board", default="qemu:m4")
    parser.add_argument("--bounds", type=int, nargs="+", default=BOUNDS)
    arguments = parser.parse_args()
    good = True
    print(" " * 9 + "".join(f"{word:>{width}}" for word, width in COLUMNS))
    for name in arguments.networks:
        good &= _compare(name, arguments.board, arguments.bounds)
    raise SystemExit(0 if good else 1)


def _compare(name: str, board: str, bounds: Sequence[int]) -> bool:
    """Print the figures of a network, and return whether they meet the goals."""
    target = get_board(board).target
    with _compiled(name, target=target) as ordinary:
        inputs, arena = _inputs(ordinary), ordinary.info.arena_size
        with _build(ordinary, board) as build:
            run = build.run([inputs], layers=False)
    [cycles], expected = run.cycles, b"".join(output.tobytes() for output in run.outputs[0])
    print(f"{name:<9}{'one piece':>11}{'':>7}{cycles.count:>10,}{'':>8}{arena:>8,}", flush=True)
    good = True
    for bound in bounds:
        try:
            artifact = _compiled(name, target=target, steps=(bound, "cycles"))
        except UnsupportedError as error:
            print(f"{'':<9}{bound:>11,}  {error}", flush=True)
            continue
        with artifact, _build(artifact, board) as build:
            steps = build.steps(inputs)
            longest, total = max(step.most for step in steps.cycles), sum(step.count for step in steps.cycles)
            ratio, beside = total / cycles.count, artifact.info.arena_size - arena + _structure(artifact)
            line = f"{bound:>11,}{len(steps.cycles):>7,}{longest:>10,}{ratio:>8.4f}{artifact.info.arena_size:>8,}"
            line += f"{beside:>8}"
            same = steps.outputs == expected
            stated = artifact.info.steps.longest if artifact.info.steps is not None else 0
            above = f"  above the {stated:,} of the header" * (longest > stated)
            print(f"{'':<9}{line}{'' if same else '  other bits'}{above}", flush=True)
            is_long = bound * SHARE >= cycles.count
            good &= same and longest <= stated <= bound and beside <= RAM and (ratio <= OVERHEAD or not is_long)
    return good


def _structure(artifact: Artifact) -> int:
    """The bytes of the structure of a run on a core of 32 bits, whose members are pointers and numbers."""
    (structure,) = (op for op in artifact.compilation.at("c").module.ops if isinstance(op, c.StructOp))
    return 4 * len(structure.members)


@contextmanager
def _build(artifact: Artifact, board: str) -> Generator[BoardBuild]:
    with tempfile.TemporaryDirectory() as folder:
        tree = artifact.tree().write(Path(folder) / artifact.name)
        with closing(BoardBuild(tree, get_board(board))) as build:
            yield build


def _inputs(artifact: Artifact) -> list[Array]:
    rng: Any = np.random.default_rng(0)
    return [
        rng.integers(0, 4, port.shape).astype(port.dtype)
        if port.dtype.kind in "iu"
        else rng.standard_normal(port.shape).astype(port.dtype)
        for port in artifact.info.inputs
    ]


if __name__ == "__main__":
    main()
