"""What static analysers say of emitted trees: nothing that is not listed with its reason.

    python -m benchmarks.static_analysis [MODEL ...] [--target c cortex-m4 …] [--profile default misra] [--all]

Compiles each model for each target and profile and hands the C of the tree, runtime included, to the analysers that
are installed: cppcheck's MISRA C:2012 addon for the profile `misra`; gcc -fanalyzer and clang-tidy (`cert-*`,
`bugprone-*`, `clang-analyzer-*`) for both. A finding is a MISRA rule that is mandatory or required, or a warning; it is
listed if the tree's MISRA.md has the rule as a deviation, or `ACCEPTED` has the check. Prints every finding that is not
listed (with `--all` those that are, too) and a line for each tree. Exits with 1 if a finding is not listed.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import s2s
from s2s.emit.misra import ADVISORY, DEVIATIONS
from s2s.evidence.misra import misra_findings
from s2s.options import PROFILES, Profile

ROOT = Path(__file__).parents[1]
DIGITS = ROOT / "examples/digits/digits.onnx"
INCLUDES = ("-Iinclude", "-Isrc", "-Iruntime/include")
CHECKS = "-*,cert-*,bugprone-*,clang-analyzer-*"

ACCEPTED: Mapping[str, str] = {
    "bugprone-easily-swappable-parameters": "a kernel's pointers have names, and only generated code calls it",
    "bugprone-implicit-widening-of-multiplication-result": "a position is below the size of its buffer, less than 2 GB",
}
"""Checks of clang-tidy whose findings stay, with the reason."""


@dataclass(frozen=True)
class Finding:
    """One message of an analyser."""

    tool: str
    rule: str
    place: str
    text: str

    @property
    def is_listed(self) -> bool:
        """Whether the project has written down why it stays."""
        return self.rule in (DEVIATIONS if self.tool == "misra" else ACCEPTED)


def sources(tree: Path, *, tables: bool = True) -> list[str]:
    """The C files of a tree that a firmware links, relative to it; files of numbers only with `tables`."""
    found = [path for folder in ("src", "runtime") for path in tree.glob(f"{folder}/**/*.c")]
    return sorted(str(path.relative_to(tree)) for path in found if tables or not path.stem.endswith("_weights"))


def misra(tree: Path) -> Iterator[Finding]:
    """Mandatory and required rules of MISRA C:2012 that cppcheck finds broken."""
    for place, rule in dict.fromkeys(misra_findings(tree)):
        if rule not in ADVISORY:
            yield Finding("misra", rule, place, f"MISRA C:2012 rule {rule}")


def gcc_analyzer(tree: Path) -> Iterator[Finding]:
    """Warnings of `gcc -fanalyzer`, which is at its best with some optimisation."""
    flags = ["-std=c99", "-O1", "-fanalyzer", "-Wall", "-Wextra", "-pedantic"]
    for source in sources(tree):
        said = _said(["gcc", *flags, *INCLUDES, "-c", source, "-o", f"{source}.o"], tree)
        yield from _warnings("gcc", said)


def clang_tidy(tree: Path) -> Iterator[Finding]:
    """Warnings of clang-tidy's checkers for bugs and for the CERT C standard."""
    files = sources(tree, tables=False)
    command = ["clang-tidy", "--quiet", f"--checks={CHECKS}", *files, "--", "-std=c99", *INCLUDES]
    yield from _warnings("clang-tidy", _said(command, tree))


def _warnings(tool: str, said: str) -> Iterator[Finding]:
    found = re.findall(r"^(\S+:\d+:\d+): (?:warning|error): (.*) \[([^\]]+)\]$", said, re.MULTILINE)
    for place, text, rules in dict.fromkeys(found):
        yield Finding(tool, rules.split(",")[0], place, text)


def _said(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    return done.stdout + done.stderr


def findings(tree: Path, profile: Profile) -> list[Finding]:
    """All findings of the installed analysers in a tree of `profile`."""
    known = {"gcc": gcc_analyzer, "clang-tidy": clang_tidy, **({"cppcheck": misra} if profile == "misra" else {})}
    return [finding for program, find in known.items() if shutil.which(program) for finding in find(tree)]


def report(name: str, found: Sequence[Finding], *, everything: bool) -> bool:
    """Print the findings of one tree; whether all are listed."""
    open_ones = [finding for finding in found if not finding.is_listed]
    listed = Counter(f"{finding.tool} {finding.rule}" for finding in found if finding.is_listed)
    counts = ", ".join(f"{rule} × {count}" for rule, count in sorted(listed.items()))
    print(f"{name:<44}{len(open_ones):>4} findings; listed: {counts or 'none'}", flush=True)
    for finding in found if everything else open_ones:
        print(f"    {finding.place}: {finding.text} [{finding.rule}]")
    return not open_ones


def main() -> None:
    """Analyse and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", type=Path, default=[DIGITS], help="model files; by default the digits")
    parser.add_argument("--target", nargs="*", default=["c", "cortex-m4"])
    parser.add_argument("--profile", nargs="*", choices=PROFILES, default=list(PROFILES))
    parser.add_argument("--all", action="store_true", help="print findings that are listed, too")
    arguments = parser.parse_args()
    good = True
    for model in arguments.models:
        for target in arguments.target:
            for profile in arguments.profile:
                with tempfile.TemporaryDirectory() as folder:
                    artifact = s2s.compile(model, target=target, profile=profile)
                    found = findings(artifact.write(Path(folder) / "tree"), profile)
                good &= report(f"{model.stem} {target} {profile}", found, everything=arguments.all)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
