"""A network is optimised whatever the project around it is compiled with, and says so where it is not."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s.packagings.formats import export
from support.c_compilers import require, run
from support.trees import written

PROJECT = """cmake_minimum_required(VERSION 3.13)
project(reader LANGUAGES C)
add_subdirectory(net)
add_executable(reader main.c)
target_link_libraries(reader PRIVATE net::net)
"""
MAIN = '#include "net.h"\nint main(void) { return net_run(0, 0, 0) != S2S_ERR_NULL; }\n'


def level(command: str) -> str:
    """The optimisation level of a compiler's command: its last one."""
    return ([*re.findall(r" (-O\w*)", command)] or [""])[-1]


def levels(database: Path) -> Iterator[tuple[str, str]]:
    """The files of a compilation database, and the levels that they are compiled with."""
    for each in json.loads((database / "compile_commands.json").read_text()):
        yield Path(each["file"]).name, level(each["command"])


def configured(folder: Path, *options: str) -> dict[str, str]:
    """The levels of the files of a CMake project that takes a network as a subdirectory."""
    if not (folder / "net").exists():
        shutil.copytree(written("digits", "c", "aot", "arrays"), folder / "net")
        (folder / "CMakeLists.txt").write_text(PROJECT)
        (folder / "main.c").write_text(MAIN)
    command: list[str | Path] = [require("cmake"), "-S", ".", "-B", "b", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options]
    run(command, folder)
    return dict(levels(folder / "b"))


@pytest.mark.parametrize("build_type", ["", "Debug", "Release", "RelWithDebInfo"])
def test_cmake_optimises_the_network_of_a_project_of_any_build_type(build_type: str, tmp_path: Path) -> None:
    found = configured(tmp_path, f"-DCMAKE_BUILD_TYPE={build_type}")
    assert found["net_kernels.c"] == found["net.c"] == "-O3"
    assert found["main.c"] == {"": "", "Debug": "", "Release": "-O3", "RelWithDebInfo": "-O2"}[build_type]


def test_cmake_keeps_the_size_of_a_project_that_asks_for_it(tmp_path: Path) -> None:
    assert configured(tmp_path, "-DCMAKE_BUILD_TYPE=MinSizeRel")["net_kernels.c"] == "-Os"


def test_cmake_leaves_the_level_to_a_project_that_asks_for_that(tmp_path: Path) -> None:
    assert configured(tmp_path, "-DCMAKE_BUILD_TYPE=Debug", "-DNET_OPTIMISE=OFF")["net_kernels.c"] == ""


@pytest.mark.parametrize(("kind", "expected"), [("debug", "-O3"), ("plain", "-O3"), ("minsize", "-Os")])
def test_meson_optimises_the_network_of_a_project(kind: str, expected: str, tmp_path: Path) -> None:
    pytest.importorskip("mesonbuild")
    require("ninja")
    export(written("digits", "c", "aot", "arrays"), ["meson"], tmp_path / "subprojects" / "net")
    (tmp_path / "meson.build").write_text(
        "project('app', 'c')\nexecutable('app', 'main.c', dependencies: dependency('net'))\n"
    )
    shutil.copy(tmp_path / "subprojects" / "net" / "net.wrap", tmp_path / "subprojects")
    (tmp_path / "main.c").write_text(MAIN)
    run([sys.executable, "-m", "mesonbuild.mesonmain", "setup", f"--buildtype={kind}", "b"], tmp_path)
    assert dict(levels(tmp_path / "b"))["net_kernels.c"] == expected


@pytest.mark.parametrize(
    ("format", "file", "text"),
    [
        ("esp-idf", "CMakeLists.txt", "target_compile_options(${COMPONENT_LIB} PRIVATE -O3)"),
        ("zephyr", "zephyr/CMakeLists.txt", "zephyr_library_compile_options(-O3)"),
        ("platformio", "library.json", '"flags": ["-O3", '),
        ("cmsis-pack", "net.clayer.yml", "optimize: speed"),
        ("wheel", "net_extension.py", 'extra_compile_args=["-O3"'),
    ],
)
def test_other_formats_state_the_level(format: str, file: str, text: str, tmp_path: Path) -> None:
    export(written("digits", "c", "aot", "arrays"), [format], tmp_path / "net")
    assert text in (tmp_path / "net" / file).read_text()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_c_says_once_where_it_is_not_optimised(compiler: str, tmp_path: Path) -> None:
    tree = written("digits", "c", "aot", "arrays")
    command = f"{require(compiler)} -std=c99 -Wall -Wextra -pedantic -Werror -Iinclude -Isrc -Iruntime/include".split()
    sources = [str(path.relative_to(tree)) for path in tree.glob("src/*.c")]

    def said(*options: str) -> int:
        objects = [run([*command, *options, "-c", source, "-o", tmp_path / "x.o"], tree) for source in sources]
        return "".join(objects).count("without optimisation its kernels take up to 20 times as long")

    assert said("-O0") >= 1
    assert said("-O0", "-DS2S_UNOPTIMISED") == said("-O1") == 0
