"""Constants that are copied from a slow memory to a double buffer before kernels read them."""

import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.errors import InputError
from support.c_compilers import require

POOLS = ["tcm=6KiB", "flash=64KiB:streamed:rate=4:latency=10"]
HARNESS = """
#include "net.h"
#include "s2s_arena.h"
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <string.h>

S2S_ARENA(arena, NET_ARENA_TCM_SIZE, NET_ARENA_ALIGN);
static float x[NET_X_SIZE], y[NET_Y_SIZE];
static struct { void *target; const void *source; size_t size; } copies[64];
static size_t started;

void net_start_copy_from_flash(void *target, const void *source, size_t size)
{
    copies[started].target = target;
    copies[started].source = source;
    copies[started++].size = size;
    __asan_poison_memory_region(target, size);
}

void net_wait_for_flash(void)
{
    while (started > 0) {
        started--;
        __asan_unpoison_memory_region(copies[started].target, copies[started].size);
        __asan_unpoison_memory_region(copies[started].source, copies[started].size);
        memcpy(copies[started].target, copies[started].source, copies[started].size);
        __asan_poison_memory_region(copies[started].source, copies[started].size);
    }
}

extern char __start_flash[], __stop_flash[];

int main(void)
{
    s2s_status status;

    for (size_t i = 0; i < NET_X_SIZE; i++) {
        x[i] = (float)(i % 17) * 0.125f - 1.0f;
    }
    __asan_poison_memory_region(__start_flash, (size_t)(__stop_flash - __start_flash));
    status = net_run(arena, x, y);
    for (size_t i = 0; i < NET_Y_SIZE; i++) {
        printf("%a\\n", (double)y[i]);
    }
    return status;
}
"""
FLAGS = ["-std=gnu99", "-O1", "-ffp-contract=off", "-fsanitize=address", "-fno-sanitize-recover"]


def layers() -> onnx.ModelProto:
    """Layers of different sizes, one with more weights than the memory of kernels."""
    model = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1, 3, 8, 8] x) => (float[1, 5] y) {
        a = Conv <kernel_shape = [3, 3], strides = [2, 2]> (x, w0, b0)
        b = Relu(a)
        c = Flatten(b)
        d = Gemm(c, w1, b1)
        e = Relu(d)
        y = Gemm(e, w2)
    }
    """)
    generator = np.random.default_rng(0)
    shapes = {"w0": (4, 3, 3, 3), "b0": (4,), "w1": (36, 48), "b1": (48,), "w2": (48, 5)}
    for name, shape in shapes.items():
        array = generator.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def sample() -> dict[str, np.ndarray]:
    return {"x": ((np.arange(3 * 64) % 17) * 0.125 - 1).astype(np.float32).reshape(1, 3, 8, 8)}


@pytest.fixture(scope="module")
def streamed() -> api.Artifact:
    return api.compile(layers(), target="c", name="net", pools=POOLS)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    with api.compile(layers(), target="c", name="net") as plain:
        return plain.run(sample())["y"]


def chosen(artifact: api.Artifact, kind: str) -> list[str]:
    return [each.chosen for each in artifact.decisions if each.kind == kind]


def test_copies_come_while_kernels_compute_and_no_kernel_reads_the_slow_memory(
    streamed: api.Artifact, expected: np.ndarray, tmp_path: Path
):
    """The copies are made at the latest possible time, and their targets are poisoned until then."""
    require("gcc")
    streamed.write(tmp_path)
    (tmp_path / "harness.c").write_text(HARNESS)
    sources = ["harness.c", *(path.relative_to(tmp_path) for path in (tmp_path / "src").glob("*.c"))]
    includes = [f"-I{folder}" for folder in ("include", "src", "runtime/include")]
    macros = ["-DNET_FLASH_HOOKS", '-DS2S_POOL_FLASH=__attribute__((section("flash")))']
    command = ["gcc", *FLAGS, "--param", "asan-globals=0", *macros, *includes, *sources, "-lm", "-o", "net"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./net"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = np.array([float.fromhex(line) for line in done.stdout.split()], np.float32)
    np.testing.assert_allclose(found, expected.reshape(-1), rtol=1e-6)


def test_some_constants_are_copied_and_some_are_not(streamed: api.Artifact):
    (found,) = chosen(streamed, "streams")
    words = set(found.split())
    assert "-" in words
    assert words - {"-", "0"}


def test_a_layer_with_more_weights_than_memory_is_split(streamed: api.Artifact):
    assert max(map(int, chosen(streamed, "weight blocks"))) > 1


def test_copies_are_a_decision_that_can_be_given_back(streamed: api.Artifact):
    again = api.compile(layers(), target="c", name="net", pools=POOLS, decisions=streamed.decisions)
    assert again.tree().text("src/net.c") == streamed.tree().text("src/net.c")


def test_another_choice_is_obeyed(streamed: api.Artifact, expected: np.ndarray):
    (count,) = (len(each.split()) for each in chosen(streamed, "streams"))
    entry = {"kind": "streams", "subject": "constants", "chosen": " ".join(["0"] * count)}
    given = {"format": 1, "decisions": [entry]}
    with api.compile(layers(), target="c", name="net", pools=POOLS, decisions=given) as found:
        np.testing.assert_allclose(found.run(sample())["y"], expected, rtol=1e-6)
        assert found.tree().text("src/net.c").count("start_copy_from_flash") == count


def test_the_header_declares_the_hooks(streamed: api.Artifact):
    header = streamed.tree().text("include/net.h")
    assert "void net_start_copy_from_flash(void *target, const void *source, size_t size);" in header
    assert "void net_wait_for_flash(void);" in header
    assert "copy_to_flash" not in header


REFUSED = [
    (
        ["tcm=1KiB", "a=1KiB:streamed", "b=1KiB:streamed"],
        "--pool b=1024:streamed: constants are streamed from one pool",
    ),
    (["tcm=1KiB:rate=2"], "rate and latency are those of copies; give them with holds streamed"),
    (["tcm=1KiB:fast"], "'fast' is no property; give buffers, constants, streamed, code, loaded, at=ADDRESS"),
    (["flash=1KiB:streamed"], "no pool may hold buffers; add one that may"),
    (["tcm=6KiB", "flash=1KiB:streamed"], "--pool flash=1024:streamed: what it would hold takes .* the largest are"),
]


@pytest.mark.parametrize(("pools", "message"), REFUSED)
def test_what_cannot_be_is_refused(pools: list[str], message: str):
    with pytest.raises(InputError, match=message):
        api.compile(layers(), target="c", pools=pools)
