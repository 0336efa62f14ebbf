"""Names, sizes and imports are as the style of the project wants them: a reader finds things where they expect."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from xdsl.passes import ModulePass

import s2s.passes
from s2s import registry
from support.project import PACKAGES, ROOT, source_files

LEVELS = ("graph", "tensor", "loop", "c")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
PYTHON = source_files("*.py")
FIRST_IMPORT = re.compile(r"^\s*(?:from|import)\s+(?:dialects|templates|runtime_c)\b", re.MULTILINE)
LIMIT = re.compile(r"\b_?(?:MOST|FEWEST|LEAST)(?:_[A-Z]+)*\b")
OWN_WORDS = re.compile(
    r"\b(?:weaves?|woven|abreast|stripes?|hand-over|minimal filtering|widen groups|repeat widening|start sums)\b",
    re.IGNORECASE,
)
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|root|home|farm|Users)/\w")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def defined_passes() -> list[type[ModulePass]]:
    """Every pass class that a module under s2s/passes defines."""
    found: list[type[ModulePass]] = []
    for info in pkgutil.walk_packages(s2s.passes.__path__, "s2s.passes."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, ModulePass) and value.__module__ == module.__name__:
                found.append(value)
    return found


def test_every_pass_is_in_the_registry():
    assert sorted(found.name for found in defined_passes()) == sorted(registry.PASSES)


def test_registry_is_grouped_by_level_and_sorted():
    assert list(registry.PASSES) == sorted(registry.PASSES, key=lambda name: (LEVELS.index(name.split("-")[0]), name))


@pytest.mark.parametrize("name", registry.PASSES)
def test_pass_lives_where_its_name_says(name: str):
    assert registry.load_pass(name).name == name


@pytest.mark.parametrize("name", registry.PASSES)
def test_pass_has_its_mlir_test(name: str):
    level, _, rest = name.partition("-")
    stem = rest.replace("-", "_")
    folder = ROOT / "tests" / "passes" / level
    assert (folder / f"{stem}.mlir").is_file() or any((folder / stem).glob("*.mlir"))


@pytest.mark.parametrize("name", registry.PASSES)
def test_pass_says_what_it_does(name: str):
    module = importlib.import_module(registry.module_name(name))
    assert module.__doc__


@pytest.mark.parametrize("level", LEVELS)
def test_dialect_has_its_mlir_tests(level: str):
    folder = ROOT / "tests" / "dialects" / level
    assert list(folder.rglob("*ops*.mlir"))
    assert list(folder.rglob("*invalid*.mlir"))


def test_files_fit_in_a_readers_head():
    lengths = {relative(path): len(path.read_text().splitlines()) for path in PYTHON}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short():
    lengths = {
        f"{relative(path)}: {function.name}": (function.end_lineno or function.lineno) - function.lineno + 1
        for path in PYTHON
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
    }
    assert {place: lines for place, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_folders_are_imported_by_their_installed_name():
    files = source_files("*.py", tests=True)
    assert [relative(path) for path in files if FIRST_IMPORT.search(path.read_text())] == []


def test_limits_are_named_max_and_min():
    assert [(relative(path), found[0]) for path in PYTHON for found in LIMIT.finditer(path.read_text())] == []


def test_words_of_the_field_are_used():
    """Interleaved, vectors per tile, row tiles, fork-join, Winograd, rematerialised: the glossary has them."""
    assert [(relative(path), found[0]) for path in PYTHON for found in OWN_WORDS.finditer(path.read_text())] == []


def test_no_path_of_a_machine():
    files = [path for pattern in ("*.py", "*.[ch]", "*.j2", "*.mlir") for path in source_files(pattern, tests=True)]
    files += [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]
    found = [f"{relative(path)}: {match[0]}" for path in files for match in MACHINE_PATH.finditer(path.read_text())]
    assert found == []


def test_packages_are_refused_under_their_bare_name():
    with pytest.raises(ImportError, match=r"from s2s\.dialects import"):
        exec(compile((PACKAGES["s2s.dialects"] / "__init__.py").read_text(), "x", "exec"), {"__name__": "dialects"})
