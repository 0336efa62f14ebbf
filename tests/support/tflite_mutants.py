"""Damages TFLite files, at random and the same way in every run.

Bits are flipped, numbers replaced, pieces moved from elsewhere, ends cut off. Three of four hits go where the structure
is and not among the weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from s2s.frontends.tflite import load_model

LARGE = 64
"""Bytes from which on a buffer counts as weights."""
NUMBERS = (0, 1, 2, 7, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4)


@dataclass(frozen=True)
class Seed:
    """A file that is sound, and where in it the structure lies: pairs of first byte and the one after the last."""

    name: str
    data: bytes
    structure: tuple[tuple[int, int], ...]


def read_seed(path: Path) -> Seed:
    """The file at `path`, with its weights told from the rest."""
    return seed_of(path.name, path.read_bytes())


def seed_of(name: str, data: bytes) -> Seed:
    """A file, with its weights told from the rest."""
    cuts: list[tuple[int, int]] = []
    for buffer in load_model(data).info.buffers:
        if len(buffer) >= LARGE:
            start = data.find(bytes(buffer))
            cuts.append((start, start + len(buffer)))
    structure: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted(cuts):
        if start > at:
            structure.append((at, start))
        at = max(at, end)
    structure.append((at, len(data)))
    return Seed(name, data, tuple(part for part in structure if part[0] < part[1]))


def mutant(seeds: Sequence[Seed], number: int) -> tuple[str, bytes]:
    """The mutant with this number, and the name of the file it was made of."""
    random = Random(number)
    seed = random.choice(seeds)
    damaged = bytearray(seed.data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        _damage(damaged, seed, random)
        if len(damaged) < 16:
            break
    return seed.name, bytes(damaged)


def _damage(data: bytearray, seed: Seed, random: Random) -> None:
    at, kind = min(_place(seed, random), len(data) - 1), random.randrange(8)
    if kind <= 1:
        data[at] ^= 1 << random.randrange(8)
    elif kind == 2:
        data[at] = random.choice((0, 1, 127, 128, 255, random.randrange(256)))
    elif kind <= 4:
        width = random.choice((1, 2, 4, 4, 4, 8))
        number = random.choice((*NUMBERS, random.randrange(2**16), len(data)))
        at -= at % width
        data[at : at + width] = (number % 2 ** (8 * width)).to_bytes(width, "little")
    elif kind == 5:
        source, length = min(_place(seed, random), len(data) - 1), random.choice((4, 8, 16, 64))
        piece = data[source : source + length]
        data[at : at + len(piece)] = piece
    elif kind == 6:
        del data[at : at + random.choice((1, 2, 4, 64))]
    elif random.random() < 0.3:
        del data[at:]
    else:
        data[at:at] = data[at : at + random.choice((1, 4, 16))]


def _place(seed: Seed, random: Random) -> int:
    if random.random() < 0.25:
        return random.randrange(len(seed.data))
    start, end = random.choices(seed.structure, weights=[end - start for start, end in seed.structure])[0]
    return random.randrange(start, end)
