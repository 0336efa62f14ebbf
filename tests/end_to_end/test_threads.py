"""Threads change the time that a network takes, and nothing else: equal bits, whatever their number."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.data.samples import sample
from s2s.options import MAX_THREADS, Io, Threading
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.build import load
from s2s.verify.toolchain import run_program
from support.c_compilers import WARNINGS, require
from support.compiled import quickly_loaded
from support.onnx_text import onnx_model
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"

NETWORKS = {
    "convolutions": "(float[1, 8, 24, 24] x) => (float[1, 40, 12, 12] y) {"
    " a = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(x, w) b = Relu(a)"
    " c = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(b, v) d = Add(b, c) e = Relu(d)"
    " y = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(e) }",
    "products": "(float[50, 96] x) => (float[50, 30] y) {"
    " a = MatMul(x, w) b = Add(a, bias) c = Softmax<axis = -1>(b) y = MatMul(c, v) }",
    "sums": "(float[1, 16, 32, 32] x) => (float[1, 16, 1, 1] y) { a = Sigmoid(x) y = GlobalAveragePool(a) }",
}
WEIGHTS = {
    "convolutions": {"w": (40, 8, 3, 3), "v": (40, 40, 3, 3)},
    "products": {"w": (96, 64), "bias": (64,), "v": (64, 30)},
    "sums": {},
}


def made_up(artifact: api.Artifact) -> dict[str, Array]:
    return {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in artifact.info.inputs}


def outputs(
    model: Path, threads: int, threading: Threading = "pthreads", *, target: str = "host", io: Io | None = None
) -> dict[str, Array]:
    artifact = api.compile(model, target=target, io=io, threads=threads, threading=threading)
    with quickly_loaded(artifact) as network:
        return network.run(made_up(artifact))


def assert_equal(one: dict[str, Array], other: dict[str, Array]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert value.tobytes() == other[name].tobytes()


@cache
def alone(model: Path, *, target: str = "host", io: Io | None = None) -> dict[str, Array]:
    """The outputs on one thread."""
    return outputs(model, 1, target=target, io=io)


@pytest.fixture(params=NETWORKS, scope="module")
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name: str = request.param
    rng = np.random.default_rng(3)
    weights = {key: 0.1 * rng.standard_normal(shape).astype(np.float32) for key, shape in WEIGHTS[name].items()}
    proto = onnx_model(NETWORKS[name])
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(value, key) for key, value in weights.items())
    file = tmp_path_factory.mktemp(name) / "model.onnx"
    file.write_bytes(proto.SerializeToString())
    return file


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ["host", "c"])
def test_any_number_of_threads_gives_the_same_bits(model: Path, target: str):
    for threads in (2, 3):
        assert_equal(alone(model, target=target), outputs(model, threads, target=target))


def test_openmp_gives_the_same_bits(model: Path):
    assert_equal(alone(model), outputs(model, 3, "openmp"))


def test_a_build_without_threads_gives_the_same_bits(model: Path, tmp_path: Path):
    artifact = api.compile(model, threads=3)
    with load(artifact.tree(), flags=["-O1", "-DS2S_NO_THREADS"]) as network:
        serial = network.run(made_up(artifact))
    with load(artifact.tree(), flags=["-O1"]) as network:
        assert_equal(serial, network.run(made_up(artifact)))


def test_a_plan_with_overlaps_keeps_threads_apart(model: Path):
    assert_equal(alone(model, io="arena"), outputs(model, 4, io="arena"))


def test_without_threads_the_tree_knows_none(model: Path):
    tree = api.compile(model).tree()
    assert not [path for path in tree if "pool" in path]
    assert not [
        path for path in tree if path.endswith((".c", ".h", ".txt", "Makefile")) and "s2s_pool" in tree.text(path)
    ]


@pytest.mark.parametrize("model", ["convolutions"], indirect=True)
def test_kernels_that_pay_are_divided(model: Path):
    tree = api.compile(model, threads=2, target="x86-64-v4", name="net").tree()
    divided = [tree.text(path) for path in tree if "_kernels" in path]
    assert any("s2s_pool_run(" in text for text in divided)
    assert "#define NET_THREADS " in tree.text("include/net.h")
    assert "s2s_status net_run(void *arena, s2s_pool *pool, " in tree.text("include/net.h")
    assert json.loads(tree.text("metadata.json"))["threads"] == {"most": 2, "by": "pthreads", "flags": ["-pthread"]}


@pytest.mark.parametrize("threading", ["pthreads", "openmp"])
def test_build_files_ask_for_threads(threading: Threading, tmp_path: Path):
    root = api.compile(DIGITS, threads=2, threading=threading, name="net").write(tmp_path / "net")
    flag = {"pthreads": "-pthread", "openmp": "-fopenmp"}[threading]
    package = {"pthreads": "find_package(Threads REQUIRED)", "openmp": "find_package(OpenMP"}[threading]
    assert flag in (root / "Makefile").read_text()
    assert package in (root / "CMakeLists.txt").read_text()
    run_program([require("make"), "-j2", "test"], root)


def test_the_tree_is_clean_under_the_thread_sanitizer(model: Path, tmp_path: Path):
    root = api.compile(model, threads=3, target="c", name="net").write(tmp_path / "net")
    flags = f"-O1 -g -fsanitize=thread {' '.join(WARNINGS[:4])}"
    run_program([require("make"), "-j2", "test", "CC=gcc", f"CFLAGS={flags}"], root)


def test_the_runtime_has_room_for_as_many_threads_as_there_may_be():
    header = (ROOT / "runtime_c" / "include" / "s2s_pool.h").read_text()
    assert f"#define S2S_POOL_THREADS {MAX_THREADS}\n" in header


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--threads", "0"], "--threads 0: give a number from 1 to 16"),
        (["--threads", "99"], "--threads 99: give a number from 1 to 16"),
        (["--threads", "2", "--executor", "graph"], "--threads 2: the tables of executor graph"),
        (["--threads", "2", "--profile", "misra"], "--threads 2: the pool of threads is not written to MISRA C"),
        (["--threads", "2", "--target", "cortex-m4"], "--threads 2: target cortex-m4 has no threads"),
        (["--threading", "openmp"], "--threading openmp: one thread needs none; give --threads 2 or more as well"),
    ],
)
def test_what_has_no_threads_is_refused(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "out"), *options]) != 0
    assert words in capsys.readouterr().err


def test_commands_use_the_threads(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(DIGITS), "--threads", "2"]) == 0
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "net"), "--threads", "2"]) == 0
    artifact = api.compile(DIGITS)
    inputs = made_up(artifact)
    files: list[str] = []
    for name, value in inputs.items():
        np.save(tmp_path / f"{name}.npy", value)
        files += ["--input", f"{name}={tmp_path / name}.npy"]
    assert run(["run", str(tmp_path / "net"), *files, "--output", str(tmp_path / "found")]) == 0
    for name, value in artifact.run(inputs).items():
        assert np.load(tmp_path / "found" / f"{name}.npy").tobytes() == value.tobytes()
