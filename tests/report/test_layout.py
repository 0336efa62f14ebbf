"""A browser shows the page of `s2s report --html` whole on a wide and on a narrow screen, and asks for nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.report.figures import figures_of
from s2s.report.html.page import page
from support.browser import WIDTHS, shown
from support.project import ROOT

LONG = ";".join(f"model/batch_normalization_{each}/FusedBatchNormV3/ReadVariableOp" for each in range(12))
"""A name as TensorFlow's converter makes it: those of all layers that it fused."""


@pytest.fixture(scope="module")
def text() -> str:
    """Return the page of a network with integers, one of whose constants and layers has a very long name."""
    model = ROOT.parent / "shared" / "models" / "mlperf_tiny" / "vww_96_int8.tflite"
    found = figures_of(compile_network(model if model.exists() else ROOT / "examples/digits/digits.onnx", target="c"))
    (_, largest), *rest = found.constants
    first, *layers = found.layers
    named = replace(found, constants=((LONG, largest), *rest), layers=(replace(first, nodes=LONG), *layers))
    return page(named)


@pytest.mark.parametrize(("scheme", "background"), [(1, "rgb(255, 255, 255)"), (0, "rgb(22, 25, 28)")])
def test_a_browser_shows_every_table_whole(scheme: int, background: str, text: str, tmp_path: Path):
    for width, measured in shown([text], WIDTHS, scheme, tmp_path):
        assert measured["width"] == width
        assert measured["page"] == 0
        assert set(measured["tables"]) == {0}
        assert measured["background"] == background
        assert measured["asked"] == []
