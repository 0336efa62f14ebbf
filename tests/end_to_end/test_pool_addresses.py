"""Memory pools at addresses that the user gives: macros for the arena, and a linker script for the constants."""

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.errors import InputError
from support.c_compilers import require

TCM, FLASH = 0x20000000, 0x00400000
MAIN = """
#include "net.h"

static float x[NET_X_SIZE], y[NET_Y_SIZE];
int result;

void start(void)
{
    result = net_run((void *)NET_ARENA_TCM_ADDRESS, x, y);
}
"""
SCRIPT = """
MEMORY { CODE (rx) : ORIGIN = 0x0, LENGTH = 1M  DATA (rw) : ORIGIN = 0x30000000, LENGTH = 1M }
ENTRY(start)
SECTIONS
{
    .text : { *(.text .text.* .rodata .rodata.*) } > CODE
    .data : { *(.data .bss COMMON) } > DATA
}
INCLUDE net_pools.ld
"""


def layer() -> onnx.ModelProto:
    model = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1, 8] x) => (float[1, 4] y) { a = Gemm(x, w1)  b = Relu(a)  y = Gemm(b, w2) }
    """)
    for name, shape in {"w1": (8, 16), "w2": (16, 4)}.items():
        values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)  # equal channels would be one
        model.graph.initializer.append(onnx.numpy_helper.from_array(values, name))
    return model


@pytest.fixture(scope="module")
def placed() -> api.Artifact:
    """Buffers at the start of one memory, constants in another."""
    pools = [f"tcm=4KiB:buffers:at={TCM:#x}", f"flash=64KiB:constants:at={FLASH:#x}"]
    return api.compile(layer(), target="cortex-m4", name="net", pools=pools)


def test_the_header_states_the_address_of_the_arena(placed: api.Artifact):
    assert re.search(r"#define NET_ARENA_TCM_ADDRESS +0x20000000u", placed.tree().text("include/net.h"))


def test_the_linker_puts_constants_at_their_pool(placed: api.Artifact, tmp_path: Path):
    require("arm-none-eabi-gcc")
    placed.write(tmp_path)
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "all.ld").write_text(SCRIPT)
    sources = ["main.c", *(path.relative_to(tmp_path) for path in (tmp_path / "src").glob("*.c"))]
    includes = [f"-I{folder}" for folder in ("include", "src", "runtime/include")]
    flags = ["-std=c99", "-O1", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
    linked = ["-nostartfiles", "-specs=nano.specs", "-specs=nosys.specs", "-L.", "-Tall.ld", "-lm", "-o", "net.elf"]
    subprocess.run(["arm-none-eabi-gcc", *flags, *includes, *sources, *linked], cwd=tmp_path, check=True)
    listed = subprocess.run(["arm-none-eabi-nm", "net.elf"], cwd=tmp_path, capture_output=True, text=True, check=True)
    places = {name: int(place, 16) for place, _, name in (line.split() for line in listed.stdout.splitlines())}
    constants = [place for name, place in places.items() if re.fullmatch(r"net_w\w*", name)]
    assert len(constants) == 2
    assert all(FLASH <= place < FLASH + 64 * 1024 for place in constants)


def test_an_address_that_buffers_cannot_have_is_refused():
    with pytest.raises(InputError, match=r"buffers begin at multiples of \d+; give at= such an address"):
        api.compile(layer(), target="c", pools=["tcm=4KiB:at=0x20000001"])


def test_an_overflow_names_what_helps():
    with pytest.raises(InputError, match=r"--pool tcm=.* the largest are .*; give tcm .* bytes"):
        api.compile(layer(), target="c", pools=["tcm=16"])
