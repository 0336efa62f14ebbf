"""Single files are written wholly or not at all."""

import errno
import os
from pathlib import Path

import pytest

from s2s.errors import InputError
from s2s.support.files import write_file


def test_a_file_is_written_with_its_folders(tmp_path: Path):
    file = write_file(tmp_path / "a" / "b.txt", "text")
    assert file.read_text() == "text"
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", file]


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = write_file(tmp_path / "b.txt", b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match=r"--out: cannot be written \(No space left on device\); give another file"):
        write_file(file, b"new", "--out")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"old"]


def test_a_link_stays_a_link_to_the_written_file(tmp_path: Path):
    write_file(tmp_path / "b.txt", "old")
    (tmp_path / "link").symlink_to("b.txt")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "b.txt").read_text() == "new"


def test_a_file_keeps_its_permissions(tmp_path: Path):
    file = write_file(tmp_path / "b.txt", "old")
    file.chmod(0o640)
    assert write_file(file, "new").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to():
    assert write_file("/dev/null", "text").exists()
