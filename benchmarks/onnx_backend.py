"""How many of ONNX's backend tests pass in ONNX's own runner, category by category, and why the others do not.

    python -m benchmarks.onnx_backend [--filter PATTERN] [--jobs 2] [--whole]

`onnx.backend.test.runner` prepares each model by `s2s.onnx_backend`, runs it, and compares the outputs by its own
tolerances. `--whole` runs what `s2s.onnx_backend.EXCLUDED` lists as well.
"""

import argparse
import multiprocessing
import re
import sys
import unittest
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from onnx.backend.test import BackendTest

from s2s.onnx_backend import EXCLUDED, S2SBackend

TESTS_OF_A_PROCESS = 50
"""After how many tests a process ends, which frees the libraries that it has loaded."""


class Outcome(NamedTuple):
    """What became of one test."""

    category: str
    name: str
    result: str
    reason: str = ""


def main() -> int:
    """Run the tests that the command line names; 1 if one fails."""
    parser = argparse.ArgumentParser(description="ONNX's own backend tests through s2s.onnx_backend")
    parser.add_argument("--filter", type=re.compile, default=re.compile(""), help="regular expression of names")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="run what is excluded as well")
    options = parser.parse_args()
    cases = cases_of_onnx(options.filter, () if options.whole else tuple(EXCLUDED))
    outcomes: list[Outcome] = []
    for outcome in run_tests(cases, options.jobs):
        outcomes.append(outcome)
        if outcome.result == "failed":
            print(f"FAIL {outcome.name}: {outcome.reason}", flush=True)
        elif len(outcomes) % 100 == 0:
            print(f"{len(outcomes)} of {len(cases)}", file=sys.stderr, flush=True)
    print(table(outcomes))
    return 1 if any(outcome.result == "failed" for outcome in outcomes) else 0


def cases_of_onnx(chosen: re.Pattern[str], excluded: Sequence[str]) -> dict[str, unittest.TestCase]:
    """Return the tests of ONNX's runner on the CPU, by "category name"."""
    with warnings.catch_warnings(action="ignore"):
        backend_test = BackendTest(S2SBackend, __name__)
    for pattern in excluded:
        backend_test.exclude(pattern)
    return {
        f"{category} {name}": cast("Callable[[str], unittest.TestCase]", case)(name)
        for category, case in backend_test.test_cases.items()
        for name in unittest.defaultTestLoader.getTestCaseNames(case)
        if name.endswith("_cpu") and chosen.search(name)
    }


def run_tests(cases: dict[str, unittest.TestCase], jobs: int) -> Iterator[Outcome]:
    """Yield what becomes of each test, in processes that have the tests from their parent."""
    _CASES.update(cases)
    context = multiprocessing.get_context("fork")
    with context.Pool(jobs, maxtasksperchild=TESTS_OF_A_PROCESS) as pool:
        yield from pool.imap(_outcome, cases, chunksize=1)


_CASES: dict[str, Any] = {}
"""The tests that forked processes run."""


def _outcome(key: str) -> Outcome:
    """Run one test."""
    category, _, name = key.partition(" ")
    result = unittest.TestResult()
    with warnings.catch_warnings(action="ignore"):
        _CASES[key].run(result)
    category = category.removeprefix("OnnxBackend").removesuffix("Test")
    if result.skipped:
        return Outcome(category, name, "skipped", result.skipped[0][1])
    if failures := [*result.errors, *result.failures]:
        return Outcome(category, name, "failed", _reason(failures[0][1]))
    return Outcome(category, name, "passed")


def _reason(traceback: str) -> str:
    """Return the error at the end of a traceback: its lines in one."""
    error = re.split(r"\n(?=[\w.]+(?:Error|Exception|Bug)\b)", traceback)[-1]
    return re.sub(r"\s+", " ", error).strip()


def table(outcomes: Sequence[Outcome]) -> str:
    """Return how many tests of each category have passed, failed, and are skipped."""
    results = ("passed", "failed", "skipped")
    lines = [f"{'category':<20}" + "".join(f"{result:>9}" for result in results)]
    counts = Counter((outcome.category, outcome.result) for outcome in outcomes)
    total = Counter(outcome.result for outcome in outcomes)
    for category in dict.fromkeys(outcome.category for outcome in outcomes):
        lines.append(f"{category:<20}" + "".join(f"{counts[category, result]:>9}" for result in results))
    return "\n".join([*lines, f"{'all':<20}" + "".join(f"{total[result]:>9}" for result in results)])


if __name__ == "__main__":
    sys.exit(main())
