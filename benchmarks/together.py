"""Two networks in one tree: flash, RAM and instructions beside the figures of a tree for each.

    python -m benchmarks.together                                  (KWS and IC of MLPerf Tiny, Cortex-M4, a minute)
    python -m benchmarks.together A.onnx B.onnx --target cortex-m0 --no-run

Flash is code and constants as the compiler of the target makes them, each file for itself; a C library is not counted.
Instructions are counted on an emulated Cortex-M4 with the inputs of the self-test. Exits with 1 where sharing alike
kernels saves less flash than the goal, takes more RAM than the largest network alone, or costs more instructions than
the bound.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.models import find_model
from s2s import api
from s2s.artifact import Artifact
from s2s.boards import get_board
from s2s.emit.files import Tree
from s2s.joint.artifact import SHARES
from s2s.verify.on_board import BoardBuild

DEFAULT = ("tiny_kws_dscnn_int8", "tiny_ic_resnet8_int8")
GOAL = 0.08
"""The part of the flash of two trees that one tree is to save."""
BOUND = 0.12
"""The part of its instructions by which a network may slow down for that."""
BOARD = "qemu:m4"


def main() -> int:
    """Print the table, and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=DEFAULT)
    parser.add_argument("--target", default="cortex-m4")
    parser.add_argument("--no-run", action="store_true", help="count no instructions")
    given = parser.parse_args()
    artifacts = [api.compile(find_model(model), target=given.target) for model in given.models]
    counted = not given.no_run
    print(f"{'':32} {'flash':>9} {'code':>8} {'RAM':>8}  instructions")
    flash, ram, alone = 0, 0, list[int]()
    for artifact in artifacts:
        found = artifact.report(measure=True)
        assert found.flash is not None, f"no compiler for {given.target}"
        assert found.code is not None
        flash, ram = flash + found.flash, max(ram, found.ram)
        alone += [_instructions(artifact.tree(), artifact)] if counted else []
        print(f"{artifact.name:32} {found.flash:>9,} {found.code:>8,} {found.ram:>8,}  {_listed(alone[-1:])}")
    print(f"{'sum of flash, largest RAM':32} {flash:>9,} {'':>8} {ram:>8,}")
    passed = False
    for share in SHARES:
        joint = api.together(artifacts, share=share)
        report = joint.report(measure=True)
        assert report.flash is not None
        assert report.code is not None
        steps = [_instructions(joint.tree(), each) for each in artifacts] if counted else []
        title = f"together, {share} kernels shared"
        print(f"{title:32} {report.flash:>9,} {report.code:>8,} {report.ram:>8,}  {_listed(steps)}")
        slower = max((now / before - 1 for now, before in zip(steps, alone, strict=True)), default=0.0)
        saved = f"{1 - report.flash / flash:.1%} less flash than two trees; goal {GOAL:.0%}"
        cost = f"{slower:.1%} more instructions at most; bound {BOUND:.0%}" if counted else "no instructions counted"
        print(f"{'':32} {saved}; {cost}; {report.shared_kernels} kernels shared")
        passed = report.flash <= (1 - GOAL) * flash and report.ram <= ram and slower <= BOUND
    return 0 if passed else 1


def _listed(counts: Sequence[int]) -> str:
    return ", ".join(f"{count:,}" for count in counts)


def _instructions(tree: Tree, artifact: Artifact) -> int:
    """Run a network of `tree` on the board and return the instructions of one run."""
    inputs = artifact.info.golden[0].inputs
    with tempfile.TemporaryDirectory(prefix="s2s-tree-") as folder:
        build = BoardBuild(tree.write(Path(folder) / "tree"), get_board(BOARD), network=artifact.name)
        try:
            return build.run([inputs], layers=False).instructions[0]
        finally:
            build.close()


if __name__ == "__main__":
    sys.exit(main())
