# pyright: reportUnknownMemberType=false
"""A model whose sizes vary is read once: its sizes are symbols, and no other ones are tried."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import nn

from s2s import api
from s2s.frontends import onnx, tflite
from s2s.frontends import torch as programs
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.types.sizes import InputShapes
from support.onnx_text import onnx_model


def network() -> Any:
    """A network of ONNX with an axis that varies."""
    return onnx_model("(float[N, 4] x) => (float[N, 4] y) { r = Round (x) y = Relu (r) }")


def computing() -> Any:
    """A network of ONNX with an axis that varies, and a result whose size the run computes."""
    return onnx_model("(float[N, 4] x) => (int64[2, K] y) { r = Round (x) y = NonZero (r) }")


def micro() -> Any:
    """A network of TFLite, whose result has a size that the run computes."""
    return single("WHERE", [TensorSpec("x", (12, 4), "FLOAT32")], [TensorSpec("y", (48, 2), "INT64")])


def program() -> Any:
    """A program of PyTorch with an axis that varies."""
    dynamic = ({0: torch.export.Dim("N", min=2, max=12)},)
    return programs.export(nn.Linear(4, 3).eval(), [torch.randn(5, 4)], dynamic_shapes=dynamic)


CASES: Mapping[str, tuple[Callable[[], Any], Any, InputShapes, Mapping[str, tuple[int, int]]]] = {
    "onnx": (network, onnx, {}, {"N": (1, 12)}),
    "onnx, computed": (computing, onnx, {}, {"N": (1, 12)}),
    "tflite, computed": (micro, tflite, {"x": ("N", 4)}, {"N": (1, 12)}),
    "torch": (program, programs, {}, {}),
}
VARYING = {"N", "input_dim0"}
"""The names of the axis that varies; torch.export gives its own."""


@pytest.mark.parametrize("name", CASES)
def test_the_importer_runs_once_for_sizes_that_vary(name: str, monkeypatch: pytest.MonkeyPatch):
    """The vector of the self-test of a network that computes sizes is found by the network at a constant N."""
    source, frontend, shapes, dims = CASES[name]
    names, importer = list[list[str]](), frontend.import_model

    def counted(*given: Any, **options: Any) -> Any:
        imported = importer(*given, **options)
        names.append(options["ledger"].names)
        return imported

    monkeypatch.setattr(frontend, "import_model", counted)
    with api.compile(source(), target="c", shapes=shapes, dims=dims):
        assert sum(not VARYING.isdisjoint(each) for each in names) == 1
        assert len(names) == 1 or "computed" in name
