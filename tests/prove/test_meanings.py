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
