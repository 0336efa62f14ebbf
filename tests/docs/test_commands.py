"""The pages that teach and explain do what they say: their commands run, in order, and print what is shown.

They run with the packages that their reader has installed, not with those of the tests.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from docs.commands import ROOT, blocks, extras_of, pages, prepare
from support.bare_environment import bare_environment
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


@pytest.fixture(scope="module")
def interpreters(tmp_path_factory: pytest.TempPathFactory) -> dict[frozenset[str], Path]:
    """The Python of an environment for each set of extras that a page installs."""
    extras = {extras_of(page) for page in pages()}
    return {each: bare_environment(tmp_path_factory.mktemp("environment"), each) for each in extras}


@pytest.mark.sample(8)
@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_and_print_what_it_shows(
    page: Path, prepared: Path, interpreters: dict[frozenset[str], Path], tmp_path: Path
):
    for tool in NEEDS.get(page.stem, ()):
        require(tool)
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    command = [interpreters[extras_of(page)], "-m", "docs.commands", page]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == page.read_text(), f"{page.name} shows other output: make docs"


def test_the_pages_have_commands():
    found = [block.language for page in pages() for block in blocks(page.read_text())]
    assert found.count("sh") >= 40
    assert found.count("text") >= 9
