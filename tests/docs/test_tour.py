"""The tour and README show what the compiler prints."""

import runpy
from collections.abc import Callable

import pytest

from support.project import ROOT


@pytest.mark.parametrize("name", ["docs/tour.md", "README.md"])
def test_page_is_as_the_compiler_prints_it(name: str):
    render: Callable[[str], str] = runpy.run_path(str(ROOT / "docs" / "tour.py"))["render"]
    page = (ROOT / name).read_text()
    assert page == render(page), f"{name} is older than the code: make docs"
