"""The documents that MISRA Compliance:2020 asks for: enforcement plan, re-categorisation plan, deviations, and summary.

The checker of rules is cppcheck with its MISRA addon, which is run on the tree as the pack is made.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from s2s.emit.misra import ADVISED, ADVISORY, DEVIATIONS
from s2s.errors import ToolchainError
from s2s.evidence.document import Document, Table
from s2s.evidence.guidelines import MANDATORY, Guideline, guidelines
from s2s.options import Profile
from s2s.support.frozen import frozen
from s2s.verify.footprint import INCLUDE_FOLDERS
from s2s.verify.toolchain import run_program

STANDARD = "MISRA C:2012 with amendments 1 to 4, which MISRA C:2023 holds under the same numbers"
_ARM = ("__GNUC__=12", "__thumb2__=1", "__ARM_FEATURE_DSP=1")
CONFIGURATIONS = (("__STDC_VERSION__=199901L",), _ARM, (*_ARM, "__ARM_FEATURE_MVE=1"))
"""What cppcheck is told that the compiler defines, one set a run: plain C, a core with DSP instructions, and one with
vectors."""
EXTENSIONS = "s2s_simd_gnu.h"
"""Operators on vectors, an extension of compilers, which the checker takes for operators on numbers."""
SCOPE = "src/, include/ and runtime/ of the tree; test/ is not part of a product"


@frozen
class Checked:
    """What the checker found in a tree."""

    by: str
    """The checker with its version, or why it did not run."""
    findings: tuple[tuple[str, str], ...] | None
    """Places and rules; None where the checker did not run."""


def check_misra(tree: Path) -> Checked:
    """Run cppcheck's addon on the C of a tree, once for each configuration."""
    if shutil.which("cppcheck") is None:
        return Checked("not checked, because cppcheck is not installed", None)
    try:
        version = run_program(["cppcheck", "--version"]).strip()
        return Checked(version, tuple(dict.fromkeys(misra_findings(tree))))
    except ToolchainError as error:
        return Checked(f"not checked: {error}", None)


def misra_findings(tree: Path) -> Iterator[tuple[str, str]]:
    """The places and rules of MISRA C:2012 that cppcheck finds broken; files of numbers are left out."""
    files = [path for folder in ("src", "runtime") for path in sorted(tree.glob(f"{folder}/**/*.c"))]
    sources = [path.relative_to(tree) for path in files if not path.stem.endswith("_weights")]
    for configuration in CONFIGURATIONS:
        options = ["--addon=misra", "--std=c99", "--quiet", *(f"-D{name}" for name in configuration)]
        includes = [f"-I{folder}" for folder in INCLUDE_FOLDERS]
        log = tree / ".misra"
        run_program(["cppcheck", *options, *includes, f"--output-file={log}", *sources], tree)
        text = log.read_text(encoding="utf-8")
        log.unlink()
        for place, rule in re.findall(r"^(\S+): style: .*\[misra-c2012-([\d.]+)\]$", text, re.MULTILINE):
            if EXTENSIONS not in place:
                yield place, rule


def misra_documents(profile: Profile, checked: Checked, parts: Sequence[str]) -> list[Document]:
    """The four documents of a tree of `profile`; `parts` names the files of the scope."""
    rules = list(guidelines())
    applies = profile == "misra"
    about = (f"Guidelines: {STANDARD}. Scope: {SCOPE} ({len(parts)} files).",)
    if not applies:
        about += ("This tree has the profile default, which does not claim MISRA; compile with --profile misra.",)
    return [
        _plan(rules, about),
        _categories(about, applies=applies),
        _deviations(about, checked, applies=applies),
        _summary(rules, about, checked, applies=applies),
    ]


def _plan(rules: Sequence[Guideline], about: tuple[str, ...]) -> Document:
    counts = Counter(guideline.method for guideline in rules)
    methods = ", ".join(f"{count} by {method}" for method, count in sorted(counts.items()))
    return Document(
        "misra-enforcement-plan",
        "MISRA: guideline enforcement plan",
        f"{len(rules)} guidelines: {methods}",
        (
            *about,
            "Numbers and categories only: what a guideline says stands in MISRA's documents. `construction` means that "
            "the printer of C cannot write what the guideline forbids; `review` that people have to look.",
        ),
        (
            Table(
                "Guidelines",
                ("guideline", "about", "category", "since", "enforced by", "how"),
                tuple(
                    (
                        guideline.number,
                        guideline.topic,
                        guideline.category,
                        guideline.edition,
                        guideline.method,
                        guideline.how,
                    )
                    for guideline in rules
                ),
            ),
        ),
    )


def _categories(about: tuple[str, ...], *, applies: bool) -> Document:
    rows = tuple((f"Rule {rule}", "advisory", "disapplied", reason) for rule, reason in ADVISED.items())
    return Document(
        "misra-recategorisation-plan",
        "MISRA: guideline re-categorisation plan",
        f"{len(rows)} advisory rules disapplied; mandatory and required ones keep their category",
        about,
        (Table("Changed categories", ("guideline", "category", "revised category", "reason"), rows),),
        holds=applies,
    )


def _deviations(about: tuple[str, ...], checked: Checked, *, applies: bool) -> Document:
    findings = checked.findings or ()
    rows = tuple(
        (f"D-{number}", f"Rule {rule}", guideline.category, _places(rule, findings), guideline.reason)
        for number, (rule, guideline) in enumerate(DEVIATIONS.items(), 1)
    )
    return Document(
        "misra-deviations",
        "MISRA: deviation records",
        f"{len(rows)} deviations from required rules, none from mandatory ones",
        (*about, f"Places are those that {checked.by} reports in this tree."),
        (Table("Deviations", ("record", "guideline", "category", "scope in this tree", "reason"), rows),),
        holds=applies and not MANDATORY & set(DEVIATIONS),
    )


def _summary(rules: Sequence[Guideline], about: tuple[str, ...], checked: Checked, *, applies: bool) -> Document:
    name, title = "misra-compliance-summary", "MISRA: guideline compliance summary"
    broken = {rule for _, rule in checked.findings or ()}
    listed = set(DEVIATIONS) | set(ADVISED)
    wrong = sorted({rule for rule in broken if rule not in listed})
    states = Counter(_state(guideline, broken) for guideline in rules)
    result = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    findings = (
        checked.by if checked.findings is None else f"{len(wrong)} rules broken that are not listed ({checked.by})"
    )
    return Document(
        name,
        title,
        f"{result}; {findings}" if applies else f"no claim for profile default; {findings}",
        (
            *about,
            "No claim of compliance of a product: a project adds its own code, its own plan, and its review.",
        ),
        (
            Table(
                "Guidelines",
                ("guideline", "category", "state"),
                tuple((guideline.number, guideline.category, _state(guideline, broken)) for guideline in rules),
            ),
            Table(
                "Findings that are not listed",
                ("place", "rule", "category"),
                tuple(
                    (place, rule, "advisory" if rule in ADVISORY else "required or mandatory")
                    for place, rule in checked.findings or ()
                    if rule in wrong
                ),
            ),
        ),
        holds=applies and checked.findings is not None and not wrong,
    )


def _state(rule: Guideline, broken: Iterable[str]) -> str:
    """The state of a guideline in this tree."""
    kind, _, number = rule.number.partition(" ")
    if kind == "Rule" and number in ADVISED:
        return "disapplied"
    if kind == "Rule" and number in broken:
        return "deviations" if number in DEVIATIONS else "violations"
    return "to be reviewed" if rule.method == "review" else "compliant"


def _places(rule: str, findings: Iterable[tuple[str, str]]) -> str:
    places = sorted({place for place, broken in findings if broken == rule})
    return ", ".join(places) or "none"
