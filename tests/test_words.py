"""The first sentence of a docstring names its subject, and names of values say what they are.

"Return a scatter of other operands whose indices mean what those of `op` do." needs a second reading;
"Return a scatter of other operands with indices of the same meaning as in `op`." does not.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from support.project import PACKAGES, ROOT

PRONOUNS = re.compile(r"\bthose\b|\bthat of\b|\bwhat\b.*\bwhat\b|\bso (?:many|much)\b|\bas many as\b", re.IGNORECASE)
"""Words that stand for a thing which a first sentence has to name."""
FIRST_SENTENCE = re.compile(r"(.+?)(?:\.(?:\s|$)|\n\n|$)", re.DOTALL)
EMPTY_NAMES = frozenset({"each", "found", "given", "known", "made", "own", "whole"})
"""Names that fit any value."""
MAX_EMPTY_NAMES = 4_322
"""How many values, arguments and functions may have such a name: lower it when fewer have."""

Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> dict[Path, ast.Module]:
    """The modules of the compiler, the documents, the benchmarks and the examples."""
    folders = [PACKAGES["s2s"], PACKAGES["s2s.dialects"], *(ROOT / name for name in ("docs", "benchmarks", "examples"))]
    return {path: ast.parse(path.read_text()) for folder in folders for path in sorted(folder.rglob("*.py"))}


def documented(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The docstring of a definition, and the texts under the values that it assigns, with the names."""
    if not isinstance(node, Definition):
        return
    if text := ast.get_docstring(node):
        yield getattr(node, "name", "module"), text
    for value, below in pairwise(node.body):
        match value, below:
            case ((ast.Assign(targets=[target]) | ast.AnnAssign(target=target)), ast.Expr(ast.Constant(str() as text))):
                yield ast.unparse(target), text
            case _:
                pass


def first_sentences() -> Iterator[tuple[str, str]]:
    """The places of all docstrings, and their first sentences."""
    for path, module in modules().items():
        for node in ast.walk(module):
            for name, text in documented(node):
                if (sentence := FIRST_SENTENCE.match(text)) is not None:
                    yield f"{path.relative_to(ROOT)}: {name}", " ".join(sentence[1].split())


def empty_names(module: ast.Module) -> Iterator[str]:
    """The names of values, arguments and functions of a module that fit any of them."""
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        else:
            name = node.name if isinstance(node, ast.FunctionDef) else ""
        if name.strip("_") in EMPTY_NAMES:
            yield name


def test_first_sentences_name_their_subject():
    sentences = list(first_sentences())
    assert len(sentences) > 13_000
    assert [place for place, sentence in sentences if PRONOUNS.search(sentence)] == []


def test_fewer_names_say_nothing():
    assert sum(1 for module in modules().values() for _ in empty_names(module)) <= MAX_EMPTY_NAMES
