"""From a .wav file to its label in one firmware, on an emulated Cortex-M4: what it hears, its RAM, flash and cycles.

    python examples/wav_to_label/wav_to_label.py [--model SPOTTER.tflite --pre STEP --words a/b/c] [SOUND.wav …]

The network is the keyword spotter of `s2s demo kws`, which knows four words that are tones, or a model with the step
that its features want. Without a file it hears one of each of the four. Mel bands before the network and the best
classes behind it are steps of the same function (`--pre`, `--post`). It wants arm-none-eabi-gcc and qemu-system-arm.
"""

import argparse
import io
import subprocess
import sys
import wave
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from s2s import api
from s2s.artifact import Artifact
from s2s.boards import get_board
from s2s.c_syntax.interface import Interface
from s2s.demos.networks import keywords
from s2s.emit.files import Tree
from s2s.types.dtypes import Array
from s2s.verify.on_board import BoardBuild

HERE = Path(__file__).parent
BOARD = HERE.parent / "board"
FLAGS = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O3", "-std=c99", "-Wall", "-Wextra")
LINK = ("-ffunction-sections", "-Wl,--gc-sections", "-nostartfiles", "-specs=nano.specs", "-specs=nosys.specs")
EMULATOR = ("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-semihosting", "-kernel")


def spotter(model: Path | None, pre: str | None, words: str) -> Artifact:
    """Compile a network with its steps; the caller holds the sound, which is in flash."""
    network = keywords.make().model if model is None else model
    before = keywords.PRE if pre is None else (pre,)
    behind = (*(() if model is not None else ("softmax",)), "top-k:count=2", f"labels:names={words}")
    return api.compile(network, target="cortex-m4", name="kws", io="caller", pre=before, post=behind)


def as_wav(samples: Array) -> bytes:
    """Return a .wav file of one channel at 16 kHz."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setparams((1, 2, keywords.RATE, samples.size, "NONE", "not compressed"))
        file.writeframes(samples.astype("<i2").tobytes())
    return stream.getvalue()


def sounds() -> Iterator[tuple[str, bytes]]:
    """Yield each word with a recording that the network has not seen."""
    random = np.random.default_rng(7)
    for number, word in enumerate(keywords.WORDS):
        yield word, as_wav(keywords.recording(number, random))


def build(folder: Path, network: Interface, sound: bytes) -> Path:
    """Build the firmware of a sound."""
    numbers, tree = ", ".join(map(str, sound)), folder / "kws"
    classes, macro = network.outputs[0], network.port_macro
    lines = [
        "#include <stdint.h>",
        f"enum {{ SAMPLES = {macro(network.inputs[0])}_SIZE, CLASSES = {macro(classes)}_SIZE }};",
        f"#define WORDS {macro(classes)}_TEXTS",
        f"static const union {{ uint8_t bytes[{len(sound)}]; int16_t words[{(len(sound) + 1) // 2}]; }} sound =",
        f"    {{{{{numbers}}}}};",
    ]
    (folder / "sound.h").write_text("\n".join(lines) + "\n")
    seen = (tree / "include", tree / "runtime" / "include", tree / "src", BOARD, HERE, folder)
    files = [*sorted((tree / "src").glob("*.c")), *sorted((tree / "runtime").rglob("*.c"))]
    sources = [HERE / "firmware.c", HERE / "wav.c", BOARD / "board.c", *files]
    program = folder / "firmware.elf"
    includes = [f"-I{each}" for each in seen]
    linked = ["-T", BOARD / "board.ld", "-lm", "-o", program]
    subprocess.run(["arm-none-eabi-gcc", *FLAGS, *includes, *sources, *LINK, *linked], check=True)
    return program


def heard(program: Path) -> str:
    """Run a firmware, and return what it prints."""
    ended = subprocess.run([*EMULATOR, program], check=False, timeout=120, capture_output=True, text=True)
    if ended.returncode:
        sys.exit((ended.stdout + ended.stderr).strip() or f"the firmware ended with {ended.returncode}")
    return ended.stdout + ended.stderr


def sizes(program: Path) -> tuple[int, int]:
    """Return the bytes of RAM without the stack, and of flash, of a firmware."""
    printed = subprocess.run(["arm-none-eabi-size", program], check=True, capture_output=True, text=True).stdout
    text, data, zeroed = map(int, printed.splitlines()[1].split()[:3])
    return data + zeroed, text + data


def cycles(tree: Tree, samples: Array) -> tuple[int, int]:
    """Return the cycles of a run by the model of the core, and the bytes of its stack."""
    with closing(BoardBuild(tree, get_board("qemu:m4"))) as board:
        run = board.run([[samples]], layers=False)
    return run.cycles[0].count, run.stack


def main(folder: Path, arguments: list[str]) -> int:
    """Build, run and print; return how many words were heard wrongly."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--pre", metavar="STEP")
    parser.add_argument("--words", default="/".join(keywords.WORDS))
    parser.add_argument("sounds", nargs="*", type=Path, metavar="SOUND.wav")
    options = parser.parse_args(arguments)
    wrong, program = 0, folder / "firmware.elf"
    with spotter(options.model, options.pre, options.words) as artifact:
        tree, network = artifact.tree().write(folder / "kws"), artifact.info
    files = [(None, file.read_bytes()) for file in options.sounds] or list(sounds())
    for word, sound in files:
        program = build(folder, network, sound)
        lines = heard(program).splitlines()
        wrong += word is not None and not lines[0].startswith(f"{word} ")
        print(f"{word or 'sound'}: {', '.join(lines)}")
    ram, flash = sizes(program)
    count, stack = cycles(tree, keywords.recording(0, np.random.default_rng(7)))
    print(f"RAM {ram:,} bytes and {stack:,} of stack, {count:,} cycles")
    print(f"flash {flash:,} bytes, of which {len(files[-1][1]):,} are the sound")
    return wrong if options.model is None else 0


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary), sys.argv[1:]))
