"""Products with weights in blocks on cores without vectors: both halves of a byte are multiplied after one load."""

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
    assert "one block at a time where it is read" in " ".join(kernels.replace("*", "").split())
