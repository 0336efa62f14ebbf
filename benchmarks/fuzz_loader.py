"""Fuzz the loader of graph JSON and params: `python -m benchmarks.fuzz_loader --executions 10000000`.

With clang's libFuzzer where it is installed, else with gcc and the small driver of tests/fuzz; both under the
sanitizers of addresses and undefined behaviour.
"""

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from s2s.executor.graph_json import CONCAT, NO_OPERATION, SPLIT, Call, Entry, Network, Source, Value, dump
from s2s.executor.params import save_param_dict

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "tests" / "fuzz"
RUNTIME = ROOT / "runtime_c"
SOURCES = [RUNTIME / "src" / f"{name}.c" for name in ("json", "graph_json", "params", "program", "kernels", "packed")]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def seeds() -> dict[str, bytes]:
    """Small files of each kind."""
    f32 = "float32"
    x = Source("x", Value(f32, (2,), 0))
    sum_of_two = Call("y", "add", (Entry(0), Entry(0)), (Value(f32, (2,), 1),))
    joined = Call("c", CONCAT, (Entry(0), Entry(0)), (Value(f32, (4,), 1),))
    flat = Call("n", NO_OPERATION, (Entry(0),), (Value(f32, (1, 2), 0),))
    parts = Call("s", SPLIT, (Entry(0),), (Value(f32, (1,), 1), Value(f32, (1,), 2)))
    networks = {
        "add": Network((x, sum_of_two), (Entry(1),)),
        "join": Network((x, joined), (Entry(1),)),
        "flat": Network((x, flat), (Entry(1),)),
        "parts": Network((x, parts), (Entry(1, 1),)),
    }
    files = {name: b"j" + _short(dump(network)) for name, network in networks.items()}
    params = {"w": np.array([1, 2], np.float32)}
    return {
        **files,
        "params": b"p" + save_param_dict(params),
        "more": b"p" + save_param_dict({**params, "q": np.array([True])}),
        "none": b"p" + save_param_dict({}),
    }


def _short(text: str) -> bytes:
    return text.replace("\n", "").replace("  ", "").encode()


def build(folder: Path) -> tuple[list[str], bool]:
    """Compile the fuzzer into `folder`; its command, and whether it is libFuzzer."""
    flags = ["-std=c99", "-O1", "-g", f"-I{RUNTIME / 'include'}"]
    target, fuzzer = HERE / "target.c", folder / "fuzzer"
    if shutil.which("clang"):
        words = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
        command = ["clang", *flags, *words, target, *SOURCES, "-o", fuzzer]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return [str(fuzzer)], True
    driver = folder / "driver.o"
    subprocess.run(["gcc", "-std=gnu99", "-O2", "-c", HERE / "driver.c", "-o", driver], check=True)
    coverage = "-fsanitize-coverage=trace-pc"
    subprocess.run(["gcc", *flags, *SANITIZERS, coverage, target, *SOURCES, driver, "-o", fuzzer], check=True)
    return [str(fuzzer)], False


def fuzz(executions: int, seed: int, folder: Path) -> str:
    """Run the fuzzer; what it reports."""
    command, is_libfuzzer = build(folder)
    corpus = folder / "corpus"
    corpus.mkdir()
    for name, data in seeds().items():
        (corpus / name).write_bytes(data)
    if is_libfuzzer:
        command += [f"-runs={executions}", f"-seed={seed}", "-max_len=700", "-print_final_stats=1", str(corpus)]
    else:
        command += [str(executions), str(seed), *sorted(map(str, corpus.iterdir()))]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    report = done.stdout + done.stderr
    if done.returncode != 0:
        crash = next(iter(sorted(folder.glob("crash*"))), None)
        raise SystemExit(f"{report}\ninput: {crash.read_bytes()!r}" if crash else report)
    return report.strip().splitlines()[-1]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_loader", description=__doc__)
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="s2s-fuzz-") as folder:
        print(fuzz(given.executions, given.seed, Path(folder)))


if __name__ == "__main__":
    main()
