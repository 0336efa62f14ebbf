"""The loader of graph JSON and params survives files made to break it; `benchmarks.fuzz_loader` makes millions."""

from pathlib import Path

from benchmarks.fuzz_loader import fuzz
from support.c_compilers import require, require_sanitizers


def test_loader_survives(tmp_path: Path):
    require_sanitizers(require("gcc"), tmp_path)
    assert fuzz(20_000, 7, tmp_path)
