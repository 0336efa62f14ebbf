"""The pages that teach and explain do what they say: their commands run, in order, and print what is shown."""

import shutil
from pathlib import Path

import pytest

from docs.commands import blocks, pages, prepare, run_page
from support.c_compilers import require

pytestmark = pytest.mark.xdist_group("docs")

NEEDS = {
    "board": ("arm-none-eabi-gcc", "qemu-system-arm"),
    "cpp-project": ("cmake", "g++"),
    "kws-cortex-m4": ("arm-none-eabi-gcc", "qemu-system-arm"),
    "from-microtvm": ("arm-none-eabi-gcc", "qemu-system-arm"),
}
"""Tools that a page tells its reader to install."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the networks that the pages use."""
    pytest.importorskip("onnxruntime")
    folder = tmp_path_factory.mktemp("networks")
    prepare(folder)
    return folder


@pytest.mark.sample(8)
@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_and_print_what_it_shows(page: Path, prepared: Path, tmp_path: Path):
    for tool in NEEDS.get(page.stem, ()):
        require(tool)
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    text = page.read_text()
    assert run_page(text, tmp_path) == text, f"{page.name} shows other output: make docs"


def test_the_pages_have_commands():
    found = [block.language for page in pages() for block in blocks(page.read_text())]
    assert found.count("sh") >= 40
    assert found.count("text") >= 9
