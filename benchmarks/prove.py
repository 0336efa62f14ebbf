"""Proofs of the MLPerf Tiny networks in int8: how many kernels `s2s prove` proves for each target, and in which time.

    python -m benchmarks.prove [--network kws] [--target cortex-m4] [--prefer time] [--write]

The time is the processor time of one process that reads the tree and proves it, without the compilation. `--write` puts
the table into docs/how-to/prove.md. Names each kernel that is not proved. The exit code is 1 if one is not.
ResNet-18 in QDQ, on 64 x 64 pixels, is no part of the table; `--network resnet18_64` makes and proves it.
"""

import argparse
import multiprocessing
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from benchmarks.models import MLPERF_TINY
from s2s.api import compile as compile_network
from s2s.decisions.decision import Prefer
from s2s.prove.certificate import PROVED, TESTED, WRONG, Proof
from s2s.prove.proof import prove_tree

NETWORKS = {
    "kws": ("keyword spotting", "kws_ref_model_int8.tflite"),
    "ad": ("anomaly detection", "ad01_int8.tflite"),
    "vww": ("visual wake words", "vww_96_int8.tflite"),
    "ic": ("image classification", "pretrainedResnet_quant.tflite"),
}
MADE = {"resnet18_64": ("ResNet-18 (QDQ) on 64 x 64 pixels", 64)}
"""Networks that are made when they are asked for: their titles and pixels along a side."""
TARGETS = ("c", "cortex-m4", "cortex-m55", "x86-64-v3")
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "prove.md"
TABLE = re.compile(r"(?<=<!-- proofs -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = """| network | target | kernels | proved | tested only | wrong | outputs | seconds |
| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |
"""


def proved(network: str, target: str, prefer: Prefer | None) -> tuple[Proof, float]:
    """The proof of a network's tree for a target, and its processor time in seconds."""
    with TemporaryDirectory() as folder:
        model = _resnet18(Path(folder), MADE[network][1]) if network in MADE else MLPERF_TINY / NETWORKS[network][1]
        tree = compile_network(model, target=target, prefer=prefer).write(Path(folder) / "tree")
        before = time.process_time()
        return prove_tree(model, tree), time.process_time() - before


def _resnet18(folder: Path, size: int) -> Path:
    """The file of ResNet-18 as onnxruntime quantises it, in int8 with a scale for each channel of the weights."""
    from benchmarks.networks.quantised import SIGNED, static
    from benchmarks.networks.standard import resnet18

    path = folder / "resnet18.onnx"
    path.write_bytes(static(lambda: resnet18(size), SIGNED, SIGNED, per_channel=True).SerializeToString())
    return path


def row(network: str, target: str, proof: Proof, seconds: float) -> str:
    """A row of the table."""
    statuses = [kernel.status for kernel in proof.kernels]
    counts = [len(statuses), *(statuses.count(status) for status in (PROVED, TESTED, WRONG))]
    cells = [(NETWORKS | MADE)[network][0], f"`{target}`", *map(str, counts), proof.outputs, f"{seconds:.0f}"]
    return f"| {' | '.join(cells)} |\n"


def table(networks: Sequence[str], targets: Sequence[str], prefer: Prefer | None) -> tuple[str, bool]:
    """The table, whose rows are printed as they are found, and whether all is proved."""
    text, complete = HEAD, True
    print(HEAD, end="")
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for network in networks:
            for target in targets:
                proof, seconds = pool.apply(proved, (network, target, prefer))
                line = row(network, target, proof, seconds)
                print(line, end="", flush=True)
                for kernel in proof.kernels:
                    if kernel.status != PROVED:
                        print(f"    {kernel.function} ({kernel.node}): {kernel.status}: {kernel.reason}", flush=True)
                text, complete = text + line, complete and proof.complete
    return text, complete


def main() -> None:
    """Print the table, and write it if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--network", choices=[*NETWORKS, *MADE], action="append", help="only this network")
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this target")
    parser.add_argument("--prefer", choices=get_args(Prefer), help="what the compiler is to prefer")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}; needs all of it")
    arguments = parser.parse_args()
    if arguments.write and (arguments.network or arguments.target or arguments.prefer):
        parser.error("--write: the page's table has all networks and targets; leave the other options out")
    text, complete = table(arguments.network or list(NETWORKS), arguments.target or TARGETS, arguments.prefer)
    if arguments.write:
        PAGE.write_text(TABLE.sub(lambda _: text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(not complete)


if __name__ == "__main__":
    main()
