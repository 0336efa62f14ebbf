"""Truth values that lie in memory: their conjunction reads both operands, so that C compilers vectorise it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.api import compile as compile_network
from support.onnx_text import onnx_model


@pytest.mark.parametrize(("kind", "meaning"), [("And", np.logical_and), ("Or", np.logical_or)])
def test_operands_in_memory_are_read_unconditionally(kind: str, meaning: Any, tmp_path: Path):
    model = onnx_model(f"(bool[5, 7] a, bool[5, 7] b) => (bool[5, 7] y) {{ y = {kind}(a, b) }}")
    artifact: Any = compile_network(model, target="c", name="net")
    artifact.write(tmp_path)
    function = (tmp_path / "src" / "net_kernels.c").read_text().partition("\nvoid ")[2]
    assert function
    assert "&&" not in function
    assert "||" not in function
    a, b = np.random.default_rng(0).random((2, 5, 7)) < 0.5
    np.testing.assert_array_equal(next(iter(artifact.run({"a": a, "b": b}).values())), meaning(a, b))
