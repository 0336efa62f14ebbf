"""The emitted tree, as somebody who knows no s2s builds it."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.emit import units
from s2s.emit.files import Tree
from support.c_compilers import COMPILERS, SANITIZERS, WARNINGS, require, require_sanitizers, run
from support.emitted import TEXT, Executor, emitted, network

EXECUTORS: tuple[Executor, ...] = ("aot", "graph")
INCLUDES = ("-Iinclude", "-Isrc", "-Iruntime/include")
NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["*/", "??/", "int", "a", "arena", "\\", '"', "y\nx", "${x}"]
)

LINES = 60
"""A file of kernels is as long as this in tests."""


@pytest.fixture(params=EXECUTORS)
def tree(request: pytest.FixtureRequest) -> Tree:
    return network(request.param)


@pytest.fixture
def folder(tree: Tree, tmp_path: Path) -> Path:
    tree.write(tmp_path / "net")
    return tmp_path / "net"


def sources(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*.c"))


def check_units(folder: Path) -> None:
    for compiler in filter(shutil.which, COMPILERS):
        for source in sources(folder):
            run([compiler, *WARNINGS, *INCLUDES, "-O1", "-fsyntax-only", source], folder)


def test_the_tree_holds_what_the_network_needs_and_no_more() -> None:
    parts = ("", "_align", "_arena", "_bits", "_config", "_integer", "_math", "_scalar", "_simd", "_trace")
    runtime = [f"runtime/include/s2s{name}.h" for name in parts]
    found = [path for path in network() if not path.startswith("runtime/include/s2s_simd_")]
    assert found == [
        *("include/net.h", "src/net.c", "src/net_trace.h", "src/net_kernels.h", "src/net_kernels.c"),
        *("src/net_weights.h", "src/net_weights.c", "test/net_vectors.h", "test/net_vectors.c", "test/net_test.c"),
        *runtime,
        *("LICENSES/LicenseRef-Model.txt", "LICENSES/Apache-2.0.txt", "REUSE.toml", "sbom.cdx.json"),
        *("Makefile", "CMakeLists.txt", "README.md", "metadata.json"),
    ]


def test_the_graph_executor_comes_with_its_tables_and_files() -> None:
    added = set(network("graph")) - set(network())
    assert {path for path in added if not path.startswith("runtime/")} == {
        *("src/net_graph.c", "net.graph.json", "net.params"),
    }
    assert {"runtime/src/executor.c", "runtime/src/graph_check.c", "runtime/include/s2s_executor.h"} <= added


def test_every_file_compiles_without_a_warning(folder: Path) -> None:
    check_units(folder)


def test_the_public_header_is_one_of_c_plus_plus_too(folder: Path) -> None:
    (folder / "user.cpp").write_text('#include "net.h"\n')
    command: list[str | Path] = [require("g++"), "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", *INCLUDES]
    run([*command, "-fsyntax-only", "user.cpp"], folder)


def test_make_builds_and_tests_it(folder: Path) -> None:
    assert "net: passed" in run([require("make"), "test"], folder)
    run(["make", "clean"], folder)
    assert not (folder / "build").exists()


def test_make_takes_another_compiler_and_other_flags(folder: Path) -> None:
    flags = "CFLAGS=-std=c99 -O1 -DS2S_SIMD_PORTABLE"
    assert "net: passed" in run([require("make"), f"CC={require('clang')}", flags, "test"], folder)


def test_cmake_builds_and_tests_it(folder: Path) -> None:
    run([require("cmake"), "-S", ".", "-B", "build"], folder)
    run(["cmake", "--build", "build"], folder)
    assert "100% tests passed" in run(["ctest", "--test-dir", "build"], folder)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_self_test_is_clean_under_sanitizers(folder: Path, tmp_path: Path, compiler: str) -> None:
    require_sanitizers(compiler, tmp_path)
    run([compiler, "-std=c99", "-g", "-O1", *SANITIZERS, *INCLUDES, *sources(folder), "-o", "checked", "-lm"], folder)
    assert "net: passed" in run([folder / "checked"], folder)


def test_the_self_test_fails_where_an_output_is_wrong(folder: Path) -> None:
    vectors = folder / "test" / "net_vectors.c"
    head, _, tail = vectors.read_text().partition("net_q_0[32] = {\n    ")
    vectors.write_text(f"{head}net_q_0[32] = {{\n    {int(tail.split(',')[0]) + 1},{tail.partition(',')[2]}")
    done = subprocess.run([require("make"), "test"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "q: 32 bytes, different, FAILED" in done.stdout


def test_bytes_and_literals_are_the_same_network(tmp_path: Path) -> None:
    for form in ("incbin", "arrays"):
        network("aot", form).write(tmp_path / form)
        assert "net: passed" in run([require("make"), "test"], tmp_path / form)
        check_units(tmp_path / form)
    assert (tmp_path / "incbin/src/net_weights.c.bin").stat().st_size == 128


def test_bytes_are_found_from_any_directory(tmp_path: Path) -> None:
    network("aot", "incbin").write(tmp_path / "net")
    run(
        [
            require("gcc"),
            *(f"-I{tmp_path}/net/{each[2:]}" for each in INCLUDES),
            "-c",
            tmp_path / "net/src/net_weights.c",
        ],
        tmp_path,
    )
    moved = tmp_path / "elsewhere.c"
    shutil.copy(tmp_path / "net/src/net_weights.c", moved)
    where = f'-DNET_WEIGHTS_FILE="{tmp_path}/net/src/net_weights.c.bin"'
    run(["gcc", where, *(f"-I{tmp_path}/net/{each[2:]}" for each in INCLUDES), "-c", "elsewhere.c"], tmp_path)


def test_a_network_that_outgrows_its_budget_does_not_compile(folder: Path) -> None:
    command = [require("gcc"), "-std=c99", *INCLUDES, "-fsyntax-only", "src/net_kernels.c", "-include", "include/net.h"]
    for budget, fits in (("-DNET_ARENA_BUDGET=256", True), ("-DNET_ARENA_BUDGET=255", False)):
        done = subprocess.run([*command, budget], cwd=folder, capture_output=True, check=False)
        assert (done.returncode == 0) == fits


def test_nothing_is_called_but_what_is_promised(folder: Path) -> None:
    """No heap, no input or output, no state outside of the caller's memory."""
    run([require("make"), "CFLAGS=-O2 -fno-pie"], folder)
    symbols = run([require("nm"), "build/libnet.a"], folder).splitlines()
    kinds = {line.split()[-2]: line.split()[-1] for line in symbols if line.split()[1:]}
    assert not {"B", "b", "D", "d", "C"} & set(kinds)
    undefined = {line.split()[-1] for line in symbols if " U " in line} - {
        line.split()[-1] for line in symbols if " T " in line or " W " in line
    }
    allowed = {"rintf", "memcpy", "memmove", "memset", "strcmp", "_GLOBAL_OFFSET_TABLE_"}
    assert {name for name in undefined if not name.startswith(("net_", "call_"))} <= allowed


def test_the_record_says_what_is_there(folder: Path) -> None:
    record = json.loads((folder / "metadata.json").read_text())
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert [*record["files"], "metadata.json"] == sorted(
        [*record["files"], "metadata.json"], key=lambda path: path == "metadata.json"
    )
    assert sorted([*record["files"], "metadata.json"]) == files
    assert record["inputs"][0] == {
        "name": "x",
        "identifier": "x",
        "dtype": "f32",
        "shape": [4, 8],
        "layout": "row, column",
        "size": 128,
        "offset": None,
        "quantisation": None,
    }
    assert record["outputs"][1]["quantisation"] == {"scale": 0.5, "zero_point": 3}


def test_the_header_says_what_a_caller_needs() -> None:
    header = network().text("include/net.h")
    for line in (
        "#define NET_ARENA_SIZE   256u /* bytes of RAM that the caller provides */",
        "#define NET_ARENA_ALIGN  64u  /* alignment of the arena, in bytes */",
        "#define NET_WEIGHTS_SIZE 128u /* bytes of constants in flash */",
        "/* input: x, float[4][8] (row, column) */",
        "#define NET_X_SIZE 32u",
        "/* output: q, int8_t[32]; real = 0.5 * (q - 3) */",
        "s2s_status net_run(void *arena, const float x[NET_X_SIZE], float y[NET_Y_SIZE], int8_t q[NET_Q_SIZE]);",
    ):
        assert line in header


def test_the_entry_reads_as_the_network() -> None:
    assert (
        "    net_scale(a_f32 + 0, x, net_w);    /* mul */\n"
        "    net_round(a_i8 + 128, a_f32 + 0);  /* quantise */\n"
        "    net_round(q, x);                   /* quantise 2 */\n"
        "    net_add(y, a_f32 + 0, a_i8 + 128); /* add */\n"
    ) in network().text("src/net.c")


@given(st.tuples(NAMES, NAMES, NAMES), st.text(max_size=40), st.text(max_size=40), st.sampled_from(EXECUTORS))
@settings(max_examples=8)
def test_no_text_of_a_model_breaks_the_tree(
    names: tuple[str, ...], source: str, description: str, executor: Executor
) -> None:
    names = tuple(f"{name}{number}" for number, name in enumerate(names))
    tree = network(executor, names=names, source=source, description=description)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "net")
        tree.write(folder)
        program = [source for source in sources(folder) if source.parts[0] != "runtime"]
        run([require("gcc"), *WARNINGS, *INCLUDES, "-fsyntax-only", *program], folder)
        run([require("make"), "-n", "test"], folder)


def test_long_kernels_go_to_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "MAX_UNIT_LINES", LINES)
    start, _, rest = TEXT.partition("func.func private @scale")
    body, _, main = rest.partition("func.func private @round")
    stores = body[body.index("    %v = ") : body.index("  }\n  func.return")]
    copies = "".join(
        stores.replace("%v", f"%v{n}").replace("%f", f"%f{n}").replace("%p", f"%p{n}") for n in range(LINES)
    )
    many = f"{start}func.func private @scale{body.replace(stores, copies)}func.func private @round{main}"
    tree = emitted(many, "aot", "auto", "c", ("x", "y", "q"))
    assert [path for path in tree if "kernels" in path] == [
        *("src/net_kernels.h", "src/net_kernels_1.c", "src/net_kernels_2.c"),
    ]
    tree.write(tmp_path / "net")
    assert "net: passed" in run([require("make"), "-j2", "test"], tmp_path / "net")
