"""The suite writes its temporary files in memory, only where there is a folder that holds programs, and room."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from support import temporary


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Free bytes and flags of every folder, which a test may change."""
    known = [temporary.ROOM, 0]

    class Facts:
        f_frsize = 1

        def __init__(self, folder: Path) -> None:
            pass

        @property
        def f_bavail(self) -> int:
            return known[0]

        @property
        def f_flag(self) -> int:
            return known[1]

    monkeypatch.setattr(os, "statvfs", Facts)
    return known


def test_a_folder_with_room_is_taken(facts: list[int], tmp_path: Path) -> None:
    """A folder that programs may be run in, with the room that the suite wants."""
    assert temporary.has_room(tmp_path)
    facts[0] -= 1
    assert not temporary.has_room(tmp_path)


def test_a_folder_that_runs_no_programs_is_left(facts: list[int], tmp_path: Path) -> None:
    """Containers often mount the folder without leave to execute; shared libraries could not be loaded."""
    facts[1] = os.ST_NOEXEC
    assert not temporary.has_room(tmp_path)


def test_a_missing_folder_is_left(tmp_path: Path) -> None:
    """Some systems have no such folder."""
    assert not temporary.has_room(tmp_path / "missing")


def test_the_users_folder_comes_first(monkeypatch: pytest.MonkeyPatch, facts: Any, tmp_path: Path) -> None:
    """TMPDIR says where the user wants temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    temporary.use_memory()
    assert os.environ["TMPDIR"] == str(tmp_path)


def test_temporary_files_are_in_memory(monkeypatch: pytest.MonkeyPatch, facts: Any, tmp_path: Path) -> None:
    """Without TMPDIR the folder in memory is used, by this process and by the processes that it starts."""
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(temporary, "IN_MEMORY", tmp_path)
    temporary.use_memory()
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(tmp_path)
