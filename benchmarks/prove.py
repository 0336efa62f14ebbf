"""Proofs of networks in int8: how many kernels `s2s prove` proves for each target, and in which time.

    python -m benchmarks.prove [--network kws] [--target cortex-m4] [--prefer time] [--write]

The time is the processor time of one process that reads the tree and proves it, without the compilation. `--write` puts
the rows into the table of docs/how-to/prove.md. Names each kernel that is not proved. The exit code is 1 if one is not.
The networks are those of MLPerf Tiny, and an LSTM, a transformer block and ResNet-18 that onnxruntime quantises (QDQ).
"""

import argparse
import multiprocessing
import re
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import onnx

from benchmarks.models import MLPERF_TINY
from benchmarks.networks import quantised
from benchmarks.networks.standard import resnet18
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
MADE: dict[str, tuple[str, Callable[[], onnx.ModelProto]]] = {
    "lstm": ("LSTM of 4 steps (QDQ)", quantised.lstm),
    "transformer": ("transformer block of 16 steps (QDQ)", partial(quantised.transformer, 1, 16, 32)),
    "resnet18_64": ("ResNet-18 (QDQ) on 64 x 64 pixels", partial(resnet18, 64)),
}
"""Networks that are made and quantised in int8, with a scale for each channel of weights: their titles and makers."""
TARGETS = ("c", "cortex-m4", "cortex-m55", "x86-64-v3")
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "prove.md"
TABLE = re.compile(r"(?<=<!-- proofs -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = """| network | target | kernels | proved | tested only | wrong | outputs | seconds |
| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |
"""


def proved(network: str, target: str, prefer: Prefer | None) -> tuple[Proof, float]:
    """The proof of a network's tree for a target, and its processor time in seconds."""
    with TemporaryDirectory() as folder:
        model = _model_file(Path(folder), network) if network in MADE else MLPERF_TINY / NETWORKS[network][1]
        tree = compile_network(model, target=target, prefer=prefer).write(Path(folder) / "tree")
        before = time.process_time()
        return prove_tree(model, tree), time.process_time() - before


def _model_file(folder: Path, network: str) -> Path:
    """The file of a network as onnxruntime quantises it."""
    path, signed = folder / f"{network}.onnx", quantised.SIGNED
    path.write_bytes(quantised.static(MADE[network][1], signed, signed, per_channel=True).SerializeToString())
    return path


def row(network: str, target: str, proof: Proof, seconds: float) -> str:
    """A row of the table."""
    statuses = [kernel.status for kernel in proof.kernels]
    counts = [len(statuses), *(statuses.count(status) for status in (PROVED, TESTED, WRONG))]
    cells = [(NETWORKS | MADE)[network][0], f"`{target}`", *map(str, counts), proof.outputs, f"{seconds:.0f}"]
    return f"| {' | '.join(cells)} |\n"


def table(networks: Sequence[str], targets: Sequence[str], prefer: Prefer | None) -> tuple[dict[str, str], bool]:
    """The rows of the table by network and target, printed as they are found, and whether all is proved."""
    rows, complete = dict[str, str](), True
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
                rows[_key(line)] = line
                complete = complete and proof.complete
    return rows, complete


def _key(line: str) -> str:
    """The network and the target of a row."""
    return "|".join(line.split("|")[1:3])


def write(rows: dict[str, str]) -> None:
    """Put rows into the page's table, in the order of networks and targets; the rows of others stay."""
    page = PAGE.read_text(encoding="utf-8")
    table = TABLE.search(page)
    assert table is not None
    kept = {_key(line): f"{line}\n" for line in table[0].splitlines()[2:]} | rows
    order = [f" {title} | `{target}` " for title, _ in (NETWORKS | MADE).values() for target in TARGETS]
    text = HEAD + "".join(kept[key] for key in order if key in kept)
    PAGE.write_text(TABLE.sub(lambda _: text, page), encoding="utf-8")


def main() -> None:
    """Print the table, and write it if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--network", choices=[*NETWORKS, *MADE], action="append", help="only this network")
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this target")
    parser.add_argument("--prefer", choices=get_args(Prefer), help="what the compiler is to prefer")
    parser.add_argument("--write", action="store_true", help=f"put the rows into the table of {PAGE.name}")
    arguments = parser.parse_args()
    if arguments.write and arguments.prefer:
        parser.error("--write: the page's table has what the compiler prefers by itself; leave --prefer out")
    networks = arguments.network or [*NETWORKS, *MADE]
    rows, complete = table(networks, arguments.target or TARGETS, arguments.prefer)
    if arguments.write:
        write(rows)
    sys.exit(not complete)


if __name__ == "__main__":
    main()
