"""Tell GGUF files from others."""

import os
from pathlib import Path
from typing import cast

MAGIC = b"GGUF"
"""The first bytes of a file."""


def is_gguf(source: object) -> bool:
    """Return whether `source` is the path of a GGUF file, by its first bytes or by its name."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(os.fspath(cast("str | os.PathLike[str]", source)))
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC or path.suffix == ".gguf"
