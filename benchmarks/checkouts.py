"""The CPU time of `s2s compile` on whole networks, beside the time of another checkout of the repository."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import onnx

from benchmarks.chains import convolutions
from benchmarks.models import ROOT
from benchmarks.networks import images, standard, varying
from benchmarks.timing import children, geometric_mean

NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    **standard.NETWORKS,
    "yolo": images.yolo,
    "convolutions_4000": lambda: convolutions(4000),
}
"""Networks of every kind, none of which needs a file: the last one shows what a layer costs that shares its kernel."""

VARYING: Mapping[str, Callable[[], varying.Varying]] = {
    f"{name}_sizes": make for name, make in varying.NETWORKS.items()
}
"""Networks compiled for all sizes within bounds, which are read at several of them."""

NAMES = (*NETWORKS, *VARYING)

TARGET = "x86-64-v4"


def written(name: str, folder: Path) -> tuple[str, ...]:
    """Write the network `name` into `folder`; return the arguments of `s2s compile` for it."""
    path, options = folder / f"{name}.onnx", ()
    if name in VARYING:
        made = VARYING[name]()
        model, options = made.model, ("--dim", f"{made.name}={made.bounds}")
    else:
        model = NETWORKS[name]()
    path.write_bytes(model.SerializeToString())
    return (str(path), *options)


def compile_command(checkout: Path, arguments: Sequence[str], folder: Path) -> float:
    """Seconds of CPU time that `s2s compile` of `checkout` takes with `arguments`, start-up included. Modules are read
    as byte code, which is kept in `folder`."""
    tree = tempfile.mkdtemp(dir=folder)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(folder)}
    command = [sys.executable, "-m", "s2s", "compile", *arguments, "-o", f"{tree}/tree", "--target", TARGET]
    start = children()
    subprocess.run(command, check=True, capture_output=True, cwd=checkout, env=environment)
    seconds = children() - start
    shutil.rmtree(tree)
    return seconds


def measure(names: Sequence[str], against: Path | None, runs: int) -> None:
    """Print a row for each network. The checkouts take turns, and the fastest run of each counts."""
    checkouts = [ROOT] if against is None else [against.resolve(), ROOT]
    heads = ["seconds"] if against is None else ["before", "now", "ratio"]
    print(f"\n{'s2s compile':<22}" + "".join(f"{head:>9}" for head in heads))
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for network in names:
            arguments = written(network, folder)
            if network == names[0]:
                for checkout in checkouts:
                    compile_command(checkout, arguments, folder)
            rounds = [[compile_command(checkout, arguments, folder) for checkout in checkouts] for _ in range(runs)]
            best = [min(column) for column in zip(*rounds, strict=True)]
            ratios.append(best[-1] / best[0])
            shown = "".join(f"{seconds:9.2f}" for seconds in best)
            print(f"{network:<22}{shown}" + (f"{ratios[-1]:9.2f}" if against is not None else ""), flush=True)
    if against is not None and ratios:
        print(f"geometric mean of the ratios: {geometric_mean(ratios):.2f}")
