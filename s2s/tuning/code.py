"""A hash of the C that a candidate is compiled to: schedules that are lowered alike have equal ones."""

import hashlib
import re
from pathlib import Path

from s2s.decisions.keys import DIGITS

_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
"""Comments tell the schedule, so they differ where the code does not. No text of the C holds one."""
SOURCES = ("*.c", "*.h", "*.bin")


def code_of(tree: Path) -> str:
    """Return the hash of a tree's network: its sources without comments, its header and its constants."""
    digest = hashlib.sha256()
    for folder in (tree / "src", tree / "include"):
        for path in sorted(each for pattern in SOURCES for each in folder.glob(pattern)):
            digest.update(path.name.encode())
            digest.update(_COMMENT.sub(b"", path.read_bytes()) if path.suffix != ".bin" else path.read_bytes())
    return digest.hexdigest()[:DIGITS]
