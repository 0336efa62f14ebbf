"""A compiler cache knows an emitted tree again: nothing in it, and no command, differs from build to build."""

import shutil
from pathlib import Path

import pytest

from s2s.verify.build import load
from support.c_compilers import require, run
from support.trees import sources, written

LAUNCHER = "ccache"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache for this test only."""
    require(LAUNCHER)
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CCACHE_DISABLE", raising=False)


def hits_and_misses(folder: Path) -> tuple[int, int]:
    """Of what was compiled since the last call."""
    lines = (line.split("\t") for line in run([LAUNCHER, "--print-stats"], folder).splitlines())
    counts = {name: int(count) for name, count in lines}
    run([LAUNCHER, "--zero-stats"], folder)
    return counts["direct_cache_hit"] + counts["preprocessed_cache_hit"], counts["cache_miss"]


def test_make_compiles_each_file_once(tmp_path: Path):
    tree, found = written("digits", "host"), list[tuple[int, int]]()
    for name in ("first", "second"):
        copy = shutil.copytree(tree, tmp_path / name)
        run([require("make"), "-s", f"CC={LAUNCHER} {require('gcc')}", "test"], copy)
        found.append(hits_and_misses(tmp_path))
    files = len(sources(tree))
    assert found == [(0, files), (files, 0)]


def test_cmake_compiles_each_file_once(tmp_path: Path):
    tree, found = written("digits", "host"), list[tuple[int, int]]()
    copy = shutil.copytree(tree, tmp_path / "tree")
    for name in ("first", "second"):
        launched = f"-DCMAKE_C_COMPILER_LAUNCHER={LAUNCHER}"
        run([require("cmake"), "-S", ".", "-B", name, launched, f"-DCMAKE_C_COMPILER={require('gcc')}"], copy)
        run(["cmake", "--build", name], copy)
        found.append(hits_and_misses(tmp_path))
    files = len(sources(tree))
    assert found == [(0, files), (files, 0)]


def test_s2s_compiles_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tree, found = written("digits", "host"), list[tuple[int, int]]()
    monkeypatch.setenv("CC", f"{LAUNCHER} {require('gcc')}")
    for name in ("first", "second"):
        with load(shutil.copytree(tree, tmp_path / name)):
            found.append(hits_and_misses(tmp_path))
    files = len(sources(tree, tests=False))
    assert found == [(0, files), (files, 0)]
