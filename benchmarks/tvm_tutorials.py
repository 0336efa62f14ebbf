"""The tutorials of TVM 0.12, statement by statement, with `tvm` as the name of `s2s.tvm`.

    TVM_SOURCE=path/to/tvm python -m benchmarks.tvm_tutorials [NAME ...] [--failures] [--seconds N]

`TVM_SOURCE` is a checkout of apache/tvm v0.12.0; nothing of it is part of this repository. The statements of a tutorial
run in order in one process. Left out, and counted, are statements that want a GPU or a download, and those that read
what such a one would have defined. A statement that raises is a failure; the ones after it run all the same.
"""

import argparse
import ast
import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TUTORIALS = (
    "gallery/tutorial/autotvm_matmul_x86.py",
    "gallery/how_to/optimize_operators/opt_gemm.py",
    "gallery/tutorial/relay_quick_start.py",
    "gallery/tutorial/tensor_expr_get_started.py",
    "gallery/how_to/extend_tvm/use_pass_instrument.py",
    "gallery/how_to/extend_tvm/use_pass_infra.py",
    "gallery/how_to/work_with_schedules/schedule_primitives.py",
    "gallery/how_to/work_with_schedules/extern_op.py",
    "gallery/how_to/work_with_schedules/scan.py",
    "gallery/how_to/work_with_schedules/tuple_inputs.py",
    "gallery/how_to/work_with_schedules/tensorize.py",
    "gallery/how_to/work_with_schedules/reduction.py",
    "gallery/how_to/work_with_schedules/intrin_math.py",
    "gallery/tutorial/intro_topi.py",
    "gallery/tutorial/cross_compilation_and_rpc.py",
    "gallery/how_to/work_with_microtvm/micro_aot.py",
    "gallery/how_to/work_with_microtvm/micro_autotune.py",
)
ELSEWHERE = re.compile(
    r"download|urllib|urlopen|cuda|opencl|gpu|metal|rocm|vulkan|thread_axis|bind\(|docker|transformers|boards\.json|zephyr"
    r"|^\s*(?:import|from) (?:tensorflow|keras|mxnet|torchvision|pytest)",
    re.IGNORECASE,
)
"""What wants a graphics processor, the network, or a package of somebody else."""
SECONDS = 60
"""The time that a statement may take, unless `--seconds` gives another one."""


def main() -> int:
    """Run tutorials and print a table."""
    parser = argparse.ArgumentParser(description="Run the tutorials of TVM, statement by statement.")
    parser.add_argument("names", nargs="*", help="parts of the names of tutorials; by default all")
    parser.add_argument("--failures", action="store_true", help="show the first line of each failing statement")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="the time that a statement may take")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(run_tutorial(Path(chosen.one), chosen.seconds)))
        return 0
    root = Path(os.environ.get("TVM_SOURCE", ""))
    if not (root / "gallery").is_dir():
        parser.error("TVM_SOURCE is no checkout of apache/tvm; set it to one of v0.12.0")
    paths = [each for each in TUTORIALS if not chosen.names or any(name in each for name in chosen.names)]
    totals = Counter[str]()
    print(f"{'tutorial':28} {'run':>5} {'failed':>7} {'left out':>9}")
    for path in paths:
        counts, failures = outcome(root / path, chosen.seconds)
        totals += counts
        print(f"{Path(path).stem:28} {counts['run']:5} {counts['failed']:7} {counts['left out']:9}", flush=True)
        for line in failures if chosen.failures else ():
            print(f"    {line}")
    asked = totals["run"] + totals["failed"]
    print(f"{totals['run']} of {asked} statements ({totals['run'] / max(asked, 1):.1%}); {totals['left out']} left out")
    return 0


def outcome(path: Path, seconds: int = SECONDS) -> tuple[Counter[str], list[str]]:
    """Return the counts of a tutorial, which runs in a process of its own, and its failures."""
    command = [sys.executable, "-m", "benchmarks.tvm_tutorials", "--seconds", str(seconds), "--one", str(path)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TVM_SCRATCH": folder}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        return Counter({"failed": len(ast.parse(path.read_text()).body)}), [done.stderr.strip()[-200:]]
    record = json.loads(lines[-1])
    return Counter(record["counts"]), record["failures"]


def run_tutorial(path: Path, seconds: int = SECONDS) -> dict[str, Any]:
    """Run the statements of a tutorial in this process."""
    from s2s import tvm

    tvm.alias()
    os.chdir(os.environ.get("TVM_SCRATCH", "."))
    text = path.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    counts, failures, missing = Counter[str](), list[str](), set[str]()
    for statement in statements(ast.parse(text)):
        source = ast.get_source_segment(text, statement) or ""
        if ELSEWHERE.search(source) or names_read(statement) & missing:
            counts["left out"] += 1
            missing |= names_written(statement) - namespace.keys()
            continue
        error = attempt(statement, namespace, path, seconds)
        counts["failed" if error else "run"] += 1
        if error:
            failures.append(f"line {statement.lineno}: {source.splitlines()[0][:70]}: {error}")
    return {"counts": counts, "failures": failures}


def statements(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a tutorial without its texts."""
    for each in module.body:
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)):
            yield each


def attempt(statement: ast.stmt, namespace: dict[str, Any], path: Path, seconds: int = SECONDS) -> str:
    """Run a statement; return what it raises, nothing where it does not."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module([statement], []), str(path), "exec"), namespace)
    except BaseException as error:  # whatever a stranger's program raises
        return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    finally:
        signal.alarm(0)
    return ""


def names_read(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads."""
    return {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def names_written(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines."""
    written = {
        each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    for each in ast.walk(statement):
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            written.add(each.name)
        elif isinstance(each, ast.Import | ast.ImportFrom):
            written |= {name.asname or name.name.partition(".")[0] for name in each.names}
    return written


if __name__ == "__main__":
    sys.exit(main())
