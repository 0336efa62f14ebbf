"""Read the size of a dimension as `--dim` writes it: `128`, `1..128`, `32..640:+32`, `32..640:+32,128,256`."""

import re

from s2s.types.sizes import DimSize, SizeRange

_SIZE = re.compile(r"(\d+)(?:\.\.(\d+)(?::(.+))?)?", re.ASCII)
_FURTHER = re.compile(r"(?:\+(\d+)(?:,(?=.)|$))?(\d+(?:,\d+)*)?", re.ASCII)


def parse_size(text: str) -> DimSize | None:
    """Return the size that `text` states; None if it has another form."""
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    least, most, rest = found.groups()
    if most is None:
        return int(least)
    further = _FURTHER.fullmatch(rest or "")
    if further is None:
        return None
    step, special = further[1] or "1", further[2] or ""
    return SizeRange(int(least), int(most), tuple(map(int, filter(None, special.split(",")))), int(step))
