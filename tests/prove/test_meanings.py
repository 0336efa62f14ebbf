"""Functions of the runtime that the prover takes by their meaning do what it says."""

import shutil
import subprocess
from pathlib import Path

import pytest

from s2s.prove.meanings import ALIGNED, BITS, DEFINITIONS, MEANINGS, digest_of
from s2s.prove.packing import PACKED as PACKERS
from s2s.prove.program import program_of
from s2s.prove.source import parse_tree
from support.project import ROOT

PROGRAM = """
#include "s2s_align.h"
#include "s2s_bits.h"
#include "s2s_math.h"
#include <stdio.h>
#include <stdlib.h>

/* From the bits of a float to those of the next greater one. */
static int follows(uint32_t u)
{
    const float x = s2s_f32_of_bits(u), next = s2s_f32_of_bits(u + 1u);

    return s2s_f32_bits(x) == u && (u < 0x80000000u ? x < next : x > next);
}

int main(int count, char **arguments)
{
    const uint32_t step = (uint32_t)strtoul(arguments[count - 1], NULL, 10);
    for (uint32_t bit = 0; bit < 32; bit++) {
        const uint32_t first = 1u << bit;
        for (uint32_t x = 0; x < first; x += step) {
            if (s2s_u32_leading_zeros(first + x) != 31u - bit || s2s_u32_leading_zeros(2u * first - 1u) != 31u - bit) {
                return 1;
            }
        }
    }
    for (uint32_t u = 0; u < 0x7f800000u; u += step) {
        if (!follows(u) || !follows(u + 0x80000000u)) {
            return 2;
        }
    }
    for (uint32_t at = 0; at < 64; at++) {
        const unsigned char *const place = (const unsigned char *)(uintptr_t)(4096u + at);
        for (uint32_t alignment = 1; alignment <= 64; alignment *= 2) {
            if (s2s_is_aligned(place, alignment) != (at % alignment == 0)) {
                return 3;
            }
        }
    }
    return s2s_u32_leading_zeros(0) == 32 && s2s_f32_bits(1.5f) == 0x3fc00000u ? 0 : 4;
}
"""
STEP = 251
"""Numbers from one that is tried to the next; a step of 1, which takes minutes, tries each."""


@pytest.mark.parametrize("form", ["-DBUILTIN_FORM", "-U__SIZEOF_INT__"])
def test_numbers_have_the_bits_of_their_meaning_in_each_form(form: str, tmp_path: Path):
    assert returned(PROGRAM, tmp_path, form, STEP) == 0


PACKED = """
#include "s2s_simd_bytes.h"
#include <stdio.h>

#include <stdlib.h>

int main(int count, char **arguments)
{
    const int32_t step = (int32_t)strtoul(arguments[count - 1], NULL, 10);
    for (int32_t a = -32768; a < 32768; a += 1) {
        for (int32_t b = -32768 + (a & 31) % step; b < 32768; b += step) {
            const int32_t pair = s2s_pair((int16_t)a, (int16_t)b);
            if ((int32_t)((uint32_t)pair << 16) >> 16 != a || pair >> 16 != b) {
                return 1;
            }
        }
    }
    for (uint32_t i = 0; i < 65536; i++) {
        const uint8_t bytes[4] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i * 7), (uint8_t)(i * 13 >> 3)};
        const int32_t group = s2s_group(bytes[0], bytes[1], bytes[2], bytes[3]);
        for (int place = 0; place < 4; place++) {
            if (((group >> 8 * place) & 255) != bytes[place]) {
                return 2;
            }
        }
    }
    return 0;
}
"""


def test_packed_numbers_are_side_by_side(tmp_path: Path):
    assert returned(PACKED, tmp_path, "-DPACKED", STEP) == 0


def returned(program: str, folder: Path, form: str, step: int) -> int:
    """What a program returns that tries every number that lies `step` after the one before."""
    source, binary = folder / "meaning.c", folder / "meaning"
    source.write_text(program)
    include = f"-I{ROOT / 'runtime_c' / 'include'}"
    subprocess.run(["cc", "-std=c99", "-O2", include, form, str(source), "-o", str(binary)], check=True)
    return subprocess.run([binary, str(step)], check=False).returncode


def test_the_definitions_are_the_ones_of_the_runtime(tmp_path: Path):
    """A function that changes has to be compared with its meaning again before its digest is."""
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    shutil.copytree(ROOT / "runtime_c" / "include", folder / "runtime" / "include")
    headers = ("s2s_math.h", "s2s_bits.h", "s2s_simd_bytes.h", "s2s_align.h")
    (folder / "src" / "all.c").write_text("".join(f'#include "{header}"\n' for header in headers))
    functions = program_of(parse_tree(folder, ["src/all.c"])).functions
    assert {name: digest_of(functions[name]) for name in DEFINITIONS} == DEFINITIONS
    assert set(DEFINITIONS) == {ALIGNED, *BITS, *MEANINGS, *PACKERS}
