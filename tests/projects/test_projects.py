"""Firmware projects: each for its board, built and run where that can be emulated."""

import json
import os
import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

from s2s import api
from s2s.cli.main import run
from s2s.projects import PROJECT_BOARDS
from s2s.projects.project import MAX_PORTS
from s2s.support.resources import runtime_source
from s2s.targets import get_target
from s2s.verify.over_serial import run_vector
from s2s.verify.serial_link import SerialLink
from support import c_compilers
from support.boards import board_or_skip
from support.onnx_text import onnx_file
from support.trees import DIGITS
from support.varying_networks import model, session

ARDUINO = """
#include <cstddef>
#include <cstdint>
struct Line { void begin(long); int available(); int read(); size_t write(const uint8_t *, size_t); };
extern Line Serial;
unsigned long micros(void);
"""
TRACED = ["-DDIGITS_TRACE=1", "-DF_CPU=16000000u"]


def test_boards_have_targets_and_names_of_their_own(capsys: pytest.CaptureFixture[str]):
    assert all(get_target(board.target) for board in PROJECT_BOARDS)
    assert run(["boards", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == [board.name for board in PROJECT_BOARDS]
    assert len({board.name for board in PROJECT_BOARDS}) == len(PROJECT_BOARDS)


def test_emulated_board_is_verified_over_its_serial_port(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    pytest.importorskip("serial")
    project = tmp_path / "digits"
    assert run(["new", str(DIGITS), "--board", "qemu-m4", "-o", str(project)]) == 0
    c_compilers.run(["make", "-s", "CC=arm-none-eabi-gcc -Wall -Wextra -Werror"], project)
    with emulated(project / "firmware.elf") as port:
        capsys.readouterr()
        same = run(["verify", str(DIGITS), "--on", f"serial:{port}", "--json"])
        result = json.loads(capsys.readouterr().out)
        other = run(["verify", str(other_model(tmp_path)), "--on", f"serial:{port}"])
        said = capsys.readouterr().err
    assert same == 0
    assert result["passed"]
    assert result["vectors"] == 4
    assert result["milliseconds"] > 0
    assert other == 2
    assert "the board runs digits, made from another model than other.onnx" in said


def test_the_program_prints_an_answer_when_it_starts(tmp_path: Path):
    board_or_skip("qemu:m4")
    project = tmp_path / "digits"
    assert run(["new", str(DIGITS), "--board", "qemu-m4", "-o", str(project)]) == 0
    c_compilers.run(["make", "-s", "CC=arm-none-eabi-gcc -Wall -Wextra -Wconversion -Werror"], project)
    shown = printed_at_start(project)
    largest = re.search(r"probabilities: \[(\d)\] (0\.\d{3}), \[\d\] 0\.\d{3}, \[\d\] 0\.\d{3}\n", shown)
    artifact = api.compile(DIGITS, target="cortex-m4")
    scores = artifact.info.golden[0].outputs[0].ravel()
    assert largest is not None
    assert int(largest[1]) == int(scores.argmax())
    assert float(largest[2]) == pytest.approx(float(scores.max()), abs=5e-4)
    assert "as expected: yes" in shown
    assert re.search(r"one run: \d+ instructions \(emulated\)", shown)


def test_an_answer_that_is_wrong_is_told(tmp_path: Path):
    board_or_skip("qemu:m4")
    project = tmp_path / "digits"
    assert run(["new", str(DIGITS), "--board", "qemu-m4", "-o", str(project)]) == 0
    vectors = project / "network" / "test" / "digits_vectors.c"
    text, count = re.subn(r"(digits_probabilities_0\[10\] = \{\s*)", r"\g<1>0.5f + ", vectors.read_text())
    assert count == 1
    vectors.write_text(text)
    c_compilers.run(["make", "-s"], project)
    assert "as expected: NO" in printed_at_start(project)


def test_integers_are_printed_as_the_numbers_that_they_mean(tmp_path: Path):
    board_or_skip("qemu:m4")
    project, file = tmp_path / "mixed", onnx_file(MIXED, tmp_path)
    assert run(["new", str(file), "--board", "qemu-m4", "-o", str(project)]) == 0
    c_compilers.run(["make", "-s", "CC=arm-none-eabi-gcc -Wall -Wextra -Werror"], project)
    shown = printed_at_start(project)
    assert "as expected: yes" in shown
    assert re.search(r"p: \[\d\] 1\.000", shown)


MIXED = """(float[1, 6] x) => (int8[1, 6] q, bool[1, 6] p, int64[1] most)
<float s = {0.25}, int8 z = {3}, float o = {-9.0}>
{ q = QuantizeLinear (x, s, z) p = Greater (x, o) most = ArgMax <axis = 1, keepdims = 0> (x) }"""


def printed_at_start(project: Path) -> str:
    """What the program prints before it waits for the host."""
    machine = ["qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command = [*machine, "-kernel", str(project / "firmware.elf")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as board:
        assert board.stdout is not None
        try:
            read = b""
            while not read.endswith(b"\0") and (byte := board.stdout.read(1)):
                read += byte
        finally:
            board.kill()
    return read.decode().replace("\r\n", "\n")


@contextmanager
def emulated(program: Path) -> Generator[str]:
    """The serial port of an emulated Cortex-M4 that runs a program."""
    machine = ["qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "pty"]
    command = [*machine, "-kernel", str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as board:
        assert board.stdout is not None
        try:
            yield next(word for word in board.stdout.readline().split() if word.startswith("/dev/"))
        finally:
            board.kill()


def test_emulated_board_takes_runs_of_any_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Each run has sizes of its own, and tells how many elements the network has found."""
    board_or_skip("qemu:m4")
    pytest.importorskip("serial")
    file, project = model(SIZED, tmp_path), tmp_path / "sized"
    assert run(["new", str(file), "--board", "qemu-m4", "-o", str(project), "--dim", "W=2..19"]) == 0
    c_compilers.run(["make", "-s", "CC=arm-none-eabi-gcc -Wall -Wextra -Werror"], project)
    assert "static model_dims sizes = {19, 20};" in (project / "main.c").read_text()
    random, engine = np.random.default_rng(0), session(file)
    artifact = api.compile(file, target="cortex-m4", dims={"W": (2, 19)})
    with emulated(project / "firmware.elf") as port:
        capsys.readouterr()
        assert run(["verify", str(file), "--on", f"serial:{port}", "--dim", "W=2..19"]) == 0
        link = SerialLink(port)
        for width, count in ((2, 0), (3, 1), (10, 7), (18, 20), (19, 3)):
            k = np.zeros(20, np.float32)
            k[random.permutation(20)[:count]] = random.standard_normal(count) + 9
            x = random.standard_normal((1, 2, 8, width)).astype(np.float32)
            found, _ = run_vector(link, artifact.info, [x, k])
            for value, expected in zip(found, engine.run(None, {"x": x, "k": k}), strict=True):
                assert value.shape == expected.shape
                np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
        link.close()


SIZED = """(float[1,2,8,W] x, float[20] k) => (float[1,4,4,V] y, float[F] z)
<float[4,2,3,3] w = ?>
{ y = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) i = NonZero (k) t = Transpose (i) z = GatherND (k, t) }"""


def test_a_traced_program_tells_the_time_of_each_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    pytest.importorskip("serial")
    project = tmp_path / "digits"
    assert run(["new", str(DIGITS), "--board", "qemu-m4", "-o", str(project)]) == 0
    c_compilers.run(["make", "-s", "TRACE=1", "CC=arm-none-eabi-gcc -Wall -Wextra -Wconversion -Werror"], project)
    shown = printed_at_start(project)
    calls = json.loads(api.compile(DIGITS, target="cortex-m4").tree().text("metadata.json"))["calls"]
    lines = [f"instructions in {call['kernel']}, line " for call in calls]
    assert [shown.count(line) for line in lines] == [lines.count(line) for line in lines]
    with emulated(project / "firmware.elf") as port:
        capsys.readouterr()
        profiled = ["profile", str(DIGITS), "--on", f"serial:{port}"]
        assert run([*profiled, "--target", "cortex-m4", "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert run(["verify", str(DIGITS), "--target", "cortex-m4", "--on", f"serial:{port}"]) == 0
        table = capsys.readouterr().out
        assert run(["report", *profiled[1:], "--target", "cortex-m4", "--html", str(tmp_path / "page.html")]) == 0
        capsys.readouterr()
        assert run([*profiled, "--target", "c"]) == 2
        refused = capsys.readouterr().err
    assert [(layer["kernel"], layer["nodes"]) for layer in result["layers"]] == [
        (call["kernel"], call["nodes"]) for call in calls
    ]
    assert all(layer["calls"] == 1 and layer["ticks"] > 0 and layer["operations"] > 0 for layer in result["layers"])
    assert re.search(r"^ +[\d,]+ +100\.0% +[\d.]+ +all$", table, re.MULTILINE)
    assert "which this compilation does not; give the options" in refused
    page = (tmp_path / "page.html").read_text()
    assert f"ticks on serial:{port}" in page
    assert "share of ticks" in page
    assert page.count('data-of="ticks"') == len(calls)


def test_a_program_without_hooks_has_no_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    pytest.importorskip("serial")
    project = tmp_path / "digits"
    assert run(["new", str(DIGITS), "--board", "qemu-m4", "-o", str(project)]) == 0
    c_compilers.run(["make", "-s"], project)
    with emulated(project / "firmware.elf") as port:
        assert run(["profile", str(DIGITS), "--target", "cortex-m4", "--on", f"serial:{port}"]) == 2
    assert "takes no times of kernels; build it with NETWORK_TRACE=1" in capsys.readouterr().err


def other_model(folder: Path) -> Path:
    """The same network in another file."""
    model = ModelProto.FromString(DIGITS.read_bytes())
    model.doc_string = "another"
    (folder / "other.onnx").write_bytes(model.SerializeToString())
    return folder / "other.onnx"


@pytest.mark.parametrize("board", [board.name for board in PROJECT_BOARDS if board.emulated is None])
def test_sketch_compiles_with_the_calls_of_arduino(board: str, tmp_path: Path):
    project = tmp_path / "digits"
    assert run(["new", str(DIGITS), "--board", board, "-o", str(project)]) == 0
    (tmp_path / "Arduino.h").write_text(ARDUINO)
    library = project / "lib" / "digits" / "src"
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{tmp_path}", f"-I{library}"]
    for further in ([], TRACED):
        c_compilers.run([c_compilers.require("g++"), *flags, *further, project / "src" / "main.cpp"], tmp_path)
    assert (library / "digits" / "serial.c").exists()
    assert (
        f"board = {next(each.board for each in PROJECT_BOARDS if each.name == board)}"
        in (project / "platformio.ini").read_text()
    )


def test_unknown_board_and_folder_in_use_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["new", str(DIGITS), "--board", "toaster", "-o", str(tmp_path / "x")]) == 2
    assert "--board toaster: there is no such board; the boards are stm32f4-discovery" in capsys.readouterr().err
    os.makedirs(tmp_path / "there")
    assert run(["new", str(DIGITS), "--board", "rp2040", "-o", str(tmp_path / "there")]) == 2
    assert "is there already; name a new folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (["--executor", "graph"], "--executor graph"),
        (["--pool", "sram=64KiB"], "--pool"),
    ],
)
def test_options_that_no_project_can_follow(
    options: list[str], refused: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["new", str(DIGITS), "--board", "qemu-m4", "-o", str(tmp_path / "x"), *options]) == 2
    assert f"error: {refused}: a project calls a run function" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_the_line_takes_as_many_tensors_as_the_runtime_says():
    header = runtime_source("include/s2s_serial.h")
    assert f"#define S2S_SERIAL_PORTS {MAX_PORTS} " in header
