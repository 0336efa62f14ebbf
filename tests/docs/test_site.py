"""The documents build as a site without a warning, and every page of them is in its navigation."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.project import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built strictly."""
    folder = tmp_path_factory.mktemp("site")
    # Not --quiet: it drops warnings before --strict counts them.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.xdist_group("site")
def test_every_kind_of_page_is_there(site: Path):
    for page in ("start/host", "tutorials/kws-cortex-m4", "explanation/layout", "how-to/tune", "reference/cli"):
        assert (site / page / "index.html").is_file()


@pytest.mark.xdist_group("site")
def test_the_site_loads_nothing_from_outside(site: Path):
    page = (site / "index.html").read_text()
    for part in ('src="http', "src='http", 'rel="stylesheet" href="http', "fonts.googleapis", "fonts.gstatic"):
        assert part not in page
