"""TVM 0.12's own tests of Python, with `tvm` as the name of `s2s.tvm`.

    TVM_SOURCE=path/to/tvm python -m benchmarks.tvm_tests [NAME ...] [--failures]

`TVM_SOURCE` is a checkout of apache/tvm v0.12.0; nothing of it is part of this repository. A test is *passed*;
*refused*, where s2s says that it does not do something (an error of its own, which names the reason); *failed*
otherwise; or *wrong*, where it compares numbers that differ. Tests of a file that cannot be imported are failed.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.tvm_references import add_references

TESTS = (
    "tests/python/relay/test_op_level1.py",
    "tests/python/relay/test_op_level2.py",
    "tests/python/relay/test_op_level3.py",
    "tests/python/relay/test_op_level4.py",
    "tests/python/relay/test_op_level5.py",
    "tests/python/relay/test_op_level10.py",
    "tests/python/relay/test_backend_graph_executor.py",
    "tests/python/relay/test_param_dict.py",
    "tests/python/unittest/test_runtime_graph.py",
    "tests/python/unittest/test_runtime_graph_debug.py",
    "tests/python/unittest/test_runtime_module_load.py",
    "tests/python/unittest/test_runtime_module_export.py",
    "tests/python/unittest/test_runtime_module_property.py",
    "tests/python/all-platform-minimal-test/test_runtime_packed_func.py",
    "tests/python/unittest/test_runtime_error.py",
    "tests/python/unittest/test_runtime_measure.py",
    "tests/python/unittest/test_te_tensor.py",
    "tests/python/unittest/test_te_schedule.py",
    "tests/python/unittest/test_autotvm_space.py",
    "tests/python/unittest/test_autotvm_record.py",
    "tests/python/unittest/test_autotvm_index_tuner.py",
    "tests/python/unittest/test_autotvm_dispatch_context.py",
    "tests/python/relay/test_pass_manager.py",
    "tests/python/relay/test_pass_instrument.py",
    "tests/python/unittest/test_target_target.py",
)
KINDS = ("passed", "refused", "wrong", "failed", "skipped")


class Outcomes:
    """A plugin of pytest that sorts what tests do into kinds."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.failures: list[str] = []

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Count a test once it has run, or could not be set up."""
        if call.when != "call" and call.excinfo is None:
            return
        error: BaseException | None = None if call.excinfo is None else call.excinfo.value
        kind = "passed" if error is None else _kind(error)
        self.counts[kind] += 1
        if error is not None and kind != "skipped":
            text = " ".join(str(error).split())[:160]
            self.failures.append(f"{kind}: {item.name}: {type(error).__name__}: {text}")

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Run a test that asks for a target and a device on this machine, unless it says on which ones it runs."""
        from s2s.tvm.testing import enabled_targets

        marked = {name for mark in metafunc.definition.iter_markers("parametrize") for name in _names(mark.args[0])}
        asked = [name for name in ("target", "dev") if name in metafunc.fixturenames and name not in marked]
        if asked:
            values = [[{"target": target, "dev": dev}[name] for name in asked] for target, dev in enabled_targets()]
            metafunc.parametrize(asked, values, ids=["llvm"])

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep one of so many tests, where only a sample is asked for."""
        items[:] = items[:: int(os.environ.get("TVM_TESTS_SAMPLE", "1"))]

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be imported."""
        if report.failed:
            self.failures.append(f"not imported: {str(report.longrepr)[-200:]}")
            self.counts["not imported"] += 1


def _names(argument: Any) -> list[str]:
    """Return the names of arguments that a mark gives values to."""
    return [each.strip() for each in argument.split(",")] if isinstance(argument, str) else list(argument)


def _kind(error: BaseException) -> str:
    """Return the kind of what a test has raised."""
    from s2s.errors import S2SError

    if type(error).__name__ in ("Skipped", "XFailed"):
        return "skipped"
    if isinstance(error, S2SError):
        return "refused"
    return "wrong" if isinstance(error, AssertionError) and "Mismatched elements" in str(error) else "failed"


def main() -> int:
    """Run files of tests and print a table."""
    parser = argparse.ArgumentParser(description="Run TVM's own tests of Python.")
    parser.add_argument("names", nargs="*", help="parts of the names of files; by default all")
    parser.add_argument("--failures", action="store_true", help="show what tests raise")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(run_file(Path(chosen.one))))
        return 0
    root = Path(os.environ.get("TVM_SOURCE", ""))
    if not (root / "tests").is_dir():
        parser.error("TVM_SOURCE is no checkout of apache/tvm; set it to one of v0.12.0")
    paths = [each for each in TESTS if not chosen.names or any(name in each for name in chosen.names)]
    totals = Counter[str]()
    print(f"{'file':36}" + "".join(f"{kind:>9}" for kind in KINDS))
    for path in paths:
        counts, failures = outcome(root / path)
        totals += counts
        print(f"{Path(path).stem:36}" + "".join(f"{counts[kind]:9}" for kind in KINDS), flush=True)
        for line in failures if chosen.failures else ():
            print(f"    {line}")
    asked = sum(totals.values()) - totals["skipped"]
    print(f"{totals['passed']} of {asked} passed ({totals['passed'] / max(asked, 1):.1%})")
    return 1 if totals["wrong"] else 0


def outcome(path: Path) -> tuple[Counter[str], list[str]]:
    """Return the counts of a file, which runs in a process of its own, and what its tests raise."""
    command = [sys.executable, "-m", "benchmarks.tvm_tests", "--one", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    tests = [
        each
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    ]
    if not lines:
        return Counter({"failed": len(tests)}), [done.stderr.strip()[-200:]]
    record = json.loads(lines[-1])
    counts = Counter[str](record["counts"])
    if counts.pop("not imported", 0):
        counts["failed"] += len(tests)
    return counts, record["failures"]


def run_file(path: Path) -> dict[str, Any]:
    """Run the tests of a file in this process."""
    import pytest

    from s2s import tvm

    tvm.alias()
    sys.path.insert(0, str(path.parent))
    add_references(next(each for each in path.parents if (each / "python" / "tvm").is_dir()))
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        options = ["-q", "-x", "--maxfail=10000", "-p", "no:cacheprovider", "--rootdir", folder, "-c", os.devnull]
        pytest.main([*options, "--timeout=60", "--noconftest", str(path)], plugins=[outcomes])
    return {"counts": outcomes.counts, "failures": outcomes.failures}


if __name__ == "__main__":
    sys.exit(main())
