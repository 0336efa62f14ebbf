"""The share of small changes to passes and dialects that the tests of the changed module notice.

    python -m benchmarks.mutation_score [--mutants 60] [--seed 0] [--from 0] [--record score.json] [--least 0.9]
                                        [--wide tests]

A mutant is one change that cosmic-ray (extra `bench`) makes in a copy of the tree: another operator or
number, a comparison turned, a branch left out. Modules are drawn by their lines, changes evenly. Each mutant meets the
tests that are named after its module, else after its package or after the modules that import it. Annotations and texts
are not changed. Prints each survivor with its place; they are to be read. Exits with 1 below `--least`.

`--wide` names folders of tests that a mutant meets which those few have not noticed: with all tests, minutes each.
`--record` takes the outcomes after each mutant; what it holds is not run again.
"""

import argparse
import ast
import importlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from s2s.errors import InputError

ROOT = Path(__file__).parents[1]
MUTATED = ("s2s/passes", "dialects")
TESTED = ("tests/passes", "tests/dialects", "tests/interpret", "tests/analysis")
COPIED = ("benchmarks", "dialects", "pyproject.toml", "runtime_c", "s2s", "templates", "tests")
LEVELS = ("graph", "tensor", "loop", "c")
LEFT_OUT = re.compile(r"core/(NoOp|Variable\w+|RemoveDecorator|ExceptionReplacer|\w+_Is_Eq|\w+_IsNot_NotEq)")
"""Operators that change nothing, take arguments, or change what few lines have; values of the IR are equal if they are
the same."""
SECONDS = 600.0
"""The time that the tests of one mutant may take; an endless loop is noticed by it."""
MAX_TESTS = 12
"""Files of tests that a mutant meets."""


Place = tuple[int, int]
"""Line and column."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    number: int
    place: str
    """File and line."""
    change: str
    """The changed line before and after."""
    tests: Sequence[str]
    noticed: bool


def modules() -> list[Path]:
    """All modules that are changed, in order."""
    paths = [path for folder in MUTATED for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path.relative_to(ROOT) for path in paths]


def tests_of(module: Path) -> list[str]:
    """The files of tests that are named after a module, else after a package around it, else after the modules that
    import it; at most `MAX_TESTS`."""
    parts = module.with_suffix("").parts
    names = parts[1:] if parts[0] == "dialects" else [part for part in parts[2:] if part not in LEVELS]
    for name in reversed(names):
        if paths := _named(name, module):
            level = _named(module.parts[1], module) if module.parts[0] == "dialects" else []
            return list(dict.fromkeys([*level, *paths]))[:MAX_TESTS]
    importing = re.compile(rf"(import|from) .*\b{module.stem}\b")
    users = [entry for entry in modules() if entry != module and importing.search((ROOT / entry).read_text("utf-8"))]
    return list(dict.fromkeys(test for user in users for test in _named(user.stem, user)))[:MAX_TESTS]


def _named(name: str, module: Path) -> list[str]:
    """Tests called `name.mlir`, `name_….mlir` or `test_name….py`, or in a folder `name`; of the module's level."""
    pattern = re.compile(rf"(test_)?{re.escape(name)}(_\w+)?\.(mlir|py)")
    level = next((part for part in module.parts if part in LEVELS), "")
    folders = [f"tests/dialects/{level}"] if name == level else TESTED
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in (".mlir", ".py")]
    own = [path for path in paths if pattern.fullmatch(path.name) or name in path.parent.parts]
    return sorted(path.relative_to(ROOT).as_posix() for path in own if not level or level in path.parts)


def fixed_spans(source: str) -> list[tuple[Place, Place]]:
    """The signatures, annotations, texts and imports, in which a change changes no behaviour, or fails at once; and
    the places that say that two sequences are equally long."""
    spans: list[tuple[Place, Place]] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(lineno=first, body=[body, *_]):
                spans.append(((first, 0), (body.lineno, 0)))
            case ast.AnnAssign(annotation=fixed) | ast.keyword(arg="strict", value=fixed):
                spans.append(_span(fixed))
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                spans.append(_span(node))
            case _:
                pass
    return spans


def _span(node: ast.expr | ast.stmt) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def mutant(number: int, seed: int) -> tuple[Path, int, str]:
    """The module, the line and the changed text of the mutant of a number."""
    try:
        trees: Any = importlib.import_module("cosmic_ray.ast")
        plugins: Any = importlib.import_module("cosmic_ray.plugins")
        mutating: Any = importlib.import_module("cosmic_ray.mutating")
    except ImportError as error:
        way_out = "pip install 's2s-compiler[bench]'"
        raise InputError(f"benchmarks.mutation_score: {error.name} is missing; {way_out}") from error
    draw, paths = random.Random(f"{seed}/{number}"), modules()
    sizes = [(ROOT / module).stat().st_size for module in paths]
    names = [name for name in sorted(plugins.operator_names()) if not LEFT_OUT.match(name)]
    while True:
        [module] = draw.choices(paths, sizes)
        source = (ROOT / module).read_text(encoding="utf-8")
        fixed, nodes = fixed_spans(source), list(trees.ast_nodes(trees.get_ast(source)))
        places: list[tuple[int, Any, int]] = []
        for operator in (plugins.get_operator(name)() for name in names):
            at = [first for node in nodes for first, _ in operator.mutation_positions(node)]
            free = (not any(first <= entry < last for first, last in fixed) for entry in at)
            places += [
                (entry[0], operator, place)
                for place, (entry, is_free) in enumerate(zip(at, free, strict=True))
                if is_free
            ]
        if places and tests_of(module):
            line, operator, place = draw.choice(places)
            changed: str | None = mutating.mutate_code(source, operator, place)
            if changed is not None and changed != source:
                return module, line, changed


def copy_of(folder: Path) -> Path:
    """A copy of what the tests need, in which the dialects are inside the package as in an installation."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for name in ("dialects", "runtime_c", "templates"):
        (folder / "s2s" / name).symlink_to(folder / name)
    return folder


def outcome(number: int, seed: int, tree: Path, wide: Sequence[str]) -> Outcome:
    """Run the tests of a mutant in a copy of the tree, and the `wide` ones if these do not notice it."""
    module, line, changed = mutant(number, seed)
    source, tests = (ROOT / module).read_text(encoding="utf-8"), tests_of(module)
    (tree / module).write_text(changed, encoding="utf-8")
    noticed = _fails(tests, tree) or (bool(wide) and _fails(wide, tree))
    (tree / module).write_text(source, encoding="utf-8")
    before, after = (text.split("\n") for text in (source, changed))
    removed = [text.strip() for text in before if text not in after]
    added = [text.strip() for text in after if text not in before]
    change = f"{' '.join(removed) or before[line - 1].strip()}  ->  {' '.join(added) or '(left out)'}"
    return Outcome(number, f"{module}:{line}", change[:300], tests, noticed)


def _fails(tests: Sequence[str], tree: Path) -> bool:
    """Return whether one of some tests fails, or does not end."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    seconds = SECONDS * (1 if all("." in test for test in tests) else 10)
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    """Run the mutants and print the score; 1 if it is too low."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="file of outcomes, which are not run again")
    parser.add_argument("--wide", nargs="*", default=[], help="folders of tests for what few tests do not notice")
    parser.add_argument("--least", type=float, default=0.9, help="the least share that is noticed")
    options = parser.parse_args()
    record: Path | None = options.record
    stored: list[dict[str, Any]] = (
        json.loads(record.read_text("utf-8")) if record is not None and record.exists() else []
    )
    outcomes: dict[int, Outcome] = {entry["number"]: Outcome(**entry) for entry in stored}
    with TemporaryDirectory(prefix="s2s-mutation-") as folder:
        tree = copy_of(Path(folder))
        for number in range(options.first, options.first + options.mutants):
            if number not in outcomes:
                outcomes[number] = outcome(number, options.seed, tree, options.wide)
                if record is not None:
                    record.write_text(json.dumps([asdict(entry) for entry in outcomes.values()], indent=1), "utf-8")
    survivors = [entry for entry in outcomes.values() if not entry.noticed]
    for entry in survivors:
        print(f"{entry.number}: {entry.place}: {entry.change}  (met {', '.join(entry.tests)})")
    share = 1 - len(survivors) / max(len(outcomes), 1)
    print(f"{len(outcomes)} mutants, {len(outcomes) - len(survivors)} noticed: {share:.1%}")
    return 1 if share < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
