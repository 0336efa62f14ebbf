"""Programs that s2s runs: C compilers and others, which may say anything."""

from pathlib import Path

import pytest

import s2s
from s2s.errors import ToolchainError
from s2s.verify.toolchain import run_program


def test_output_that_is_no_utf8_is_read():
    assert run_program(["sh", "-c", r"printf 'caf\351'"]) == "caf�"


def test_an_error_whose_text_is_no_utf8_is_shown():
    with pytest.raises(ToolchainError, match="caf�"):
        run_program(["sh", "-c", r"printf 'caf\351' >&2; exit 1"])


def test_no_program_is_run_whose_output_must_be_utf8():
    """`text=True` decodes strictly, by the locale."""
    files = Path(str(s2s.__file__)).parent.rglob("*.py")
    assert [file.name for file in files if "text=True" in file.read_text("utf-8")] == []
