"""The loader of graph JSON and params survives files that were made to break it; a million and more by `benchmarks.fuzz_loader`."""

from pathlib import Path

from benchmarks.fuzz_loader import fuzz
from support.c_compilers import require, require_sanitizers


def test_loader_survives(tmp_path: Path):
    require_sanitizers(require("gcc"), tmp_path)
    assert fuzz(20_000, 7, tmp_path)
