"""Give the arenas of several networks their places in one piece of memory.

Networks that run one after the other, and keep nothing from run to run, use the same bytes: these take as much as the
largest of them. A network that keeps state has bytes of its own, and so has each one where all may run at once.
Networks that go on with each other's state begin at the same byte.
"""

from collections.abc import Sequence

from s2s.memory.buffers import align_up
from s2s.support.frozen import frozen


@frozen
class Arena:
    """The arena of one network, in bytes."""

    size: int
    align: int
    keeps_state: bool = False


@frozen
class Regions:
    """Places of arenas in one piece of memory."""

    offsets: tuple[int, ...]
    size: int
    align: int


def place_arenas(arenas: Sequence[Arena], *, concurrent: bool = False, share_state: bool = False) -> Regions:
    """Return the offset of each arena.

    Of 100, 60 and 30 bytes, aligned to 8, the last of which keep state, the first two begin at 0 and the last one at
    104, the first multiple of 8 behind 100; with `concurrent` they begin at 0, 104 and 168. With `share_state` those
    that keep state are one piece of memory, as large as the largest of them.
    """
    if share_state:
        kept = [arena for arena in arenas if arena.keeps_state]
        one = Arena(max(arena.size for arena in kept), max(arena.align for arena in kept), keeps_state=True)
        placed = place_arenas([*(arena for arena in arenas if not arena.keeps_state), one])
        others = iter(placed.offsets)
        found = (placed.offsets[-1] if arena.keeps_state else next(others) for arena in arenas)
        return Regions(tuple(found), placed.size, placed.align)
    apart = [concurrent or arena.keeps_state for arena in arenas]
    end = max((arena.size for arena, alone in zip(arenas, apart, strict=True) if not alone), default=0)
    offsets: list[int] = []
    for arena, alone in zip(arenas, apart, strict=True):
        if not alone:
            offsets.append(0)
            continue
        offsets.append(align_up(end, arena.align))
        end = offsets[-1] + arena.size
    return Regions(tuple(offsets), end, max(arena.align for arena in arenas))
