"""Contents of files: bytes in memory, or a stream of pieces that are created while they are written."""

from collections.abc import Callable, Iterator

from s2s.support.frozen import frozen


@frozen
class Stream:
    """A file that is created piece by piece; every iteration gives the same bytes."""

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
