"""A network in steps beside a control task of 1 ms, on an emulated Cortex-M4: how late the control task is called.

    python examples/steps/steps.py [FOLDER]

Two programs: a superloop, which runs the network in one piece and then in steps, and a cooperative scheduler. It wants
arm-none-eabi-gcc and qemu-system-arm.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from s2s import api

HERE = Path(__file__).parent
BOARD = HERE.parent / "board"
DIGITS = HERE.parent / "digits"
BOUND = "15000cycles"
"""0.6 ms at 25 MHz."""
FLAGS = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O3", "-std=c99", "-Wall", "-Wextra")
LINK = ("-nostartfiles", "-specs=nano.specs", "-specs=nosys.specs", "-T", BOARD / "board.ld", "-lm")
EMULATOR = ("qemu-system-arm", "-M", "mps2-an386", "-icount", "shift=6", "-nographic", "-monitor", "none")
PROGRAMS = {"superloop": ("superloop.c", "control.c"), "tasks": ("tasks.c", "scheduler.c", "control.c")}
"""The sources of each program, beside the network's and the board's."""


def compile_digits(folder: Path) -> None:
    """Compile the digits network in steps, and write an image of a digit."""
    with api.compile(DIGITS / "digits.onnx", target="cortex-m4", steps=BOUND) as artifact:
        artifact.write(folder / "digits")
    held_out = np.load(DIGITS / "held_out.npz")
    pixels = ", ".join(f"{float(value)!r}f" for value in held_out["images"][0].reshape(-1))
    digit = f"enum {{ DIGIT = {held_out['labels'][0]} }};"
    (folder / "vectors.h").write_text(f"{digit}\nstatic const float image[] = {{{pixels}}};\n")


def build(folder: Path, name: str, sources: Sequence[str]) -> Path:
    """Build a program from its sources, the network and the board."""
    tree = folder / "digits"
    seen = (tree / "include", tree / "runtime" / "include", tree / "src", BOARD, HERE, folder)
    network = [*sorted((tree / "src").glob("*.c")), *sorted((tree / "runtime").rglob("*.c"))]
    programs = [*(HERE / source for source in sources), BOARD / "board.c"]
    program = folder / f"{name}.elf"
    includes = [f"-I{each}" for each in seen]
    subprocess.run(["arm-none-eabi-gcc", *FLAGS, *includes, *programs, *network, *LINK, "-o", program], check=True)
    return program


def main(folder: Path) -> int:
    """Compile, build and run; return how many programs were not content with their figures."""
    compile_digits(folder)
    failed = 0
    for name, sources in PROGRAMS.items():
        command = [*EMULATOR, "-semihosting", "-kernel", build(folder, name, sources)]
        ended = subprocess.run(command, check=False, timeout=120, capture_output=True, text=True)
        print((ended.stdout + ended.stderr).strip())
        failed += ended.returncode != 0
    return failed


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary)))
