"""Show pages in a browser without a screen, and measure whether they fit."""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

from support.c_compilers import require

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


def shown(
    pages: Sequence[str], widths: Sequence[int], scheme: int, folder: Path
) -> Iterator[tuple[int, dict[str, Any]]]:
    """What a browser measures of each page at each width, with the dark (0) or the light (1) colour scheme."""
    file = folder / "page.html"
    sizes = [(page, width) for page in pages for width in widths]
    frames = [FRAME.format(page=escape(page, quote=True), width=width) for page, width in sizes]
    file.write_text("".join(["<!doctype html><meta charset='utf-8'>", *frames, MEASURE]))
    command = [require("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--blink-settings=preferredColorScheme={scheme}"]
    text = subprocess.run([*command, file.as_uri()], capture_output=True, text=True, check=True, timeout=120).stdout
    found = re.search(r'<pre id="measured">(.*?)</pre>', text)
    assert found is not None
    for (_, width), measured in zip(sizes, json.loads(unescape(found[1])), strict=True):
        yield width, measured
