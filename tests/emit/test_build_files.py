"""The build files of a tree inside other projects: their flags, their processor and their compiler win."""

import json
import shutil
from pathlib import Path

import pytest

from s2s import api
from s2s.version import current_version, release
from support.c_compilers import require, run
from support.onnx_text import onnx_file
from support.trees import DIGITS

FIRMWARE = """
cmake_minimum_required(VERSION 3.13)
project(firmware C)
add_subdirectory(net)
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE net::net)
"""
TOOLCHAIN = """
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m4 -mthumb -mfloat-abi=softfp -mfpu=fpv4-sp-d16")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=nosys.specs -Wl,--gc-sections")
"""
CONSUMER = """
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(net WANTED REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE net::net)
"""
TANH = "(float[8] x) => (float[8] y) { a = Tanh(x) y = Exp(a) }"


def main_of(tree: Path) -> str:
    """A program that runs the network of a tree, as its README has it."""
    readme = (tree / "README.md").read_text()
    *declared, call = readme.partition("```c\n")[2].partition("```")[0].strip().splitlines()
    top = "\n".join(line for line in declared if line.startswith(("#", "static", "S2S")))
    body = "\n".join(line for line in declared if line and not line.startswith(("#", "static", "S2S")))
    return f"{top}\nint main(void)\n{{\n{body}\n{call}\nreturn (int)status;\n}}\n"


@pytest.fixture
def firmware(tmp_path: Path) -> Path:
    """A firmware project with a network of floats that needs <math.h>, for another ABI than the target's."""
    require("cmake")
    require("arm-none-eabi-gcc")
    tree = api.compile(onnx_file(TANH, tmp_path), target="cortex-m4", name="net").write(tmp_path / "net")
    (tmp_path / "CMakeLists.txt").write_text(FIRMWARE)
    (tmp_path / "toolchain.cmake").write_text(TOOLCHAIN)
    (tmp_path / "main.c").write_text(main_of(tree))
    return tmp_path


def test_a_firmware_links_a_tree_with_its_own_abi_and_flags(firmware: Path) -> None:
    size = ["-DCMAKE_BUILD_TYPE=MinSizeRel", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    run(["cmake", "-S", ".", "-B", "b", "-DCMAKE_TOOLCHAIN_FILE=toolchain.cmake", *size], firmware)
    run(["cmake", "--build", "b"], firmware)
    commands = json.loads((firmware / "b" / "compile_commands.json").read_text())
    files = [Path(each["file"]).name for each in commands]
    assert "net_kernels.c" in files
    assert "net_test.c" not in files, "the self-test of a part is not built with the project"
    of_net = [each["command"] for each in commands if "/net/src/" in each["file"]]
    for command in of_net:
        assert "-mfloat-abi=hard" not in command
        assert "-O3" not in command
        assert " -Os " in command
        assert "-fno-math-errno" in command
    targets = run(["cmake", "--build", "b", "--target", "help"], firmware)
    assert "Nightly" not in targets


def test_a_tree_alone_takes_the_processor_of_its_target(firmware: Path) -> None:
    cross = [
        "-DCMAKE_SYSTEM_NAME=Generic",
        "-DCMAKE_C_COMPILER=arm-none-eabi-gcc",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    ]
    more = ["-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"]
    run(["cmake", "-S", "net", "-B", "c", *cross, *more], firmware)
    run(["cmake", "--build", "c"], firmware)
    for each in json.loads((firmware / "c" / "compile_commands.json").read_text()):
        assert "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard" in each["command"]
        assert "net_test" not in each["file"]


def test_flags_of_a_tree_can_be_replaced(tmp_path: Path) -> None:
    require("cmake")
    tree = api.compile(DIGITS, target="c", name="net").write(tmp_path / "net")
    flags = ["-DNET_FLAGS=-fno-builtin", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DNET_TEST=OFF"]
    run(["cmake", "-S", ".", "-B", "build", *flags], tree)
    for each in json.loads((tree / "build" / "compile_commands.json").read_text()):
        assert "-fno-builtin" in each["command"]
        assert "-ffp-contract" not in each["command"]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_installed_tree_is_found(threads: int, tmp_path: Path) -> None:
    require("cmake")
    tree = api.compile(DIGITS, name="net", threads=threads).write(tmp_path / "net")
    run(["cmake", "-S", "net", "-B", "b", f"-DCMAKE_INSTALL_PREFIX={tmp_path}/prefix", "-DNET_TEST=OFF"], tmp_path)
    run(["cmake", "--build", "b", "--target", "install"], tmp_path)
    (tmp_path / "consumer").mkdir()
    wanted = ".".join(map(str, release(current_version())[:2]))
    (tmp_path / "consumer" / "CMakeLists.txt").write_text(CONSUMER.replace("WANTED", wanted))
    (tmp_path / "consumer" / "main.c").write_text(main_of(tree))
    shutil.rmtree(tree)
    run(["cmake", "-S", "consumer", "-B", "c", f"-DCMAKE_PREFIX_PATH={tmp_path}/prefix"], tmp_path)
    run(["cmake", "--build", "c"], tmp_path)
    run([tmp_path / "c" / "consumer"], tmp_path)


def test_make_test_of_a_cross_compiled_tree_runs_here(tmp_path: Path) -> None:
    require("arm-none-eabi-gcc")
    tree = api.compile(DIGITS, target="cortex-m4", name="net").write(tmp_path / "net")
    run([require("make")], tree)
    assert "net: passed" in run(["make", "test"], tree)
    assert "`make test` builds the self-test for the machine it runs on" in (tree / "README.md").read_text()


def test_objects_are_compiled_again_for_another_compiler(tmp_path: Path) -> None:
    require("arm-none-eabi-gcc")
    tree = api.compile(DIGITS, target="cortex-m4", name="net").write(tmp_path / "net")
    run([require("make")], tree)
    run(["make", f"CC={require('gcc')}", "build/net_test"], tree)
    assert "net: passed" in run([tree / "build" / "net_test"], tree)


def test_objects_are_compiled_again_for_other_flags(tmp_path: Path) -> None:
    tree = api.compile(DIGITS, threads=2, name="net").write(tmp_path / "net")
    run([require("make"), "test"], tree)
    assert "-c -o" not in run(["make", "test"], tree)
    again = run(["make", "THREADS=-DS2S_NO_THREADS", "test"], tree)
    assert "-DS2S_NO_THREADS" in again
    assert "-c -o build/src/net_kernels.o" in again
    quoted = "CFLAGS=-std=c99 -O1 -DS2S_USER_CONFIG='\"stdint.h\"'"
    assert "-c -o" in run(["make", quoted], tree)
    assert "-c -o" not in run(["make", quoted], tree)


def test_the_readme_names_the_folders_that_are_there(tmp_path: Path) -> None:
    plain, threaded = (api.compile(DIGITS, threads=n, name="net").tree().text("README.md") for n in (1, 2))
    assert "runtime/src/" not in plain
    assert "every `.c` file of `src/` and `runtime/src/`" in threaded
