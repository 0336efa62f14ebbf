"""What a network takes of the memories of a board."""

from collections.abc import Iterator, Mapping
from typing import Any

from s2s.projects import ProjectBoard


def gauge(sizes: Mapping[str, Any], board: ProjectBoard) -> Iterator[tuple[str, int, int]]:
    """Yield each memory with the bytes that the network takes and the bytes that there are.

    `sizes` are the figures of `s2s report`. Flash is left out where it was not measured; emulated boards have no sizes.
    """
    if not board.flash:
        return
    if sizes.get("flash") is not None:
        yield "flash", sizes["flash"], board.flash
    yield "RAM, stack included", sizes["ram"] + (sizes.get("stack") or 0), board.ram
