"""Read the bytes of model files."""

from pathlib import Path

from s2s.errors import InputError

MAX_BYTES = 2**31 - 1
"""Neither Protocol Buffers nor FlatBuffers read a longer file; larger models keep their weights beside them."""


def read_model_file(path: Path, wanted: str, smaller: str) -> bytes:
    """Return the bytes of a file; `wanted` names what is expected, `smaller` the way out for a file over 2 GiB."""
    try:
        size = path.stat().st_size
        if path.is_file() and size <= MAX_BYTES:
            return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give the path of {wanted}") from None
    if not path.is_file():
        raise InputError(f"{path}: is not a file; give the path of {wanted}")
    raise InputError(f"{path}: {size} bytes are over 2 GiB; {smaller}")
