"""The tools that build and run each packaging: commands for docs/reference/packages.md, which the tests execute."""

import textwrap
from collections.abc import Mapping
from typing import NamedTuple

NETWORK = """
(float[1, 4] x) => (float[1, 2] y) <float[4, 2] w = {1, -1, 2, -1, 3, -1, 4, -1}> { a = MatMul (x, w) y = Relu (a) }
"""
"""The network that is packed, as the text format of ONNX has it."""

BUILDER = (
    "arduino-builder -compile -hardware /usr/share/arduino/hardware -hardware /usr/share/arduino-builder"
    " -tools /usr/share/arduino/hardware -libraries . -fqbn arduino:avr:mega:cpu=atmega2560"
    " -prefs=compiler.cpp.extra_flags=-DDECIMAL_DIG=__DECIMAL_DIG__ -build-path $PWD/build"
    " net/examples/net_once/net_once.ino"
)
EMULATOR = (
    "timeout 60 qemu-system-avr -M mega2560 -bios build/net_once.ino.elf -display none -serial file:serial.txt &"
    " while kill -0 $! && ! grep -qs status serial.txt; do sleep 0.1; done; kill $! || true; cat serial.txt"
)
ESP_IDF = """\
cmake_minimum_required(VERSION 3.13)
project(firmware C)
function(idf_component_register)
  cmake_parse_arguments(C "" "" "SRCS;INCLUDE_DIRS;PRIV_INCLUDE_DIRS" ${ARGN})
  set(COMPONENT_LIB net PARENT_SCOPE)
  add_library(net STATIC ${C_SRCS})
  target_include_directories(net PUBLIC ${C_INCLUDE_DIRS} PRIVATE ${C_PRIV_INCLUDE_DIRS})
  target_link_libraries(net PUBLIC m)
endfunction()
add_subdirectory(net)
"""
ZEPHYR = """\
cmake_minimum_required(VERSION 3.13)
project(app C)
set(CONFIG_S2S_NET y)
macro(zephyr_library_named name)
  set(here ${name})
  add_library(${name} STATIC)
  target_link_libraries(${name} PUBLIC m)
endmacro()
function(zephyr_library_sources)
  target_sources(${here} PRIVATE ${ARGN})
endfunction()
function(zephyr_include_directories)
  target_include_directories(${here} PUBLIC ${ARGN})
endfunction()
function(zephyr_library_include_directories)
  target_include_directories(${here} PRIVATE ${ARGN})
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(${here} PRIVATE ${ARGN})
endfunction()
add_subdirectory(net/zephyr)
add_executable(app net/samples/net/src/main.c)
target_link_libraries(app PRIVATE net)
"""


WASM = """\
import { readFileSync } from "node:fs";
import { Network } from "./net/net.mjs";

const network = await Network.load(readFileSync("net/net.wasm"));
console.log(JSON.stringify(Array.from(network.run({ x: new Float32Array(4).fill(1) }).y)));
"""


class Check(NamedTuple):
    """How one packaging is built and run."""

    format: str
    tool: str
    version: str
    """What the output of `version_command` contains."""
    version_command: str
    commands: tuple[str, ...]
    """Run in a folder that holds the package as `net`."""
    says: str
    """What the last command prints."""
    result: str
    programs: tuple[str, ...]
    files: Mapping[str, str] = {}
    """Files beside the package."""
    stand_in: str = ""
    """A folder of this repository, which is copied to `stand_in` beside the package."""


CHECKS = (
    Check(
        "cmake",
        "CMake",
        "3.25",
        "cmake --version",
        ("cmake -S net -B build", "cmake --build build", "ctest --test-dir build"),
        "100% tests passed",
        "built, self-test passed",
        ("cmake", "gcc"),
    ),
    Check(
        "make",
        "GNU Make",
        "4.3",
        "make --version",
        ("make -C net test",),
        "net: passed",
        "built, self-test passed",
        ("make",),
    ),
    Check(
        "meson",
        "Meson",
        "1.12",
        "meson --version",
        ("meson setup build net", "meson test -C build"),
        "Ok:                1",
        "built, self-test passed",
        ("meson", "ninja"),
    ),
    Check(
        "single",
        "gcc",
        "12",
        "gcc -dumpversion",
        ("gcc -std=c99 net/net.c net/net_test.c -lm -o net_test", "./net_test"),
        "net: passed",
        "built, self-test passed",
        ("gcc",),
    ),
    Check(
        "arduino",
        "arduino-builder, avr-gcc, QEMU",
        "1.3.25",
        "dpkg-query -f '${Version}' -W arduino-builder",
        ("mkdir build", BUILDER, EMULATOR),
        "net: status 0",
        "sketch built for an ATmega2560 by Arduino's builder, run on an emulated one",
        ("arduino-builder", "avr-gcc", "qemu-system-avr"),
    ),
    Check(
        "platformio",
        "PlatformIO",
        "6.2",
        "pio --version",
        ("pio pkg pack net -o net.tar.gz",),
        "Wrote a tarball",
        "manifest checked and packed by PlatformIO",
        ("pio",),
    ),
    Check(
        "esp-idf",
        "ESP-IDF's component manager; CMake in place of ESP-IDF",
        "3.1",
        "compote version",
        (
            "compote component pack --name net --project-dir net",
            "rm -r net/dist",
            "cmake -S . -B build",
            "cmake --build build",
        ),
        "Built target net",
        "manifest checked and component packed; built with a stand-in for `idf_component_register`",
        ("compote", "cmake", "gcc"),
        {"CMakeLists.txt": ESP_IDF},
    ),
    Check(
        "zephyr",
        "Kconfiglib; CMake in place of Zephyr",
        "14.1",
        "pip show kconfiglib",
        (
            "KCONFIG_CONFIG=net/samples/net/prj.conf genconfig --header-path config.h net/zephyr/Kconfig",
            "grep 'CONFIG_S2S_NET 1' config.h",
            "cmake -S . -B build",
            "cmake --build build",
            "./build/app",
        ),
        "net: success",
        "options of module and sample read; sample built with stand-ins for Zephyr's functions, and run",
        ("genconfig", "cmake", "gcc"),
        {"CMakeLists.txt": ZEPHYR},
    ),
    Check(
        "cmsis-pack",
        "unzip in place of packchk",
        "6.00",
        "unzip -v",
        ("unzip -t net/s2s.net.*.pack",),
        "No errors detected",
        "pack read; the order of its elements and the files that it names are tested",
        ("unzip",),
    ),
    Check(
        "wheel",
        "pip",
        "23",
        "pip --version",
        (
            "pip wheel --quiet --no-deps --no-build-isolation -w dist ./net",
            "pip install --quiet --no-deps --no-index --target site dist/*.whl",
            "PYTHONPATH=site python -c 'import net, numpy as np; print(net.run(dict(x=np.ones((1, 4), np.float32))))'",
        ),
        "[[10.,  0.]]",
        "wheel built, installed and run",
        ("pip", "gcc"),
    ),
    Check(
        "mlperf-tiny",
        "CMake; a stand-in for the harness of mlcommons/tiny",
        "3.25",
        "cmake --version",
        (
            "cmake -S net -B build -DMLPERF_TINY=$PWD/stand_in -DBENCHMARK=KWS01",
            "cmake --build build",
            "printf 'db load 16%%db 0000803f0000803f0000803f0000803f%%infer 1%%' | build/net_mlperf_tiny",
        ),
        "m-results-[10.000,0.000]",
        "built for a PC, and a run asked for by the runner's commands",
        ("cmake", "gcc", "g++"),
        stand_in="tests/packagings/mlperf_tiny",
    ),
    Check(
        "rust",
        "Cargo",
        "cargo 1",
        "cargo --version",
        ("cargo test --offline --manifest-path net/Cargo.toml --target-dir target",),
        "net: passed",
        "crate built, self-test and a run by its safe function passed",
        ("cargo", "gcc"),
    ),
    Check(
        "wasm",
        "clang, lld; Node.js",
        "14",
        "clang -dumpversion",
        ("make -C net", "node run.mjs"),
        "[10,0]",
        "module built, loaded and run by its class for JavaScript; wasmtime compares its bits with the tree",
        ("make", "clang", "wasm-ld", "node"),
        {"run.mjs": WASM},
    ),
    Check(
        "web",
        "Chromium",
        "Chromium",
        "chromium --version",
        ("chromium --headless --no-sandbox --user-data-dir=$PWD/profile --dump-dom file://$PWD/net/index.html",),
        'data-runs="1"',
        "page opened and run; tests draw on it and drop files",
        ("chromium", "clang", "wasm-ld"),
    ),
)
"""One for each format."""

NOT_IN_CI = """## What is not run, and why

- **ESP-IDF** itself is in no package registry that continuous integration reaches, so CMake builds what it would build,
  with its function replaced by a few lines. Its component manager is in one. By hand, ESP-IDF 6.2 (of 2026-07-23)
  builds the component into an application for its target `linux` (`idf.py --preview set-target linux`,
  `idf.py build`), which prints `net: success`.
- **Zephyr** is in no registry either. Kconfiglib, from which its own reader of options comes, is in one. The keys of
  `module.yml` and `testcase.yaml` and the types of their values are those of Zephyr's schemas (`module-schema.yaml`,
  `testsuite-schema.yaml`).
- **PlatformIO** loads platforms and SCons from its own registry, which continuous integration does not reach
  (`pio pkg install -p native`: `HTTPClientError`); a test builds and runs a project for its platform `native` where it
  is reached. With platform native 1.2.1 and SCons 4.11.1 installed from elsewhere, PlatformIO 6.2 builds the library
  and its example, and the program prints `net: success`. The projects of `s2s new` for real boards are compiled with
  declarations of Arduino's functions.
- **packchk** of CMSIS is in no registry either. Built by hand from its sources of 2026-08-07, with `PACK.xsd` 1.7.60,
  it finds no error in the description, and warns that it has no URL: a network has none.
- **The harness of MLPerf Tiny** is in a repository of its own. With its `benchmark/api` in place of the stand-in, the
  same commands give the same results (`mlcommons/tiny` of 2026-05).
- **arduino-cli** is in no registry; arduino-builder, which it grew from, is in Debian. That one lacks `DECIMAL_DIG` for
  the String class of its own core, hence the flag."""
"""Part of the page."""


def packages_page() -> str:
    """The page that lists the checks."""
    intro = (
        "What [`s2s export`](../how-to/packages.md) writes is built and run by these commands in continuous integration"
        " (`tests/packagings/test_tools.py` executes them as they stand here), in a folder that holds the package of a"
        " small network as `net`:"
    )
    lines = ["# Checks of packages\n", intro, "", f"    {NETWORK.strip()}", ""]
    lines += ["| format | tool | version | result |", "|---|---|---|---|"]
    lines += [f"| `{each.format}` | {each.tool} | {each.version} | {each.result} |" for each in CHECKS]
    for each in CHECKS:
        files = [f"# {name}\n{textwrap.indent(text, '# ')}" for name, text in each.files.items()]
        if each.stand_in:
            files.append(f"# with {each.stand_in} of this repository as stand_in")
        lines += ["", f"## {each.format}\n", "```text", *files, *each.commands, "```", "", f"prints `{each.says}`."]
    return "\n".join([*lines, "", NOT_IN_CI]).rstrip() + "\n"
