"""The generated pages of docs/reference/ say what the code says."""

import importlib.util
import os
import runpy
from collections.abc import Callable

import pytest

from support.c_compilers import EVERYTHING
from support.project import ROOT

PAGES: dict[str, Callable[[], str]] = runpy.run_path(str(ROOT / "docs" / "generate.py"))["PAGES"]


@pytest.mark.parametrize("file", PAGES)
def test_page_is_as_generated(file: str):
    if file == "pytorch.md" and importlib.util.find_spec("torch") is None and not os.environ.get(EVERYTHING):
        pytest.skip("torch is not installed; pip install torch")
    written = (ROOT / "docs" / "reference" / file).read_text()
    assert written == PAGES[file](), f"docs/reference/{file} is older than the code: make docs"
