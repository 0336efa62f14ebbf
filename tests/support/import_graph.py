"""Which modules of the package import which, read off their sources without running them."""

import ast
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

from support.project import PACKAGES

Graph = Mapping[str, AbstractSet[str]]
"""The modules that each module imports, those for type checkers and those inside of functions included."""


@cache
def import_graph() -> Graph:
    """The modules of the package, and the edges between them."""
    files = {
        _name(package, folder, path): path for package, folder in PACKAGES.items() for path in folder.rglob("*.py")
    }
    return {name: frozenset(_imported(path, files)) - {name} for name, path in sorted(files.items())}


def circles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm), each sorted."""
    found: list[list[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            start = stack.index(module)
            component = stack[start:]
            del stack[start:]
            if len(component) > 1:
                found.append(sorted(component))

    for module in graph:
        if module not in number:
            visit(module)
    return found


def _name(package: str, folder: Path, path: Path) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join([package, *(parts[:-1] if parts[-1] == "__init__" else parts)])


def _imported(path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    """The modules of the package that a file imports; of a name that a package re-exports, the package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.module in files:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in files else node.module
