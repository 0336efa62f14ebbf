"""Contents of files: bytes at hand, or bytes that are made while they are written, however many they are."""

from collections.abc import Callable, Iterator

from s2s.support.dataclass import dataclass


@dataclass(frozen=True)
class Stream:
    """A file made piece by piece; it can be made again and again, with the same bytes."""

    chunks: Callable[[], Iterator[bytes]]

    def __iter__(self) -> Iterator[bytes]:
        return self.chunks()


Content = bytes | Stream
"""What a file holds."""


def pieces(content: Content) -> Iterator[bytes]:
    """Yield the bytes of a file, in order."""
    if isinstance(content, bytes):
        yield content
    else:
        yield from content
