"""Temporary folders, under TVM's names."""

import os
import tempfile
from pathlib import Path


class TempDirectory:
    """A folder that is removed with the object."""

    def __init__(self, custom_path: str | None = None, keep_for_debug: bool = False) -> None:
        self._folder = None if custom_path else tempfile.TemporaryDirectory(prefix="s2s-")
        if custom_path:
            os.makedirs(custom_path, exist_ok=True)
        self.temp_dir = custom_path or (self._folder.name if self._folder else "")
        self.path = Path(self.temp_dir)

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


def tempdir(custom_path: str | None = None, keep_for_debug: bool = False) -> TempDirectory:
    """Return a new temporary folder."""
    return TempDirectory(custom_path, keep_for_debug)
