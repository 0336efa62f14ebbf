"""s2s beside onnxruntime, OpenVINO and LiteRT on one core: measured, judged, and written to docs/benchmarks.md.

    python -m benchmarks.peers [MODEL ...] [--quick] [--resume] [--cpu N] [--json FILE]

Runs `../shared/bench/peers.py`, which gives each engine a process of its own and lets them take turns, on all models
of `goals.py` or those named. Large models are made on first use, which takes `pip install '.[bench]'`. Results are kept
model by model in `build/peers`: `--resume` goes on where a run was stopped. Exits with 1 if a goal is missed, with 2 if
nothing could be measured.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.goals import MODELS
from benchmarks.models import CACHE, ROOT, SHARED, available
from benchmarks.page import goal_row, time_row, write_page
from benchmarks.results import Results, Sizes, measured_models, read_results
from s2s.api import compile as compile_network
from s2s.errors import S2SError

RUNNER = SHARED / "bench" / "peers.py"
KEPT = ROOT / "build" / "peers"
DOCS = ROOT / "docs"
EXTRA = "benchmarks.peer:S2S"
NEEDS = {"ort": ("onnxruntime",), "openvino": ("openvino",), "litert": ("ai_edge_litert", "onnx2tf")}
"""The packages of each engine."""
QUICK_BYTES = 3 << 20
"""The largest model of a quick run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, judge and write."""
    options = _parser().parse_args(arguments)
    console = Console(stderr=True)
    if not RUNNER.is_file():
        console.print(f"skipped: {RUNNER} is not there; it comes with the shared benchmarks, not with s2s")
        return 2
    found, missing = available(options.models or list(MODELS), options.cache)
    if options.quick:
        missing |= {
            name: "left out of a quick run" for name, path in found.items() if path.stat().st_size > QUICK_BYTES
        }
    for name, reason in missing.items():
        console.print(f"{name}: skipped: {reason}", highlight=False)
    found = {name: path for name, path in found.items() if name not in missing}
    if not found:
        return 2
    kept: Path = options.kept
    if not options.resume:
        shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)
    measure(found, options, console)
    measure_sizes(found, kept / "sizes.json", console)
    results = read_results(kept / "results.json", kept / "sizes.json")
    if not results.models:
        console.print(f"nothing was measured; the engines say why in {kept / 'engines.log'}", highlight=False)
        return 2
    show(results, Console())
    plot = find_spec("matplotlib") is not None
    if not plot:
        console.print("no plot: pip install matplotlib")
    folder: Path = options.docs or (kept if options.quick or options.models else DOCS)
    console.print(f"written: {write_page(results, folder, plot=plot)}", highlight=False)
    if options.json is not None:
        shutil.copy(kept / "results.json", options.json)
    return 1 if any(outcome.met is False for outcome in results.outcomes()) else 0


def engines(litert: Path | None, console: Console) -> list[str]:
    """The engines that can run here."""
    found: list[str] = []
    for engine, packages in NEEDS.items():
        absent = [name for name in packages if find_spec(name) is None]
        if absent and not (engine == "litert" and litert is not None):
            console.print(f"{engine}: skipped: wants {' and '.join(absent)}", highlight=False)
        else:
            found.append(engine)
    return found


def measure(models: Mapping[str, Path], options: argparse.Namespace, console: Console) -> None:
    """Time the models that have no times yet; each is kept as soon as it is done."""
    raw: Path = options.kept / "results.json"
    done = measured_models(raw)
    todo = {name: path for name, path in models.items() if name not in done}
    if not todo:
        return
    rounds, seconds = (2, 0.05) if options.quick else (options.rounds, options.slice)
    command = [sys.executable, str(RUNNER), *map(str, todo.values())]
    command += ["--peers", ",".join(engines(options.litert, console)), "--extra", EXTRA, "--cpu", str(options.cpu)]
    command += ["--rounds", str(rounds), "--slice", str(seconds), "--prepare", "900"]
    command += ["--out", str(raw), "--update", "--log", str(options.kept / "engines.log")]
    if options.litert is not None:
        command += ["--venv", f"litert={options.litert}"]
    with _progress(console) as progress:
        task = progress.add_task("", total=len(todo), model=next(iter(todo)))
        names = [*list(todo)[1:], ""]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            for line in _lines(process):
                progress.console.print(line, highlight=False, markup=False, soft_wrap=True)
                if line.startswith("["):
                    progress.update(task, advance=1, model=names[int(progress.tasks[0].completed) - 1])


def _lines(process: "subprocess.Popen[str]") -> Iterable[str]:
    """What the runner says while it runs; its own tables at the end are left out."""
    for line in process.stdout or ():
        if line.startswith("###"):
            break
        if line.strip():
            yield line.rstrip()
    process.communicate()


def measure_sizes(models: Mapping[str, Path], kept: Path, console: Console) -> None:
    """The seconds of each network on this machine whose time is not known yet."""
    known: dict[str, object] = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    with _progress(console) as progress:
        task = progress.add_task("", total=len(models), model="")
        for name, path in models.items():
            progress.update(task, model=f"size of {name}")
            if name not in known:
                try:
                    report = compile_network(path).report(measure=True)
                except S2SError as error:
                    progress.console.print(f"{name}: no size: {error}", highlight=False, markup=False)
                    continue
                known[name] = asdict(Sizes(report.code or 0, report.ram, report.flash or 0))
                kept.write_text(json.dumps(known, indent=1), encoding="utf-8")
            progress.advance(task)


def show(results: Results, console: Console) -> None:
    """Print what was measured."""
    from rich.table import Table

    times = Table("model", *results.engines, "of ort", "of best", "GOP/s")
    for model in results.models:
        times.add_row(*time_row(model, results.engines))
    goals = Table("models", "against", "asked", "measured", "met")
    for found in results.outcomes():
        goals.add_row(*(cell.replace("**", "") for cell in goal_row(found)))
    console.print(times, goals)


def _progress(console: Console) -> Progress:
    columns = (
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[model]}"),
    )
    return Progress(*columns, console=console)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", help="names, or paths of ONNX files; by default all models with a goal")
    parser.add_argument("--quick", action="store_true", help="small models, few rounds, no change of docs/")
    parser.add_argument("--resume", action="store_true", help="keep what a stopped run has measured")
    parser.add_argument("--cpu", type=int, default=1, help="the core that everything runs on")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each engine")
    parser.add_argument("--slice", type=float, default=0.3, help="seconds of a turn")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder that holds models that have been made")
    parser.add_argument("--kept", type=Path, default=KEPT, help="folder of results")
    parser.add_argument("--docs", type=Path, help="folder of the page; docs/, or that of the results for part of a run")
    parser.add_argument("--litert", type=Path, metavar="PYTHON", help="an interpreter that has LiteRT and onnx2tf")
    parser.add_argument("--json", type=Path, metavar="FILE", help="copy the raw results there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
