"""Every command of s2s in README and the pages of how-to is run, with small networks in place of the reader's.

Those that are not are listed, with the tests that run the like.
"""

import re
from pathlib import Path

import pytest

from docs.commands import OURS, run_line
from s2s.cli.opt import main
from support.c_compilers import require
from support.pages import prepare
from support.project import ROOT

pytestmark = pytest.mark.xdist_group("docs")

COMMAND = re.compile(r"^(?:    )?(?:\$ )?(s2s [a-z].*)$", re.MULTILINE)
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md")))
NOT_RUN = {
    r"s2s chat |\.gguf": "wants a language model; tests/frontends/gguf",
    r" decoder\.onnx ": "wants an exported decoder; tests/frontends/caches and tests/testing/test_prefill.py",
    r"s2s farm ": "servers that do not end; tests/farm",
    r"--farm ": "wants a farm; tests/farm",
    r"s2s fuzz ": "takes minutes; tests/fuzz",
    r"s2s reduce ": "wants a model that fails; tests/cli/test_reduce.py",
    r"s2s tune ": "takes minutes; tests/tuning",
    r"s2s records (measure|verify) ": "takes minutes; tests/tuning/test_remeasure.py, test_verification.py",
    r"s2s profile ": "measures for seconds; tests/profiling",
    r"--on serial:": "wants a board; tests/projects runs it with an emulated one",
    r"--html ": "draws for seconds; tests/report",
    r"--external blas": "wants OpenBLAS; tests/external/test_blas.py",
    r"\.pt2|\.py:": "wants torch; tests/frontends/torch/test_files.py",
    r"--time\b": "measures for seconds; tests/report",
}
"""Commands that are not run here, with the reason and the tests that run the like."""


def commands(page: Path) -> list[str]:
    """The commands of a page that can be run."""
    found = COMMAND.findall(page.read_text().replace("\\\n", " "))
    return [each for each in found if "…" not in each and not any(re.search(text, each) for text in NOT_RUN)]


PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    prepare(tmp_path)
    for command in commands(page):
        if "qemu:" in command:
            require("arm-none-eabi-gcc")
            require("qemu-system-arm")
        run_line(command, tmp_path)


def test_the_commands_of_passes_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    found = re.findall(r"^ *s2s-opt (.*)$", "\n".join(page.read_text() for page in PAGES), re.MULTILINE)
    assert found
    for arguments in found:
        main(arguments.split())
        assert "builtin.module" in capsys.readouterr().out


@pytest.mark.parametrize("text", NOT_RUN)
def test_what_is_not_run_is_in_a_page(text: str):
    assert any(re.search(text, each) for page in PAGES for each in COMMAND.findall(page.read_text()))


def test_commands_are_split_from_what_becomes_of_their_output():
    found = OURS.fullmatch("s2s targets cortex-m4 > my_core.toml")
    assert found is not None
    assert (found["arguments"].strip(), found["operator"], found["rest"].strip()) == (
        "targets cortex-m4",
        ">",
        "my_core.toml",
    )
