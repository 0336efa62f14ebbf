"""Networks and functions are exported for their target, by the compiler and the flags that the caller names."""

import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay, te
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.relay.factory import ExecutorFactory


def network(target: str) -> ExecutorFactory:
    x, w = relay.var("x", shape=(1, 8)), relay.const(np.ones((4, 8), np.float32))
    return relay.build(relay.nn.relu(relay.nn.dense(x, w)), target=target)


@pytest.mark.parametrize(
    ("target", "compiler", "machine"),
    [
        ("c -mcpu=cortex-m4", "arm-none-eabi-gcc", 40),
        ("llvm -mtriple=aarch64-linux-gnu", "aarch64-linux-gnu-gcc", 183),
    ],
)
def test_objects_are_those_of_the_target(target: str, compiler: str, machine: int, tmp_path: Path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    network(target).export_library(tmp_path / "net.tar")
    with tarfile.open(tmp_path / "net.tar") as archive:
        contents = [opened.read() for each in archive if (opened := archive.extractfile(each)) is not None]
    assert {int.from_bytes(each[18:20], "little") for each in contents} == {machine}


def test_a_target_without_shared_libraries_has_none(tmp_path: Path):
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not installed")
    with pytest.raises(UnsupportedError, match=r"cortex-m4 has no shared libraries; export objects \(\.tar\)"):
        network("c -mcpu=cortex-m4").export_library(tmp_path / "net.so")


def test_a_compiler_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    library = network("llvm -mtriple=armv7l-linux-gnueabihf")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InputError, match="wants arm-linux-gnueabihf-gcc, which is not installed; install gcc-arm-linux"
    ):
        library.export_library(tmp_path / "net.tar")


def test_the_compiler_and_its_options_are_the_callers(tmp_path: Path):
    path = tmp_path / "net.so"
    network("llvm").export_library(path, cc="gcc", options=["-Wl,-soname,named.so"])
    shown = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    assert "named.so" in shown


def test_fcompile_writes_the_file(tmp_path: Path):
    calls: list[tuple[str, int]] = []

    def link(name: str, files: Sequence[str], options: Sequence[str] | None = None, note: str = "") -> None:
        calls.append((note, len(files)))
        tvm.contrib.cc.create_shared(name, files, options)

    (tmp_path / "more.c").write_text("int more(void) { return 1; }\n")
    path = tmp_path / "net.so"
    network("llvm").export_library(path, link, [tmp_path / "more.c"], options=["-g"], note="linked")
    module = GraphModule(tvm.runtime.load_module(path)["default"](tvm.cpu()))
    module.run(x=np.ones((1, 8), np.float32))
    assert module.get_output(0).numpy().tolist() == [[8, 8, 8, 8]]
    assert [note for note, _ in calls] == ["linked"]


def test_a_keyword_of_nobody_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="note= goes with fcompile"):
        network("llvm").export_library(tmp_path / "net.so", note="x")


def add_one() -> tvm.runtime.Module:
    a = te.placeholder((16,), name="A")
    b = te.compute(a.shape, lambda i: a[i] + 1.0, name="B")
    return tvm.build(te.create_schedule(b.op), [a, b], "llvm", name="add_one")


@pytest.mark.parametrize("suffix", ["so", "tar"])
def test_a_function_is_a_library(suffix: str, tmp_path: Path):
    add_one().export_library(tmp_path / f"packed.{suffix}")
    module = tvm.runtime.load_module(tmp_path / f"packed.{suffix}")
    y = tvm.nd.empty((16,))
    module["add_one"](tvm.nd.array(np.arange(16, dtype=np.float32)), y)
    np.testing.assert_array_equal(y.numpy(), np.arange(1, 17))


def test_a_function_is_an_object_that_is_linked(tmp_path: Path):
    add_one().save(str(tmp_path / "add.o"))
    tvm.contrib.cc.create_shared(tmp_path / "add.so", [tmp_path / "add.o"])
    module, y = tvm.runtime.load_module(tmp_path / "add.so"), tvm.nd.empty((16,))
    module(tvm.nd.array(np.zeros(16, np.float32)), y)
    assert y.numpy().tolist() == [1.0] * 16
