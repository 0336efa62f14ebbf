"""Every exception of the package is of a documented class, with its exit code."""

import ast
import re
from collections.abc import Iterator

from s2s import errors
from support.project import ROOT

DOCUMENTED = ("InputError", "UnsupportedError", "ToolchainError", "CompilerBug")
"""What a user catches, beside `S2SError`; the package exports them."""
INSIDE = "EndsEarly"
ROOTS = ("Exception", "BaseException", "S2SError", *DOCUMENTED, INSIDE)


def classes() -> Iterator[tuple[str, str, str]]:
    """Yield the exceptions that the package defines: the file, the name, the first base."""
    for folder in ("s2s", "dialects", "runtime_c", "templates"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.ClassDef):
                    continue
                bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
                if any(base in ROOTS or base.endswith("Error") for base in bases):
                    yield path.relative_to(ROOT).as_posix(), node.name, bases[0]


def test_every_exception_is_of_a_documented_class():
    defined = list(classes())
    bases = {name: base for _, name, base in defined}
    for file, name, _ in defined:
        kind = name
        while kind in bases and kind not in (*DOCUMENTED, INSIDE):
            kind = bases[kind]
        assert kind in (*DOCUMENTED, INSIDE) or name == "S2SError", f"{file}: {name} is of no documented class"


def test_nothing_is_raised_as_the_base_of_a_documented_class():
    """Only where numbers differ, whose exit code is its own."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "s2s").rglob("*.py")
        if re.search(r"raise S2SError\(", path.read_text(encoding="utf-8"))
    }
    assert found == {"s2s/cli/report.py"}


def test_exit_codes_are_those_of_the_page():
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    stated = {name: int(code) for name, code in re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE)}
    codes = {name: kind.exit_code for name, kind in vars(errors).items() if hasattr(kind, "exit_code")}
    assert stated == codes
    codes_in_words = "0 done, 1 the numbers differ, 2 the model, a file or an option is wrong"
    assert codes_in_words in page
