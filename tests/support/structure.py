"""Count what keeps the structure of the compiler simple: imports between packages, and files that an addition touches.

    make structure        PYTHONPATH=.:tests python -m support.structure [--operations]

It reads the sources without running them. Exits with 1 if an import points upwards, or if modules import each other in
a circle.
"""

import argparse
import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from test_imports import room, upward_imports

from support.import_graph import circles, import_graph
from support.project import ROOT


def registrations() -> Mapping[str, AbstractSet[str]]:
    """Return, for each operation of the loop dialect, the files that define it or register a function for it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "dialects" / "loop").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(_is_definition(each) for each in node.decorator_list):
                found[node.name].add(path.relative_to(ROOT).as_posix())
    for path in (ROOT / "s2s").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register":
                for name in {each.attr for each in node.args if isinstance(each, ast.Attribute)} & found.keys():
                    found[name].add(path.relative_to(ROOT).as_posix())
    return found


def _is_definition(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "op_definition"


OUTSIDE = {
    "a loop operation": "tests/passes/loop/test_new_operation.py",
    "a directive": "tests/schedules/test_directive_from_outside.py",
    "an intrinsic and its target": "tests/targets/test_intrinsics.py",
    "an operator": "tests/operators/test_operators_from_outside.py",
    "a heuristic": "tests/decisions/test_chooser.py",
}
"""Tests that make an addition from outside, with no change to a file of the package."""


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(prog="python -m support.structure")
    parser.add_argument("--operations", action="store_true", help="list the files of every loop operation")
    asked = parser.parse_args()
    graph = import_graph()
    upwards, rings = upward_imports(), circles(graph)
    print(f"modules                            {len(graph)}")
    print(f"imports between modules            {sum(map(len, graph.values()))}")
    print(f"imports against the order          {len(upwards)}")
    print(f"circles of modules                 {len(rings)}")
    loose = [name for name in graph if name.count(".") == 1 and (ROOT / "s2s" / f"{room(name)}.py").exists()]
    print(f"modules right in s2s/              {len(loose)}: {', '.join(map(room, loose))}")
    folders = Counter(name.rpartition(".")[0] for name in graph)
    largest, count = folders.most_common(1)[0]
    print(f"modules in the largest folder      {count} ({largest})")
    operations = registrations()
    sizes = Counter(len(files) for files in operations.values())
    print(f"loop operations by files touched   {', '.join(f'{n} files: {sizes[n]}' for n in sorted(sizes))}")
    if asked.operations:
        for name, files in sorted(operations.items()):
            print(f"    {name:24}{', '.join(sorted(files))}")
    print("files of the package touched by additions from outside:")
    for what, test in OUTSIDE.items():
        print(f"    {what:31}0  ({test})")
    for module, other in upwards:
        print(f"upwards: {module} imports {other}")
    for ring in rings:
        print(f"circle: {', '.join(ring)}")
    return 1 if upwards or rings else 0


if __name__ == "__main__":
    sys.exit(main())
