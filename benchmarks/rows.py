"""Networks on rows as a camera gives them (`--push`) beside whole frames: RAM, multiply-adds, instructions.

    python -m benchmarks.rows [--board qemu:m4] [--target cortex-m4] [NETWORK ...]

RAM holds the arena, one row of the input or the whole of it, and the outputs. Both trees run on the board, and their
outputs are compared with the golden ones. Exits with 1 if an output differs, or if pushed rows take over 16,384 bytes
of RAM or over 1.02 times the multiply-adds.
"""

import argparse
from typing import NamedTuple

from benchmarks.models import MLPERF_TINY
from s2s import api
from s2s.analysis.cost.operators import multiply_adds_of_network
from s2s.analysis.network.functions import main_of
from s2s.artifact import Artifact
from s2s.passes.context import CompilerContext
from s2s.passes.graph.buffer_lines import BufferLinesPass
from s2s.types.sliding import Pushed

NETWORKS = {"vww_96_int8": Pushed("input_1_int8", 1)}
RAM, WORK = 16_384, 1.02
"""The goals."""
COLUMNS = ("RAM", 10), ("pushed", 10), ("multiply-adds", 16), ("pushed", 8), ("instructions", 14), ("pushed", 12)


class Result(NamedTuple):
    """The figures of one tree."""

    ram: int
    instructions: int
    bit_exact: bool


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("networks", nargs="*", default=list(NETWORKS), metavar="NETWORK")
    parser.add_argument("--board", default="qemu:m4")
    parser.add_argument("--target", default="cortex-m4")
    arguments = parser.parse_args()
    good = True
    print(" " * 12 + "".join(f"{word:>{width}}" for word, width in COLUMNS))
    for name in arguments.networks:
        model, push = MLPERF_TINY / f"{name}.tflite", NETWORKS[name]
        frames = api.compile(model, target=arguments.target)
        rows = api.compile(model, target=arguments.target, push=push)
        work, share = _work(frames, push)
        one, other = (_run(artifact, name, arguments.board) for artifact in (frames, rows))
        good &= one.bit_exact and other.bit_exact and other.ram <= RAM and share <= WORK
        line = f"{one.ram:10,}{other.ram:10,}{work:16,}{share:8.4f}{one.instructions:14,}{other.instructions:12,}"
        print(f"{name:<12}{line}", flush=True)
    raise SystemExit(0 if good else 1)


def _run(artifact: Artifact, name: str, board: str) -> Result:
    """Run a tree on the board."""
    figures = artifact.verify_on(board, golden=MLPERF_TINY / f"{name}_golden.npz").as_dict()
    return Result(artifact.report().ram, figures["instructions"], figures["bit_exact"])


def _work(artifact: Artifact, push: Pushed) -> tuple[int, float]:
    """Return the multiply-adds on whole frames, and the part of them that rows take."""
    state = artifact.compilation.at("simplify").copy()
    before = multiply_adds_of_network(main_of(state.module))
    BufferLinesPass(**push._asdict()).apply(CompilerContext(state.weights), state.module)
    return before, multiply_adds_of_network(main_of(state.module)) / before


if __name__ == "__main__":
    main()
