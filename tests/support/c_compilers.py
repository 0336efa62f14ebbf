"""C compilers of this machine, and one way to call them from a test."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

COMPILERS = ("gcc", "clang")
WARNINGS = (
    *("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion"),
    *("-Wshadow", "-Wvla", "-Wdouble-promotion", "-Wcast-qual", "-Wmissing-prototypes", "-Wstrict-prototypes"),
)
"""What hand-written and generated C is free of."""

EVERYTHING = "S2S_TESTS_NEED_EVERYTHING"
"""Set by continuous integration: a tool that is missing there is a failure, not a reason to skip."""

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
AVX2 = ("avx2", "fma")
AVX512 = (*AVX2, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
FEATURES = {
    "x86-64-v3": AVX2,
    "x86-64-v4": AVX512,
    "x86-64-v3-avxvnni": (*AVX2, "avx_vnni"),
    "x86-64-v4-avx512vnni": (*AVX512, "avx512_vnni"),
}
"""Targets, and what a processor must have to run their code as it is, as Linux names it."""


def require(program: str) -> str:
    """The path of a program; the test is skipped where it is not installed, but never in CI."""
    path = shutil.which(program)
    if path is None and os.environ.get(EVERYTHING):
        pytest.fail(f"{program} is not installed")
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def require_header(name: str, package: str) -> None:
    """Skip the test, or fail it where everything is needed, if the compiler finds no header `name`."""
    found = subprocess.run(["cc", "-E", "-x", "c", "-"], input=f"#include <{name}>\n", text=True, capture_output=True)
    if found.returncode and os.environ.get(EVERYTHING):
        pytest.fail(f"{name} is not installed, but {EVERYTHING} is set; install {package}")
    if found.returncode:
        pytest.skip(f"{name} is not installed; Debian has it in {package}")


def require_features(*features: str) -> None:
    """Skip the test where the processor lacks some of `features`, named as Linux names them."""
    info = Path("/proc/cpuinfo")
    known = set(info.read_text().split()) if info.is_file() else set[str]()
    if missing := [feature for feature in features if feature not in known]:
        pytest.skip(f"this processor has no {', '.join(missing)}")


def require_target(target: str) -> None:
    """Skip the test where the processor cannot run code for a target of x86-64."""
    require_features(*FEATURES.get(target, ()))


def require_sanitizers(compiler: str, folder: Path) -> None:
    """Skip the test where the compiler comes without the libraries of its sanitizers, as Debian's clang may."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    command = [require(compiler), *SANITIZERS, "empty.c", "-o", "empty"]
    if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{compiler} cannot link its sanitizers")


def run(command: list[str | Path], cwd: Path) -> str:
    """What a command prints; a test that calls it fails with that if the command does."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{output}"
    return output
