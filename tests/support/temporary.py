"""The folder of the tests' temporary files: in memory, where the machine has one with room.

Nearly every test writes a small tree and removes it, which a disk with a journal makes slower than compiling it.
"""

import os
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
ROOM = 6 << 30
"""Bytes that have to be free: the suite takes up to a sixth of them."""


def use_memory() -> None:
    """Let this process and its children write temporary files in memory, unless TMPDIR names their folder."""
    if "TMPDIR" not in os.environ and has_room(IN_MEMORY):
        os.environ["TMPDIR"] = str(IN_MEMORY)
        tempfile.tempdir = None  # it is looked up again


def has_room(folder: Path) -> bool:
    """Whether programs can be written to a folder and run there, with room for what the suite writes."""
    try:
        facts = os.statvfs(folder)
    except OSError:
        return False
    free = facts.f_bavail * facts.f_frsize
    return free >= ROOM and not facts.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK | os.X_OK)
