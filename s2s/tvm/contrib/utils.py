"""Temporary folders, under TVM's names."""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing

_keeps: ContextVar[bool] = ContextVar("keep_for_debug", default=False)


class TempDirectory:
    """A folder that is removed with the object, unless it is kept for debugging or is a folder of the caller."""

    def __init__(self, custom_path: str | None = None, keep_for_debug: bool | None = None) -> None:
        keeps = _keeps.get() if keep_for_debug is None else keep_for_debug
        self._folder = None if custom_path or keeps else tempfile.TemporaryDirectory(prefix="s2s-")
        if custom_path:
            os.makedirs(custom_path, exist_ok=True)
        self.temp_dir = custom_path or (self._folder.name if self._folder else tempfile.mkdtemp(prefix="s2s-"))
        self.path = Path(self.temp_dir)

    @classmethod
    @contextmanager
    def set_keep_for_debug(cls, set_to: bool = True) -> Generator[None]:
        """Keep the folders that are made inside of the `with` block, or remove them with `set_to=False`."""
        token = _keeps.set(set_to)
        try:
            yield
        finally:
            _keeps.reset(token)

    def __enter__(self) -> "TempDirectory":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __truediv__(self, other: str | Path) -> Path:
        return self.path / other

    def relpath(self, name: str) -> str:
        """Return the path of a file in the folder."""
        return os.path.join(self.temp_dir, name)

    def listdir(self) -> list[str]:
        """Return the names of what is in the folder."""
        return os.listdir(self.temp_dir)

    def remove(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._folder.cleanup()


def tempdir(custom_path: str | None = None, keep_for_debug: bool | None = None) -> TempDirectory:
    """Return a new temporary folder."""
    return TempDirectory(custom_path, keep_for_debug)


def is_source_path(path: str) -> bool:
    """Whether a text is the path of a file, and no source itself: one that exists, or a line with an ending."""
    if "\n" in path:
        return False
    ending = path.rpartition(".")[2] if "." in path else " "
    return Path(path).exists() or ending == ending.strip()


def which(exec_name: str) -> str | None:
    """The path of a program; None where there is none."""
    return shutil.which(exec_name)


__all__ = ["TempDirectory", "is_source_path", "tempdir", "which"]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("contrib.utils")
