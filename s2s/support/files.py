"""Write single files for users: wholly or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from s2s.errors import InputError

_MODE = 0o666
"""Permissions of a new file, before the umask."""


def write_file(path: str | Path, content: str | bytes, place: str | None = None) -> Path:
    """Write `content` to a draft beside `path`, then rename the draft; on failure nothing is left of it.

    What is no regular file, `/dev/stdout` for example, is written directly. `place` begins the message of an error, by
    default the path.
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(Path(os.path.realpath(target)), data)
    except OSError as error:
        raise InputError(f"{place or target}: cannot be written ({error.strerror}); give another file") from error
    return target


def _replace(target: Path, data: bytes) -> None:
    handle, draft = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(draft, target.stat().st_mode & 0o777 if target.exists() else _MODE & ~_umask())
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
