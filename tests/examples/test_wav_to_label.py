"""A firmware hears words in .wav files, and refuses files that hold none."""

import re
import runpy
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.models import MLPERF_TINY
from s2s import api
from s2s.demos.networks.keywords import WORDS, recording
from support.boards import board_or_skip
from support.c_compilers import require
from support.project import ROOT

FOLDER = ROOT / "examples" / "wav_to_label"
MFCC = "mfcc:window=40ms,step=20ms"
TWELVE = "down/go/left/no/off/on/right/stop/up/yes/silence/unknown"
FORMAT = struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16)
FIND = """#include "wav.h"
#include <stdio.h>
int main(void)
{
    static uint8_t bytes[256];
    struct wav wav = {0};
    const size_t size = fread(bytes, 1, sizeof bytes, stdin);
    const bool found = wav_find(bytes, size, &wav);

    printf("%d %zu %zu %u\\n", found, wav.first, wav.samples, (unsigned)wav.rate);
    return 0;
}
"""


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / "wav_to_label.py"))


def test_a_firmware_hears_each_word(example: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    main: Callable[[Path, list[str]], int] = example["main"]
    assert main(tmp_path, []) == 0
    said = capsys.readouterr().out
    assert re.findall(r"^(\w+): \1 ", said, re.MULTILINE) == list(WORDS)
    assert re.search(r"^RAM [\d,]+ bytes and [\d,]+ of stack, [\d,]+ cycles$", said, re.MULTILINE)


def test_a_firmware_of_a_model_of_mlperf_says_what_the_host_says(
    example: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    board_or_skip("qemu:m4")
    model = MLPERF_TINY / "kws_ref_model_int8.tflite"
    if not model.exists():
        pytest.skip("the models of MLPerf Tiny are not here")
    samples = recording(2, np.random.default_rng(3))
    (tmp_path / "sound.wav").write_bytes(example["as_wav"](samples))
    words = ["--model", str(model), "--pre", MFCC, "--words", TWELVE, str(tmp_path / "sound.wav")]
    assert example["main"](tmp_path, words) == 0
    with api.compile(model, target="c", pre=[MFCC], post=["top-k:count=2"]) as artifact:
        classes, scores = artifact.run({artifact.info.inputs[0].name: samples}).values()
    best = TWELVE.split("/")[int(classes.reshape(-1)[0])]
    expected = f"sound: {best} {int(100 * scores.reshape(-1)[0] + 0.5)} %"
    assert capsys.readouterr().out.startswith(expected)


def chunk(name: bytes, content: bytes, length: int | None = None) -> bytes:
    return name + struct.pack("<I", len(content) if length is None else length) + content


def riff(*chunks: bytes) -> bytes:
    content = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(content)) + content


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (riff(chunk(b"fmt ", FORMAT), chunk(b"data", b"\1\0\2\0")), "1 44 2 16000"),
        (riff(chunk(b"LIST", b"abc") + b"\0", chunk(b"fmt ", FORMAT), chunk(b"data", b"\1\0")), "1 56 1 16000"),
        (riff(chunk(b"data", b"\1\0"), chunk(b"fmt ", FORMAT)), "0"),
        (riff(chunk(b"fmt ", FORMAT), chunk(b"data", b"\1\0", 0xFFFFFFFF)), "0"),
        (riff(chunk(b"fmt ", FORMAT, 0xFFFFFFF0), chunk(b"data", b"\1\0")), "0"),
        (riff(chunk(b"fmt ", FORMAT[:2] + b"\2" + FORMAT[3:]), chunk(b"data", b"\1\0")), "0"),
        (riff(chunk(b"fmt ", FORMAT)), "0"),
        (b"RIFF", "0"),
        (b"", "0"),
    ],
    ids=["plain", "other-chunk", "no-format", "long-data", "long-format", "stereo", "no-data", "short", "empty"],
)
def test_samples_of_a_file_are_found(file: bytes, expected: str, tmp_path: Path):
    (tmp_path / "find.c").write_text(FIND)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", f"-I{FOLDER}"]
    program = tmp_path / "find"
    command = [require("gcc"), *flags, str(tmp_path / "find.c"), str(FOLDER / "wav.c"), "-o", str(program)]
    subprocess.run(command, check=True)
    said = subprocess.run([program], input=file, check=True, capture_output=True).stdout.decode()
    assert said.startswith(expected)
