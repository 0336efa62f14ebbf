"""The documents build as a site without a warning, and every page of them is in its navigation."""

import subprocess
import sys
from pathlib import Path

from support.project import ROOT


def test_the_site_builds_without_warnings(tmp_path: Path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "start" / "host" / "index.html").is_file()


def test_the_site_loads_nothing_from_outside(tmp_path: Path):
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    page = (tmp_path / "site" / "index.html").read_text()
    for part in ('src="http', "src='http", 'rel="stylesheet" href="http', "fonts.googleapis", "fonts.gstatic"):
        assert part not in page
