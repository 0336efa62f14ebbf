"""Products with weights in blocks on microcontrollers: a few rows share each activation, by instructions if there are
any."""

import pytest

from benchmarks.blockwise import product
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("rows", [3, 40])
def test_a_few_rows_share_each_activation(bits: int, rows: int):
    """Three rows are one short tile."""
    model = product(96, rows, bits, 32, "int8")
    with compile_artifact(model, CompileOptions(target="cortex-m4")) as artifact:
        assert artifact.verify().passed
        tree = artifact.tree()
        [kernels] = [tree.text(name) for name in tree.files if name.endswith("_kernels.c")]
    assert "compute one block at a time, where it is read" in " ".join(kernels.replace("*", "").split())


@pytest.mark.parametrize(
    ("target", "bits", "block", "function"),
    [
        ("cortex-m4", 4, 32, "s2s_i32x4_dot_halves_by_4("),
        ("cortex-m4", 8, 32, "s2s_i8x8_dot_extend_low("),
        ("cortex-m55", 4, 16, "s2s_i32x4_dot_halves_by_4("),
        ("cortex-m55", 4, 32, "s2s_i32x4_dot_halves_by_16("),
        ("cortex-m55", 4, 128, "s2s_i32x4_dot_halves_by_16("),
        ("cortex-m55", 8, 64, "s2s_i32x4_dot_i8_by_16("),
        ("cortex-m3", 4, 32, "s2s_i32_shift_right("),
    ],
)
def test_instructions_follow_from_the_entries_of_the_target(target: str, bits: int, block: int, function: str):
    with compile_artifact(product(256, 40, bits, block, "int8"), CompileOptions(target=target)) as artifact:
        assert artifact.verify().passed
        tree = artifact.tree()
        [kernels] = [tree.text(name) for name in tree.files if name.endswith("_kernels.c")]
    assert function in kernels
