"""Where the parts of the project are, seen from its tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The root of the checkout (or of an unpacked sdist)."""

SHARED = ROOT.parent / "shared"
"""Models and tools beside the project; absent from a user's checkout."""

PACKAGES = {
    "s2s": ROOT / "s2s",
    "s2s.dialects": ROOT / "dialects",
    "s2s.templates": ROOT / "templates",
    "s2s.runtime_c": ROOT / "runtime_c",
}
"""Folders that hold the code, by the name they are installed under."""


def source_files(pattern: str, *, tests: bool = False) -> list[Path]:
    """Files of the code that match `pattern`, in order; those of tests/ too if asked for."""
    folders = [*PACKAGES.values(), ROOT / "examples", ROOT / "benchmarks"]
    if tests:
        folders.append(ROOT / "tests")
    return sorted(
        path
        for folder in folders
        for path in folder.rglob(pattern)
        if path.is_file() and "__pycache__" not in path.parts and "typings" not in path.parts
    )
