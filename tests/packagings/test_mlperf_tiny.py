"""A package for MLPerf Tiny answers the commands of its runner, on a PC and on an emulated board, under a stand-in for
the harness, which is in a repository of its own."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.boards import Board
from s2s.errors import InputError
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.support.resources import harness_source
from s2s.types.dtypes import Array
from s2s.verify.build import load
from s2s.verify.footprint import INCLUDE_FOLDERS
from support.boards import board_or_skip
from support.c_compilers import require, run
from support.onnx_text import onnx_file
from support.project import ROOT
from support.proved_networks import quantised_network

STAND_IN = ROOT / "tests" / "packagings" / "mlperf_tiny"
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror")
BYTES_OF_A_COMMAND = 30
SAME = GraphSpec(
    [
        TensorSpec("x", (1, 4), "INT8", scale=0.5, zero_point=3),
        TensorSpec("w", (4, 4), data=(np.eye(4) * 90 + 5).astype(np.int8), scale=0.01),
        TensorSpec("y", (1, 4), "INT8", scale=0.25, zero_point=-5),
    ],
    [OperatorSpec("FULLY_CONNECTED", ["x", "w"], ["y"], "FullyConnectedOptions")],
    ["x"],
    ["y"],
)
"""A network whose output has the shape of its input, as one has that detects anomalies."""


def packed(folder: Path, content: bytes, target: str = "c") -> Path:
    file = folder / "net.tflite"
    file.write_bytes(content)
    compile_network(file, target=target, name="net").export(folder / "package", "mlperf-tiny")
    return folder / "package"


def answer(folder: Path, benchmark: str, sent: bytes) -> list[float]:
    """Build the package with CMake for this machine, send it an input, and return its results."""
    options = [f"-DMLPERF_TINY={STAND_IN}", f"-DBENCHMARK={benchmark}", f"-DCMAKE_CXX_FLAGS={' '.join(WARNINGS)}"]
    run([require("cmake"), "-S", folder, "-B", folder.parent / "build", *options], folder)
    run([require("cmake"), "--build", folder.parent / "build"], folder)
    program = folder.parent / "build" / "net_mlperf_tiny"
    done = subprocess.run([program], input=commands(sent), capture_output=True, check=True)
    return results(done.stdout.decode())


def commands(sent: bytes) -> bytes:
    parts = [sent[at : at + BYTES_OF_A_COMMAND] for at in range(0, len(sent), BYTES_OF_A_COMMAND)]
    texts = ["name", f"db load {len(sent)}", *(f"db {part.hex()}" for part in parts), "infer 2 1", "results"]
    return "".join(f"{text}%" for text in texts).encode()


def results(printed: str) -> list[float]:
    """The results, which the harness prints after the runs and again when it is asked."""
    assert "m-load-done" in printed
    assert "e-[" not in printed
    first, second = re.findall(r"m-results-\[([^]]*)\]", printed)
    assert first == second
    return [float(number) for number in first.split(",")]


def random_bytes(count: int) -> Array:
    return np.random.default_rng(3).integers(-128, 128, count).astype(np.int8)


def outputs_of(content: bytes, folder: Path, given: Array) -> Array:
    """The outputs of a network as it computes them under Python, as real numbers."""
    file = folder / "net.tflite"
    file.write_bytes(content)
    artifact = compile_network(file, target="c", name="net")
    port, of_output = artifact.info.inputs[0], artifact.info.outputs[0].quantisation
    with load(artifact.tree()) as network:
        (output,) = network.run({port.name: given.reshape(port.shape)}).values()
    assert of_output is not None
    return (output.reshape(-1).astype(np.float32) - of_output.zero_point) * np.float32(of_output.scale)


@pytest.mark.parametrize("benchmark", ["KWS01", "IC01", "VWW01"])
def test_inputs_are_taken_as_the_runner_sends_them(benchmark: str, tmp_path: Path):
    content, given = quantised_network(softmax=True), random_bytes(90)
    sent = given.tobytes() if benchmark == "KWS01" else (given.astype(np.int16) + 128).astype(np.uint8).tobytes()
    found = answer(packed(tmp_path, content), benchmark, sent)
    np.testing.assert_allclose(found, outputs_of(content, tmp_path, given), atol=6e-4)


def test_an_anomaly_is_the_mean_squared_error_of_the_output(tmp_path: Path):
    given = np.array([1.3, -2.0, 40.0, 900.0], np.float32)
    quantised = np.asarray(np.clip(np.round(given / 0.5) + 3, -128, 127), np.int8)
    differences = outputs_of(model([SAME]), tmp_path, quantised) - given
    found = answer(packed(tmp_path, model([SAME])), "AD01", given.tobytes())
    np.testing.assert_allclose(found, [np.mean(differences**2)], rtol=1e-5)


def test_an_emulated_board_answers_on_its_serial_port(tmp_path: Path):
    board = board_or_skip("qemu:m4")
    content, given = quantised_network(softmax=True), random_bytes(90)
    program = firmware(packed(tmp_path, content, "cortex-m4"), board)
    command = [*board.emulator, "-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel", str(program)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as emulator:
        try:
            assert emulator.stdin is not None
            assert emulator.stdout is not None
            printed = b""
            for text in commands(given.tobytes()).split(b"%")[:-1]:
                printed += until_ready(emulator.stdout.read)
                emulator.stdin.write(text + b"%")
                emulator.stdin.flush()
            printed += until_ready(emulator.stdout.read)
        finally:
            emulator.kill()
    np.testing.assert_allclose(results(printed.decode()), outputs_of(content, tmp_path, given), atol=6e-4)


def firmware(package: Path, board: Board) -> Path:
    """Build the package for an emulated board with its cross compiler."""
    processor, folder = board.processor(), package.parent / "board"
    folder.mkdir()
    for name in ("board.h", "uart.h", "uart.c", board.startup, board.script, "sections.ld"):
        (folder / name).write_text(harness_source(name))
    compilers = {
        ".c": (processor.cc,),
        ".cpp": (processor.cc.removesuffix("gcc") + "g++", "-fno-exceptions", "-fno-rtti"),
    }
    includes = [f"-I{path}" for path in (package, STAND_IN, folder, *(package / part for part in INCLUDE_FOLDERS))]
    flags = [flag for flag in processor.cflags if not flag.startswith("-std=")]
    defined = ["-DTH_MODEL_VERSION=EE_MODEL_VERSION_KWS01", f"-DUART_BASE={board.uart:#x}u"]
    sources = [*package.rglob("*.c"), *package.rglob("*.cpp"), *folder.rglob("*.c"), *STAND_IN.rglob("*.c*")]
    objects: list[Path] = []
    for source in (path for path in sources if path.name != "platform_host.c"):
        objects.append(folder / f"{source.name}.o")
        run([*compilers[source.suffix], *flags, *includes, *defined, "-c", source, "-o", objects[-1]], folder)
    link = ["-nostartfiles", *board.libraries, f"-L{folder}", f"-T{folder / board.script}", "-Wl,--gc-sections"]
    run([processor.cc, *flags, *objects, *link, "-lm", "-o", folder / "firmware.elf"], folder)
    return folder / "firmware.elf"


def until_ready(read: Callable[[int], bytes]) -> bytes:
    """What the board prints until it waits for a command."""
    printed = b""
    while not printed.endswith(b"m-ready\r\n"):
        byte = read(1)
        assert byte, printed.decode()
        printed += byte
    return printed


REFUSED = {
    "two inputs": ("(float[1, 4] a, float[1, 4] b) => (float[1, 4] y) { y = Add (a, b) }", "it has one input|has 2"),
    "an element type": ("(int64[1, 4] x) => (int64[1, 4] y) { y = Abs (x) }", "input 'x' is of int64"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_runner_cannot_send_is_refused(what: str, tmp_path: Path):
    text, reason = REFUSED[what]
    artifact = compile_network(onnx_file(text, tmp_path), target="c", name="net")
    with pytest.raises(InputError, match=reason):
        artifact.export(tmp_path / "package", "mlperf-tiny")
    assert not (tmp_path / "package").exists()


def test_a_build_without_the_harness_says_what_is_missing(tmp_path: Path):
    package = packed(tmp_path, quantised_network())
    command = [require("cmake"), "-S", package, "-B", tmp_path / "build"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "MLPERF_TINY: there is no api/internally_implemented.cpp in it" in done.stderr
