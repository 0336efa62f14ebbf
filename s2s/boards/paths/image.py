"""The bytes of a linked program by address, from its file in ELF format of 32 bits, little-endian.

The headers are in "Tool Interface Standard (TIS) Executable and Linking Format", version 1.2, figures 1-3 and 2-1.
"""

import struct
from collections.abc import Sequence
from pathlib import Path

from s2s.errors import InputError
from s2s.support.frozen import frozen

_MAGIC = b"\x7fELF\x01\x01"
_TABLE = struct.Struct("<28xI10xHH")
"""Of the header: offset, entry size and number of the program headers."""
_SEGMENT = struct.Struct("<IIIII")
"""Of a program header: type, offset in the file, address, physical address, bytes in the file."""
_LOADED = 1


@frozen
class Image:
    """What a program has in memory before it starts."""

    segments: Sequence[tuple[int, bytes]] = ()
    """Address and bytes."""

    def read(self, address: int, size: int) -> bytes | None:
        """Return bytes from an address on; None if the program has none there."""
        for first, content in self.segments:
            if first <= address and address + size <= first + len(content):
                return content[address - first : address - first + size]
        return None

    def word(self, address: int) -> int | None:
        """Return the word of 32 bits at an address; None if the program has none there."""
        content = self.read(address, 4)
        return None if content is None else int.from_bytes(content, "little")


def read_image(program: Path) -> Image:
    """Read the segments of a program that are loaded."""
    content = program.read_bytes()
    if not content.startswith(_MAGIC):
        raise InputError(f"{program}: is no program in ELF format of 32 bits; give one")
    first, size, count = _TABLE.unpack_from(content)
    headers = [_SEGMENT.unpack_from(content, first + number * size) for number in range(count)]
    return Image(tuple((place, content[at : at + length]) for kind, at, place, _, length in headers if kind == _LOADED))


__all__ = ["Image", "read_image"]
