"""Trees for the processors with products of bytes: their self-tests agree bit for bit, here or in an emulator."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.targets import get_target
from support.c_compilers import require, require_target, run
from support.qdq_networks import qdq_network

EMULATED = ("aarch64", "aarch64-dotprod", "aarch64-sve2")
HERE = ("x86-64-v3-avxvnni", "x86-64-v4-avx512vnni")
MACHINES = {
    "cortex-a53": {"aarch64"},
    "cortex-a76": {"aarch64", "aarch64-dotprod"},
    "max,sve-max-vq=1": set(EMULATED),
    "max,sve-max-vq=2": {"aarch64-sve2"},
}
"""Processors that the emulator knows, and whose trees they run."""


def tree(folder: Path, target: str, dtype: type[np.integer]) -> Path:
    """The folder of the tree of a small quantised network."""
    model = folder / "net.onnx"
    model.write_bytes(qdq_network(dtype))
    api.compile(model, target=target).write(folder / "net")
    return folder / "net"


def built(root: Path, target: str, *variables: str) -> Path:
    """The self-test of a tree as a program."""
    compiler = get_target(target).cc or "gcc"
    run([require("make"), "-s", "-C", root, f"CC={require(compiler)}", *variables, "build/net_test"], root)
    return root / "build" / "net_test"


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("target", EMULATED)
def test_trees_of_64_bit_arm_agree_in_the_emulator(target: str, dtype: type[np.integer], tmp_path: Path):
    emulator = require("qemu-aarch64-static")
    program = built(tree(tmp_path, target, dtype), target, "LDFLAGS=-static")
    for machine, able in MACHINES.items():
        if target in able:
            run([emulator, "-cpu", machine, program], tmp_path)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("target", HERE)
def test_trees_with_vpdpbusd_agree(target: str, dtype: type[np.integer], tmp_path: Path):
    require_target(target)
    run([built(tree(tmp_path, target, dtype), target)], tmp_path)


@pytest.mark.parametrize("target", EMULATED)
def test_only_the_code_for_it_multiplies_by_sdot(target: str, tmp_path: Path):
    root = tree(tmp_path, target, np.int8)
    built(root, target, "LDFLAGS=-static")
    code = run([require("aarch64-linux-gnu-objdump"), "-d", root / "build" / "src" / "net_kernels.o"], root)
    assert ("sdot" in code) == (target != "aarch64")
