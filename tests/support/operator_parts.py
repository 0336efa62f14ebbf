"""The parts of an operator, and the files that hold them: what is missing of a new one, and how many files it touches.

    PYTHONPATH=.:tests python -m support.operator_parts [graph.NAME …]

Without a name, the operators that no pass knows by name are listed: so many files a new operator takes.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.evaluate import meaning_of
from support.project import ROOT

LOWERINGS = "s2s/passes/graph/lower_to_tensor"
PARTS: Mapping[str, tuple[str, ...]] = {
    "dialect": ("dialects/graph",),
    "numpy meaning": ("s2s/interpret/graph",),
    "lowering": (LOWERINGS,),
    "importer": ("s2s/frontends",),
    "pass": ("s2s/passes", "s2s/analysis", "s2s/decisions", "s2s/external", "s2s/schedules", "s2s/stages"),
    "test": ("tests/interpret/graph", "tests/passes/graph", "tests/end_to_end", "tests/frontends"),
}
"""The folders of each part, the first that holds a file counts."""
OPERATORS: Sequence[type[Operation]] = tuple(
    each
    for each in graph.Graph.operations
    if not issubclass(each, graph.StepInterface | graph.ExternOp | graph.WeightOp) or each is graph.AdvanceOp
)
"""The operations of the graph level that compute a tensor; the others hold, call or run what does."""


@cache
def _files(folder: str) -> Mapping[Path, str]:
    paths = (path for kind in ("*.py", "*.mlir") for path in sorted((ROOT / folder).rglob(kind)))
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in paths}


def files_of(operation: type[Operation]) -> dict[str, list[Path]]:
    """The files that name an operation, or a family that it belongs to, by part."""
    named = rf"{re.escape(operation.name)}(?![\w.])|graph\.{operation.__name__}\b"
    defined = rf"(?<!\w\.)\b{operation.__name__}\b"
    files: dict[str, list[Path]] = {part: [] for part in PARTS}
    seen: set[Path] = set()
    for part, folders in PARTS.items():
        name = re.compile(f"{named}|{defined}" if part == "dialect" else named)
        for path, text in ((path, text) for folder in folders for path, text in _files(folder).items()):
            if path not in seen and name.search(text):
                seen.add(path)
                files[part].append(path)
    return files


def missing(operation: type[Operation]) -> list[str]:
    """The parts that an operator lacks, by name."""
    files = files_of(operation)
    families = "|".join(each.__name__ for each in operation.__mro__[1:] if each.__name__.endswith("Op"))
    inherits = any(re.search(rf"\b({families})\b", text) for text in _files(LOWERINGS).values())
    made = re.compile(rf"\bgraph\.{operation.__name__}\(")
    is_made = any(made.search(text) for text in _files("s2s/passes/graph").values())
    present = {
        "numpy meaning": meaning_of(operation) is not None,
        "lowering": bool(files["lowering"]) or inherits or issubclass(operation, graph.StepInterface),
        "importer, or a pass that makes it": bool(files["importer"]) or is_made,
        "test": bool(files["test"]),
    }
    return [part for part, is_there in present.items() if not is_there]


def known_to_no_pass() -> list[type[Operation]]:
    """The operators that passes and analyses treat by their interfaces alone."""
    return [each for each in OPERATORS if not files_of(each)["pass"]]


def product_files(operation: type[Operation]) -> list[Path]:
    """The files of the package that name an operator, a file of importers counted once for all formats."""
    files = files_of(operation)
    return [*files["dialect"], *files["numpy meaning"], *files["lowering"], *files["pass"], *files["importer"][:1]]


def main(names: Sequence[str]) -> None:
    """Print the files of some operators."""
    chosen = [each for each in graph.Graph.operations if each.name in names] or known_to_no_pass()
    for operation in chosen:
        paths = product_files(operation)
        lacking = f"; lacks {', '.join(missing(operation))}" if missing(operation) else ""
        print(f"{operation.name}: {len(paths)} files{lacking}", *(f"  {path}" for path in paths), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
