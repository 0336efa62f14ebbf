"""A tree is written whole or not at all, and only over a tree of ours."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s.emit.files import write_tree
from s2s.emit.stream import Stream
from s2s.errors import InputError

RECORD = json.dumps({"generator": {"name": "s2s"}, "files": ["include/net.h", "src/net.c"]}).encode()
FILES = {"include/net.h": b"one\n", "src/net.c": b"two\n", "metadata.json": RECORD}


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_tree_is_written(tmp_path: Path) -> None:
    write_tree(FILES, tmp_path / "deep" / "net")
    assert content(tmp_path) == {f"deep/net/{path}": data for path, data in FILES.items()}


def test_an_empty_directory_is_filled(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    write_tree(FILES, tmp_path / "net")
    assert content(tmp_path / "net") == FILES


def test_an_older_tree_is_replaced_with_what_was_built_of_it(tmp_path: Path) -> None:
    write_tree({**FILES, "src/net.c": b"old\n"}, tmp_path / "net")
    for built in ("build", "build-arm"):
        (tmp_path / "net" / built / "src").mkdir(parents=True)
        (tmp_path / "net" / built / "src" / "net.o").write_bytes(b"object")
    write_tree(FILES, tmp_path / "net")
    assert content(tmp_path) == {f"net/{path}": data for path, data in FILES.items()}


def test_a_relative_path_is_taken_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_tree(FILES, Path("net"))
    assert content(tmp_path / "net") == FILES


def test_foreign_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds files and no tree of s2s; choose an empty or a new directory"):
        write_tree(FILES, tmp_path)
    assert content(tmp_path) == {"notes.txt": b"mine"}


def test_a_file_of_the_user_in_a_tree_is_not_lost(tmp_path: Path) -> None:
    write_tree(FILES, tmp_path / "net")
    (tmp_path / "net" / "src" / "mine.c").write_text("mine")
    with pytest.raises(InputError, match=r"src/mine\.c was not written by s2s; move it away"):
        write_tree(FILES, tmp_path / "net")
    assert (tmp_path / "net" / "src" / "mine.c").read_text() == "mine"


def test_a_file_or_a_link_is_no_place_for_a_tree(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        write_tree(FILES, tmp_path / "file")
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(InputError, match="is a symbolic link"):
        write_tree(FILES, tmp_path / "link")
    assert content(tmp_path / "target") == {}


def test_another_programs_record_does_not_count(tmp_path: Path) -> None:
    for record in ("{}", "[]", "not json", '{"generator": {"name": "other"}, "files": []}'):
        (tmp_path / "metadata.json").write_text(record)
        with pytest.raises(InputError, match="no tree of s2s"):
            write_tree(FILES, tmp_path)


@pytest.mark.parametrize("before", [False, True], ids=["new", "replacing"])
def test_an_error_in_the_middle_leaves_everything_as_it_was(tmp_path: Path, before: bool) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    if before:
        write_tree(FILES, tmp_path / "net")
    with pytest.raises(ValueError, match="no more"):
        write_tree({**FILES, "src/weights.bin": Stream(broken)}, tmp_path / "net")
    assert content(tmp_path) == ({f"net/{path}": data for path, data in FILES.items()} if before else {})
    assert list(tmp_path.iterdir()) == ([tmp_path / "net"] if before else [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot write here"):
        write_tree(FILES, tmp_path / "net")


def test_a_parent_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match=r"file/net: cannot write here .*choose another directory"):
        write_tree(FILES, tmp_path / "file" / "net")
