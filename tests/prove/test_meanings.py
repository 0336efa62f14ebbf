"""Functions of the runtime that the prover takes by their meaning do what it says."""

import subprocess
from pathlib import Path

import pytest

from support.project import ROOT

PROGRAM = """
#include "s2s_math.h"
#include <stdio.h>

static uint32_t counted(uint32_t x)
{
    uint32_t zeros = 0;
    for (uint32_t bit = 0x80000000u; bit != 0 && (x & bit) == 0; bit >>= 1) {
        zeros++;
    }
    return zeros;
}

int main(void)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        for (uint32_t step = 0; step < 4096; step++) {
            const uint32_t x = (1u << bit) + step * 977u - 1u;
            if (s2s_u32_leading_zeros(x) != counted(x) || s2s_u32_leading_zeros(x + 1u) != counted(x + 1u)) {
                return 1;
            }
        }
    }
    return 0;
}
"""


@pytest.mark.parametrize("form", ["-DBUILTIN_FORM", "-U__SIZEOF_INT__"])
def test_leading_zeros_are_counted_in_each_form(form: str, tmp_path: Path):
    source, binary = tmp_path / "zeros.c", tmp_path / "zeros"
    source.write_text(PROGRAM)
    include = f"-I{ROOT / 'runtime_c' / 'include'}"
    subprocess.run(["cc", "-std=c99", "-O1", include, form, str(source), "-o", str(binary)], check=True)
    assert subprocess.run([binary], check=False).returncode == 0


PACKED = """
#include "s2s_simd_bytes.h"
#include <stdio.h>

int main(void)
{
    for (int32_t a = -32768; a < 32768; a += 37) {
        for (int32_t b = -32768; b < 32768; b += 41) {
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
    source, binary = tmp_path / "packed.c", tmp_path / "packed"
    source.write_text(PACKED)
    include = f"-I{ROOT / 'runtime_c' / 'include'}"
    subprocess.run(["cc", "-std=c99", "-O1", include, str(source), "-o", str(binary)], check=True)
    assert subprocess.run([binary], check=False).returncode == 0
