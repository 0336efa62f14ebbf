"""The memories of two devices: neither touches that of the other, and a copy that is left out is found."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from s2s import api
from support.c_compilers import require
from support.device_networks import LAYERS, residual, sample

HARNESS = """
#include "net.h"
#include "s2s_arena.h"
#include <sanitizer/asan_interface.h>
#include <stdio.h>

S2S_ARENA(arena_main, NET_ARENA_MAIN_SIZE, NET_ARENA_ALIGN);
S2S_ARENA(arena_dsp, NET_ARENA_DSP_SIZE, NET_ARENA_ALIGN);
static float x[NET_X_SIZE], y[NET_Y_SIZE];

static void copy(volatile char *target, const volatile char *source, size_t size)
{
    while (size-- > 0) {
        *target++ = *source++;
    }
}

void net_copy_to_dsp(void *target, const void *source, size_t size) { copy(target, source, size); }
void net_copy_from_dsp(void *target, const void *source, size_t size) { copy(target, source, size); }

int main(void)
{
    s2s_status status;

    for (size_t i = 0; i < NET_X_SIZE; i++) {
        x[i] = (float)(i % 17) * 0.125f - 1.0f;
    }
#ifdef POISON_DSP
    __asan_poison_memory_region(arena_dsp, sizeof arena_dsp);
#else
    __asan_poison_memory_region(arena_main, sizeof arena_main);
    __asan_poison_memory_region(x, sizeof x);
    __asan_poison_memory_region(y, sizeof y);
#endif
    status = net_run(arena_main, arena_dsp, x, y);
    __asan_unpoison_memory_region(y, sizeof y);
    for (size_t i = 0; i < NET_Y_SIZE; i++) {
        printf("%a\\n", (double)y[i]);
    }
    return status;
}
"""
PLAIN = ["-std=c99", "-O1", "-ffp-contract=off", "-fno-builtin", "-fno-tree-loop-distribute-patterns"]
CHECKED = [*PLAIN, "-fsanitize=address", "-fno-sanitize-recover"]
"""Only what the first device runs is checked, or only what the second one runs: the other one may touch its memory."""


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    """The output of the network on one device."""
    with api.compile(residual(), target="c", name="net") as plain:
        return plain.run(sample())["y"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its tree with a program that poisons the memory of one device."""
    require("gcc")
    root = tmp_path_factory.mktemp("devices") / "net"
    api.compile(residual(), target="c", name="net", devices={"dsp": {"layers": LAYERS}}).write(root)
    (root / "harness.c").write_text(HARNESS)
    return root


def build(root: Path, poisoned: str, network: Path) -> Path:
    """Compile the tree so that only one device's code is checked, with the file `network` as its run function."""
    sources = {"main": [network, root / "src/net_kernels.c"], "dsp": [*(root / "src/dsp").glob("*.c")]}
    checked = "main" if poisoned == "dsp" else "dsp"
    objects: list[Path] = []
    includes = [f"-I{root / folder}" for folder in ("include", "src", "runtime/include")]
    every = [(device, source) for device, listed in sources.items() for source in listed]
    every += [("harness", root / "harness.c"), ("harness", root / "src/net_weights.c")]
    for device, source in every:
        flags = CHECKED if device == checked else PLAIN
        made = root / f"{source.stem}_{poisoned}.o"
        objects.append(made)
        if not made.exists() or source == network:
            command = ["gcc", *flags, *includes, f"-DPOISON_{poisoned.upper()}", "-c", source, "-o", made]
            subprocess.run(command, check=True)
    program = root / f"{network.stem}_{poisoned}"
    subprocess.run(["gcc", "-fsanitize=address", *objects, "-lm", "-o", program], check=True)
    return program


def run(program: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("poisoned", ["dsp", "main"])
def test_no_device_touches_the_memory_of_the_other(written: Path, poisoned: str, expected: np.ndarray):
    done = run(build(written, poisoned, written / "src/net.c"))
    assert done.returncode == 0, done.stderr
    assert [float.fromhex(line) for line in done.stdout.split()] == [float(each) for each in expected.reshape(-1)]


def without_copy(text: str, way: str) -> str:
    """Leave out the first copy to or from the device: its reader gets the source."""
    found = re.search(rf"    net_copy_{way}_dsp\(([^,]+), ([^,]+), \d+\);\n", text)
    assert found is not None
    rest = text[found.end() :]
    return text[: found.start()] + rest.replace(f", {found[1]}", f", {found[2]}", 1)


@pytest.mark.parametrize(("way", "poisoned"), [("to", "main"), ("from", "dsp")])
def test_a_copy_that_is_left_out_is_found(written: Path, way: str, poisoned: str):
    network = written / f"without_{way}.c"
    network.write_text(without_copy((written / "src/net.c").read_text(), way))
    done = run(build(written, poisoned, network))
    assert done.returncode != 0
    assert "use-after-poison" in done.stderr


def test_the_tree_builds_and_tests_itself(written: Path):
    done = subprocess.run(["make", "-s", "test"], cwd=written, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (written / "build/libnet_dsp.a").exists()


def test_kernels_of_a_device_are_built_with_its_flags(written: Path):
    done = subprocess.run(
        ["make", "-n", "dsp", "BUILD=other", "DSP_CC=dsp-cc", "DSP_CFLAGS=-Odsp"],
        cwd=written,
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = [line for line in done.stdout.splitlines() if " -c " in line]
    assert compiled
    assert all(line.startswith("dsp-cc -Odsp ") for line in compiled)
