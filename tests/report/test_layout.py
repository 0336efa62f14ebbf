"""A browser shows the page of `s2s report --html` whole on a wide and on a narrow screen, and asks for nothing else."""

import json
import re
import subprocess
from dataclasses import replace
from html import escape, unescape
from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.report.figures import figures_of
from s2s.report.html.page import page
from support.c_compilers import require
from support.project import ROOT

LONG = ";".join(f"model/batch_normalization_{each}/FusedBatchNormV3/ReadVariableOp" for each in range(12))
"""A name as TensorFlow's converter makes it: those of all layers that it fused."""
WIDTHS = (1280, 420)
FRAME = """<iframe srcdoc="{page}" width="{width}" height="2000" style="border: 0"></iframe>"""
"""A screen of its own width: that of a browser's window has a least one."""
MEASURE = """<pre id="measured"></pre><script>
const over = (each) => each.scrollWidth - each.clientWidth;
const measured = (frame) => {
  const view = frame.contentWindow, shown = view.document;
  const tables = [...shown.querySelectorAll(".wide")].filter((each) => each.querySelector("table"));
  return {
    width: view.innerWidth, page: over(shown.documentElement), tables: tables.map(over),
    background: view.getComputedStyle(shown.body).backgroundColor,
    asked: view.performance.getEntriesByType("resource").map((each) => each.name),
  };
};
addEventListener("load", () => {
  const frames = [...document.querySelectorAll("iframe")].map(measured);
  document.getElementById("measured").textContent = JSON.stringify(frames);
});
</script>"""


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
    file = tmp_path / "page.html"
    frames = [FRAME.format(page=escape(text, quote=True), width=width) for width in WIDTHS]
    file.write_text("".join(["<!doctype html><meta charset='utf-8'>", *frames, MEASURE]))
    command = [require("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--blink-settings=preferredColorScheme={scheme}"]
    shown = subprocess.run([*command, file.as_uri()], capture_output=True, text=True, check=True, timeout=120).stdout
    found = re.search(r'<pre id="measured">(.*?)</pre>', shown)
    assert found is not None
    for width, measured in zip(WIDTHS, json.loads(unescape(found[1])), strict=True):
        assert measured["width"] == width
        assert measured["page"] == 0
        assert set(measured["tables"]) == {0}
        assert measured["background"] == background
        assert measured["asked"] == []
