"""How many of ONNX's backend tests pass, kind by kind, and why the others do not.

    python -m benchmarks.conformance [--kinds simple node …] [--adapter run|run_executor|run_graph] [--no-bind]

Runs the conformance runner on `benchmarks.conformance_adapters` and prints a table of passes and one of reasons.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RUNNER = ROOT.parent / "shared" / "conformance" / "run.py"
KINDS = ("simple", "pytorch-operator", "pytorch-converted", "light", "node")
ADAPTERS = ("run", "run_executor", "run_graph")
SECONDS_OF_A_CASE = 600


def main() -> int:
    """Run the kinds that the command line names; 1 if a case fails."""
    parser = argparse.ArgumentParser(description="ONNX's backend tests through s2s")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--adapter", choices=ADAPTERS, default=ADAPTERS[0], help="run: by the entry function")
    parser.add_argument("--runner", type=Path, default=RUNNER, help="path of the runner")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-bind", action="store_true", help="leave operands that are constants as a rule as inputs")
    options = parser.parse_args()
    if not options.runner.is_file():
        print(f"{options.runner}: the conformance runner is not there; give its path with --runner", file=sys.stderr)
        return 2
    cases = results(options.runner, options.adapter, options.kinds, options.jobs, bound=not options.no_bind)
    print(table_of_kinds(cases))
    if failures := [case for case in cases if not case["passed"]]:
        print(table_of_reasons(failures))
    return 1 if failures else 0


def results(runner: Path, adapter: str, kinds: Sequence[str], jobs: int, *, bound: bool) -> list[Mapping[str, Any]]:
    """What became of each case; failures are printed as they come."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "results.json"
        chosen = [word for kind in kinds for word in ("--kind", kind)]
        command = [sys.executable, str(runner), f"benchmarks.conformance_adapters:{adapter}", *chosen]
        command += ["--jobs", str(jobs), "--timeout", str(SECONDS_OF_A_CASE), "--json", str(report)]
        command += [] if bound else ["--no-bind"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                if line.startswith("FAIL"):
                    print(line, end="", flush=True)
        if not report.is_file():
            raise SystemExit(f"{runner}: ended with exit code {process.returncode} and left no report")
        return json.loads(report.read_text(encoding="utf-8"))["cases"]


def table_of_kinds(cases: Sequence[Mapping[str, Any]]) -> str:
    """Passes, cases and seconds of each kind."""
    lines = [f"{'kind':<20} {'passed':>12} {'seconds':>8}"]
    for kind in KINDS:
        chosen = [case for case in cases if case["kind"] == kind]
        if chosen:
            passed = f"{sum(case['passed'] for case in chosen)}/{len(chosen)}"
            lines.append(f"{kind:<20} {passed:>12} {sum(case['seconds'] for case in chosen):>8.0f}")
    return "\n".join(lines)


def table_of_reasons(failures: Sequence[Mapping[str, Any]]) -> str:
    """How often each reason occurs, without the names and numbers in it."""
    reasons = Counter(re.sub(r"'[^']*'|\d+", "…", str(case["reason"]))[:100] for case in failures)
    return "\n".join(["", "reason", *(f"{count:>5}  {reason}" for reason, count in reasons.most_common())])


if __name__ == "__main__":
    sys.exit(main())
