"""Damaged TFLite files: each is imported, or refused with one clear message, in bounded time and memory.

    python -m benchmarks.fuzz_tflite [--cases 3000] [--seed 0] [--models FOLDER] [--limit 10]

Mutants of the files in FOLDER are the same in every run: bits flipped, numbers replaced, pieces moved from elsewhere,
ends cut off. Three of four hits go where the structure is and not among the weights. What is imported is verified.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model, load_model

MODELS = Path(__file__).parents[2] / "shared" / "models" / "mlperf_tiny"
LARGE = 64
"""Bytes from which on a buffer counts as weights."""
NUMBERS = (0, 1, 2, 7, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4)


@dataclass(frozen=True)
class Seed:
    """A file that is sound, and where in it the structure lies: pairs of first byte and the one after the last."""

    name: str
    data: bytes
    structure: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    accepted: bool
    seconds: float
    complaint: str
    """What is wrong with how the compiler took it; empty when all is well."""


def read_seed(path: Path) -> Seed:
    """The file at `path`, with its weights told from the rest."""
    data = path.read_bytes()
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
    return Seed(path.name, data, tuple(part for part in structure if part[0] < part[1]))


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


def judge(data: bytes, limit: float) -> Outcome:
    """Import `data`; it may succeed or raise an error of the kinds that users see, of lines of a clear form."""
    began = time.perf_counter()
    accepted, complaint, lines = False, "", list[str]()
    try:
        import_model(data)
        accepted = True
    except (InputError, UnsupportedError) as error:
        lines = str(error).split("\n")
    except Exception as error:
        complaint = f"{type(error).__name__}: {str(error)[:200]}"
    seconds = time.perf_counter() - began
    for line in lines:
        if not line.isprintable() or ": " not in line or ";" not in line:
            complaint = f"unclear message: {line[:200]!r}"
    if seconds > limit:
        complaint = complaint or f"took {seconds:.1f} s"
    return Outcome(accepted, seconds, complaint)


def run(seeds: Sequence[Seed], numbers: Sequence[int], limit: float) -> Iterator[tuple[int, str, Outcome]]:
    """What becomes of each mutant."""
    for number in numbers:
        name, data = mutant(seeds, number)
        yield number, name, judge(data, limit)


def main() -> int:
    """Run as many cases as the command line asks for; 1 if one of them is not taken well."""
    parser = argparse.ArgumentParser(description="damaged TFLite files")
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of sound .tflite files")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds that one mutant may take")
    options = parser.parse_args()
    seeds = [read_seed(path) for path in sorted(options.models.glob("*.tflite"))]
    if not seeds:
        print(f"{options.models}: holds no .tflite files; give a folder with --models", file=sys.stderr)
        return 2
    counts, slowest = Counter[str](), 0.0
    for number, name, outcome in run(seeds, range(options.seed, options.seed + options.cases), options.limit):
        counts["wrong" if outcome.complaint else "imported" if outcome.accepted else "refused"] += 1
        slowest = max(slowest, outcome.seconds)
        if outcome.complaint:
            print(f"mutant {number} of {name}: {outcome.complaint}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) + f"; slowest {slowest:.2f} s")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
