"""Time a newcomer's first commands: from a bare Debian with Python to a network that is verified.

    python -m benchmarks.stopwatch [kws cpp] [--root FOLDER]

`kws` ends with keyword spotting, verified on an emulated Cortex-M4, and its tree; `cpp` with a C++ program that runs
a network. Every command is run in a new folder and a new virtual environment. With `--root`, they run in a Debian of
their own (`debootstrap --variant=minbase --include=python3,ca-certificates bookworm FOLDER`), where compilers and
emulator are installed, too; without it, what `apt-get` would install is expected to be there. Exits with 1 if a way
takes more commands or more time than it may.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
KWS = SHARED / "models" / "mlperf_tiny" / "kws_ref_model_int8.tflite"
MAX_COMMANDS = 5
MAX_SECONDS = 300
APT = "apt-get"
INSTALL = f"{APT} install -y --no-install-recommends"
"""Recommended packages are most of the bytes: C++ libraries for microcontrollers, windows for the emulator."""
WORK = "first"
"""The folder in the Debian of `--root`."""

CMAKE = """\
cmake_minimum_required(VERSION 3.13)
project(reader LANGUAGES C CXX)
add_subdirectory(digits)
add_executable(reader reader.cpp)
target_link_libraries(reader PRIVATE digits::digits)
"""
READER = """\
#include <cstdio>

#include "digits.h"

alignas(DIGITS_ARENA_ALIGN) static unsigned char arena[DIGITS_ARENA_SIZE];

int main()
{
    static const float image[DIGITS_IMAGE_SIZE] = {};
    float probabilities[DIGITS_PROBABILITIES_SIZE];
    const s2s_status status = digits_run(arena, image, probabilities);
    std::printf("%s\\n", s2s_status_phrase(status));
    return status;
}
"""


class Start(NamedTuple):
    """What a newcomer does, and the files that are there when they begin."""

    commands: tuple[str, ...]
    model: Path
    texts: dict[str, str]


STARTS = {
    "kws": Start(
        (
            f"{INSTALL} python3-venv gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
            "python3 -m venv .venv",
            ".venv/bin/pip install './s2s[tflm]'",
            ".venv/bin/s2s verify kws.tflite --on qemu:m4",
            ".venv/bin/s2s compile kws.tflite --target cortex-m4 -o kws",
        ),
        KWS,
        {},
    ),
    "cpp": Start(
        (
            f"{INSTALL} python3-venv g++ libc6-dev cmake make",
            "python3 -m venv .venv",
            ".venv/bin/pip install ./s2s",
            ".venv/bin/s2s compile digits.onnx --target c -o digits",
            "ctest --build-and-test . build --build-generator 'Unix Makefiles' --test-command ./reader",
        ),
        ROOT / "examples" / "digits" / "digits.onnx",
        {"CMakeLists.txt": CMAKE, "reader.cpp": READER},
    ),
}
MODELS = {"kws": "kws.tflite", "cpp": "digits.onnx"}


def begin(name: str, folder: Path) -> None:
    """Put what a newcomer has into an empty folder: the checkout and a model."""
    start = STARTS[name]
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    (folder / "s2s").mkdir()
    subprocess.run(["tar", "x"], cwd=folder / "s2s", input=archive, check=True)
    shutil.copy(start.model, folder / MODELS[name])
    for file, text in start.texts.items():
        (folder / file).write_text(text)


def watch(command: str, folder: Path, root: Path | None) -> tuple[float, float]:
    """Run a command, and return the seconds on the clock and of the processor."""
    inside = ["bash", "-ec", command]
    if root is not None:
        inside = ["chroot", str(root), "bash", "-ec", f"cd /{folder.relative_to(root)}; {command}"]
    clock, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(inside, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - clock, processor


def run(name: str, root: Path | None) -> bool:
    """Go one way, print what each command takes, and return whether the limits are kept."""
    with tempfile.TemporaryDirectory(prefix=f"{WORK}-", dir=root) as made:
        folder = Path(made)
        begin(name, folder)
        total = processor = 0.0
        print(f"{name}\n   clock  processor  command")
        for command in STARTS[name].commands:
            if command.startswith(APT) and root is None:
                print(f"       -          -  {command}   (expected to be there)")
                continue
            seconds, own = watch(command, folder, root)
            total, processor = total + seconds, processor + own
            print(f"{seconds:6.1f} s  {own:7.1f} s  {command}", flush=True)
    count = len(STARTS[name].commands)
    print(f"{total:6.1f} s  {processor:7.1f} s  {count} commands; limits: {MAX_SECONDS} s, {MAX_COMMANDS} commands\n")
    return total <= MAX_SECONDS and count <= MAX_COMMANDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="kws|cpp", help="Ways to go; by default both.")
    parser.add_argument("--root", type=Path, help="A Debian in a folder, in which all is run.")
    given = parser.parse_args(arguments)
    root = given.root.resolve() if given.root is not None else None
    kept = [run(name, root) for name in given.names or STARTS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
