"""TVM 0.12's own tests of Python, with `tvm` as the name of `s2s.tvm`.

    TVM_SOURCE=path/to/tvm python -m benchmarks.tvm_tests [NAME ...] [--failures] [--sample N] [--record]

`TVM_SOURCE` is a checkout of apache/tvm v0.12.0; nothing of it is part of this repository. A test is *passed*;
*refused*, where s2s says that it, or a module that its file imports, is not done (`UnsupportedError`, which names the
reason); *skipped*, where it says so itself, as it wants a package or a download; *failed*
otherwise; or *wrong*, where it compares numbers that differ by more than a few units in the last place of their type,
which is *failed* too, as the test asks for the bits of TVM's code. Tests of a file that cannot be imported are failed.
Archives tell the time of the run, by `SOURCE_DATE_EPOCH`. `--sample N` runs one of N tests. `--record` writes
`docs/tvm_tests.json`, of which the page of TVM's names makes a table.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.tvm_references import add_references

TESTS = (
    "tests/python/relay/test_op_level1.py",
    "tests/python/relay/test_op_level2.py",
    "tests/python/relay/test_op_level3.py",
    "tests/python/relay/test_op_level4.py",
    "tests/python/relay/test_op_level5.py",
    "tests/python/relay/test_op_level10.py",
    "tests/python/relay/test_op_qnn_add.py",
    "tests/python/relay/test_op_qnn_batch_matmul.py",
    "tests/python/relay/test_op_qnn_concatenate.py",
    "tests/python/relay/test_op_qnn_conv2_transpose.py",
    "tests/python/relay/test_op_qnn_conv2d.py",
    "tests/python/relay/test_op_qnn_dense.py",
    "tests/python/relay/test_op_qnn_dequantize.py",
    "tests/python/relay/test_op_qnn_leaky_relu.py",
    "tests/python/relay/test_op_qnn_mul.py",
    "tests/python/relay/test_op_qnn_quantize.py",
    "tests/python/relay/test_op_qnn_requantize.py",
    "tests/python/relay/test_op_qnn_simulated_dequantize.py",
    "tests/python/relay/test_op_qnn_simulated_quantize.py",
    "tests/python/relay/test_op_qnn_subtract.py",
    "tests/python/relay/test_op_qnn_unary_elementwise.py",
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
    "tests/python/unittest/test_micro_model_library_format.py",
    "tests/python/driver/tvmc/test_shape_parser.py",
    "tests/python/driver/tvmc/test_model.py",
    "tests/python/driver/tvmc/test_mlf.py",
    "tests/python/driver/tvmc/test_runner.py",
    "tests/python/driver/tvmc/test_compiler.py",
    "tests/python/driver/tvmc/test_frontends.py",
    "tests/python/driver/tvmc/test_autotuner.py",
    "tests/python/driver/tvmc/test_autoscheduler.py",
    "tests/python/driver/tvmc/test_command_line.py",
    "tests/python/driver/tvmc/test_target.py",
    "tests/python/driver/tvmc/test_target_options.py",
    "tests/python/driver/tvmc/test_composite_target.py",
    "tests/python/driver/tvmc/test_registry_options.py",
    "tests/python/driver/tvmc/test_pass_config.py",
    "tests/python/driver/tvmc/test_pass_list.py",
    "tests/python/driver/tvmc/test_parse_config_file.py",
    "tests/python/driver/tvmc/test_tracker.py",
    "tests/python/driver/tvmc/test_transform.py",
    "tests/python/driver/tvmc/test_workspace_pools.py",
)
WITH_FIXTURES = ("tvmc",)
"""Folders with fixtures in a `conftest.py`; a fixture that wants a download skips its tests."""
FOREIGN = re.compile(r"No module named '(?!s2s|tvm)")
"""What the import of a package says that is not installed."""
RECORD = Path(__file__).parent.parent / "docs" / "tvm_tests.json"
"""The counts of each file, and of how many tests one was run."""
LAST_PLACES = 4
"""Numbers that differ by at most these units in the last place are rounded in another order."""
KINDS = ("passed", "refused", "wrong", "failed", "skipped")


class Outcomes:
    """A plugin of pytest that sorts what tests do into kinds."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.failures: list[str] = []

    def pytest_configure(self) -> None:
        """Let comparisons say the element type of what they compare."""
        import numpy as np

        compare: Callable[..., None] = np.testing.assert_allclose

        def typed(actual: Any, desired: Any, *arguments: Any, **keywords: Any) -> None:
            try:
                compare(actual, desired, *arguments, **keywords)
            except AssertionError as error:
                error.__dict__["s2s_compared"] = np.asanyarray(actual), np.asanyarray(desired)
                raise

        np.testing.assert_allclose = typed

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

    def pytest_pyfunc_call(self, pyfuncitem: Any) -> None:
        """Skip a test of a model that its fixture gives no path of, as a package is missing."""
        import pytest

        drawn = pyfuncitem.callspec.params if hasattr(pyfuncitem, "callspec") else ()
        for name, value in pyfuncitem.funcargs.items():
            if isinstance(value, str) and not value and name not in drawn:
                pytest.skip(f"{name}: its package is not installed")

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Run a test that asks for a target and a device on this machine, unless it says on which ones it runs."""
        from s2s.tvm.testing import enabled_targets

        marked = {name for mark in metafunc.definition.iter_markers("parametrize") for name in _names(mark.args[0])}
        asked = [name for name in ("target", "dev") if name in metafunc.fixturenames and name not in marked]
        if asked:
            values = [[{"target": target, "dev": dev}[name] for name in asked] for target, dev in enabled_targets()]
            metafunc.parametrize(asked, values, ids=["llvm"])

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep one test in each group of the stated size, where only a sample is asked for."""
        items[:] = items[:: int(os.environ.get("TVM_TESTS_SAMPLE", "1"))]

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be imported, or that imports what is refused."""
        if report.failed:
            text = str(report.longrepr)
            self.failures.append(f"not imported: {text[-200:]}")
            is_refused, is_elsewhere = "UnsupportedError" in text, FOREIGN.search(text)
            self.counts["refused import" if is_refused else "skipped" if is_elsewhere else "not imported"] += 1


def _names(argument: Any) -> list[str]:
    """Return the names of arguments that a mark gives values to."""
    return [each.strip() for each in argument.split(",")] if isinstance(argument, str) else list(argument)


def _kind(error: BaseException) -> str:
    """Return the kind of what a test has raised."""
    from s2s.errors import UnsupportedError

    if type(error).__name__ in ("Skipped", "XFailed"):
        return "skipped"
    if isinstance(error, UnsupportedError):
        return "refused"
    is_wrong = isinstance(error, AssertionError) and "Mismatched elements" in str(error)
    return "wrong" if is_wrong and not _is_rounding(*error.__dict__.get("s2s_compared", ())) else "failed"


def _is_rounding(*compared: Any) -> bool:
    """Whether arrays differ by a few units in the last place of the coarser of their types, at most."""
    import numpy as np

    if not compared or compared[0].shape != compared[1].shape or any(each.dtype.kind != "f" for each in compared):
        return False
    unit = max(float(np.finfo(each.dtype).eps) for each in compared)
    actual, desired = (each.astype(np.float64) for each in compared)
    scale = np.maximum(np.abs(desired), np.abs(desired).max() / 16)
    return bool(np.all(np.abs(actual - desired) <= LAST_PLACES * unit * scale))


def main() -> int:
    """Run files of tests and print a table."""
    parser = argparse.ArgumentParser(description="Run TVM's own tests of Python.")
    parser.add_argument("names", nargs="*", help="parts of the names of files; by default all")
    parser.add_argument("--failures", action="store_true", help="show what tests raise")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="run one of N tests")
    parser.add_argument("--record", action="store_true", help="write the counts of these files into docs")
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
        counts, failures = outcome(root / path, chosen.sample)
        if chosen.record:
            record(path, counts, chosen.sample)
        totals += counts
        print(f"{Path(path).stem:36}" + "".join(f"{counts[kind]:9}" for kind in KINDS), flush=True)
        for line in failures if chosen.failures else ():
            print(f"    {line}")
    asked = sum(totals.values()) - totals["skipped"]
    print(f"{totals['passed']} of {asked} passed ({totals['passed'] / max(asked, 1):.1%})")
    return 1 if totals["wrong"] else 0


def record(path: str, counts: Counter[str], sample: int) -> None:
    """Write the counts of a file into the record."""
    records: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    records[path] = {"one of": sample, **{kind: counts[kind] for kind in KINDS}}
    ordered = {each: records[each] for each in TESTS if each in records}
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def outcome(path: Path, sample: int = 1) -> tuple[Counter[str], list[str]]:
    """Return the counts of a file, which runs in a process of its own, and what its tests raise."""
    command = [sys.executable, "-m", "benchmarks.tvm_tests", "--one", str(path)]
    environment = {**os.environ, "TVM_TESTS_SAMPLE": str(sample), "SOURCE_DATE_EPOCH": str(int(time.time()))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    tests = [
        each
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    ]
    if not lines:
        return Counter({"failed": -(-len(tests) // sample)}), [done.stderr.strip()[-200:]]
    record = json.loads(lines[-1])
    counts = Counter[str](record["counts"])
    for outcome, kind in (("not imported", "failed"), ("refused import", "refused")):
        if counts.pop(outcome, 0):
            counts[kind] += -(-len(tests) // sample)
    return counts, record["failures"]


def _downloads() -> ModuleType:
    """The module of downloads, which skips the tests that want one."""
    import pytest

    def download_testdata(url: str, *_: object, **__: object) -> None:
        pytest.skip(f"wants a download: {url}")

    module = ModuleType("tvm.contrib.download")
    module.__dict__["download_testdata"] = module.__dict__["download"] = download_testdata
    return module


def run_file(path: Path) -> dict[str, Any]:
    """Run the tests of a file in this process."""
    import pytest

    from s2s import tvm

    tvm.alias()
    sys.path.insert(0, str(path.parent))
    sys.modules["tvm.contrib.download"] = _downloads()
    add_references(next(each for each in path.parents if (each / "python" / "tvm").is_dir()))
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        (Path(folder) / "pytest.ini").write_text("[pytest]\n")
        options = ["-q", "-x", "--maxfail=10000", "-p", "no:cacheprovider", "--rootdir", folder, "-c", "pytest.ini"]
        fixtures = ["--confcutdir", str(path.parent)] if path.parent.name in WITH_FIXTURES else ["--noconftest"]
        status = pytest.main([*options, "--timeout=240", *fixtures, str(path)], plugins=[outcomes])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        outcomes.counts["not imported"] += 1
        outcomes.failures.append(f"not imported: pytest ends with {pytest.ExitCode(status).name}")
    return {"counts": outcomes.counts, "failures": outcomes.failures}


if __name__ == "__main__":
    sys.exit(main())
