"""Emitted trees are what their users build: without warnings, by make and cmake, under sanitizers, in C++ programs."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from s2s.data.samples import sample
from s2s.types.dtypes import tensor_type
from s2s.verify.build import load
from support.c_compilers import COMPILERS, SANITIZERS, WARNINGS, require, require_sanitizers, run
from support.compiled import quick_flags, run_c
from support.trees import FAMILIES, artifact_of, command, written

NETWORKS = ("digits", *FAMILIES)
FORMS = ("arrays", "incbin")

OBJECT = ("-std=c99", "-O1", "-fno-pic", "-no-pie", "-r", "-nostdlib")
"""One object of all files; without relocations at load time, constant tables of pointers are constant."""
FORBIDDEN = {"malloc", "calloc", "realloc", "free", "alloca", "printf", "fprintf", "puts", "putchar", "exit", "abort"}


@pytest.mark.sample(1, each="network")
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize("network", NETWORKS)
def test_every_file_compiles_without_a_warning(network: str, target: str, compiler: str):
    tree = written(network, target)
    run(command(tree, require(compiler), target, *WARNINGS, "-fsyntax-only"), tree)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("form", FORMS)
def test_tables_and_weights_compile_without_a_warning(form: str, compiler: str):
    tree = written("digits", "host", "graph", form)
    run(command(tree, require(compiler), "host", *WARNINGS, "-fsyntax-only"), tree)


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("network", ["digits", "iotas"])
def test_header_is_included_by_cxx(network: str, executor: str, tmp_path: Path):
    program = tmp_path / "program.cpp"
    program.write_text('#include "net.h"\n#include "net.h"\nint main() { return NET_ARENA_SIZE == 1; }\n')
    tree = written(network, "c", executor)
    flags = ["-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    run([require("g++"), *flags, f"-I{tree}/include", f"-I{tree}/runtime/include", program], tmp_path)


@pytest.fixture(scope="module")
def without_python(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which no Python is found."""
    folder = tmp_path_factory.mktemp("bin")
    for place in ("/bin", "/usr/bin", "/usr/local/bin"):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if "py" not in program.name and not link.exists():
                link.symlink_to(program)
    environment = {**os.environ, "PATH": str(folder)}
    assert shutil.which("python3", path=environment["PATH"]) is None
    return environment


def copied(tree: Path, folder: Path) -> Path:
    return Path(shutil.copytree(tree, folder / "tree"))


def build(words: list[str], tree: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(words, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("executor", "form"), [("aot", "arrays"), ("aot", "incbin"), ("graph", "incbin")])
def test_make_test_passes(executor: str, form: str, tmp_path: Path, without_python: dict[str, str]):
    require("make")
    tree = copied(written("digits", "host", executor, form), tmp_path)
    assert "passed" in build(["make", "CFLAGS=-std=c99 -O1", "test"], tree, without_python)


def test_the_code_that_a_report_tells_is_that_of_the_library(tmp_path: Path):
    tree = copied(written("digits", "host"), tmp_path)
    run([require("make"), f"CC={require('gcc')}"], tree)
    sections = [line.split() for line in run([require("size"), "-A", "build/libnet.a"], tree).splitlines()]
    text = sum(int(words[1]) for words in sections if words and words[0].partition(".text")[1] and len(words) == 3)
    with artifact_of("digits", "host") as artifact:
        report = artifact.report(measure=True)
    assert report.code == text > 0


def test_the_functions_that_a_report_names_are_a_part_of_the_code():
    with artifact_of("digits", "host") as artifact:
        report = artifact.report(measure=True)
    assert report.code is not None
    assert 0 < sum(report.code_of.values()) <= report.code


def test_ctest_passes(tmp_path: Path, without_python: dict[str, str]):
    require("cmake")
    tree = copied(written("digits", "host", "aot", "incbin"), tmp_path)
    build(["cmake", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug"], tree, without_python)
    build(["cmake", "--build", "build"], tree, without_python)
    ran = build(["ctest", "--test-dir", "build", "--output-on-failure", "--no-tests=error"], tree, without_python)
    assert "100% tests passed, 0 tests failed out of 1" in ran


def test_self_test_fails_when_a_constant_is_wrong(tmp_path: Path, without_python: dict[str, str]):
    tree = copied(written("digits", "c", "aot", "incbin"), tmp_path)
    weights = tree / "src" / "net_weights.c.bin"
    weights.write_bytes(bytes(weights.stat().st_size))
    done = subprocess.run(["make", "test"], cwd=tree, env=without_python, capture_output=True, check=False)
    assert done.returncode != 0


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("network", "target", "executor"),
    [
        *(("digits", "host", "aot"), ("digits", "c", "graph")),
        *((family, "c", "aot") for family in FAMILIES if family != "quantised"),  # no network has made-up shifts
    ],
)
def test_sanitizers_find_nothing(network: str, target: str, executor: str, tmp_path: Path):
    require_sanitizers("gcc", tmp_path)
    tree = written(network, target, executor)
    flags = ["-std=c99", "-O0", *SANITIZERS, "-o", str(tmp_path / "test")]
    run([*command(tree, "gcc", target, *flags), "-lm"], tree)
    run([tmp_path / "test"], tmp_path)


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("network", ["digits", "functions"])
def test_library_calls_no_heap_and_keeps_no_state(network: str, executor: str, tmp_path: Path):
    require("nm")
    tree = written(network, "c", executor)
    library = tmp_path / "net.o"
    run(command(tree, require("gcc"), "c", *OBJECT, "-o", str(library), tests=False), tree)
    symbols = [line.split()[-2:] for line in run(["nm", library], tmp_path).splitlines()]
    assert {name for _, name in symbols} & FORBIDDEN == set()
    assert [name for kind, name in symbols if kind in "BbCDd"] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("network", ["digits", "products", "normalisations"])
def test_portable_vectors_give_what_plain_c_gives(network: str):
    scalar, wide = artifact_of(network, "c"), artifact_of(network, "host")
    inputs = [sample(port.name, tensor_type(port.element, port.shape)) for port in scalar.info.inputs]
    with load(wide.tree(), flags=quick_flags(wide, "-DS2S_SIMD_PORTABLE")) as loops:
        found = list(loops.run(dict(zip(loops.input_names, inputs, strict=True))).values())
    for plain, vectors in zip(run_c(scalar, inputs), found, strict=True):
        wanted, got = (value.astype(np.float64) for value in (plain, vectors))
        scale = float(np.abs(wanted).max(initial=1.0))
        coarse = 2e-2 if plain.dtype.itemsize == 2 else 1e-4
        np.testing.assert_allclose(got, wanted, rtol=coarse, atol=coarse * scale)


@pytest.mark.parametrize(("compiler", "flags"), [("gcc", ["-std=c99", "-O0", "-fno-builtin"]), ("tcc", [])])
def test_plain_tree_needs_no_optimiser(compiler: str, flags: list[str], tmp_path: Path):
    tree = written("digits", "c")
    words = command(tree, require(compiler), "c", *flags, "-o", str(tmp_path / "test"))
    run([word for word in words if compiler == "gcc" or word != "-ffp-contract=off"] + ["-lm"], tree)
    run([tmp_path / "test"], tmp_path)
