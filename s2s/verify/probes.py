"""Choose the smaller sizes at which a network whose sizes vary is read and compared with the greatest ones."""

from collections.abc import Mapping

from xdsl.ir.affine import AffineMap

from s2s.types.sizes import DimSize, ReadingSize, SizeRange, with_derived
from s2s.verify.check_least_sizes import FIRST_COMPARED
from s2s.verify.sizes import Sizes


def probes(sizes: Mapping[str, SizeRange], derived: Mapping[str, AffineMap]) -> list[Sizes]:
    """Return the smaller sizes at which the network is read. Sizes and `derived` ones of 1 are avoided: broadcasting
    looks different, and a window that moves nowhere; at 6 what follows from sizes is found by reading down to 2."""
    high = {name: max(size.most - size.step, 1) for name, size in sizes.items()}
    low = dict(high)
    for name, size in sizes.items():
        first = size.least + FIRST_COMPARED * size.step
        for value in (first, 10, 18, 34, 5, 4, 3, *size.values[1:3]):
            if value in size.values[1:-1] and min(with_derived({**high, name: value}, derived).values()) > 1:
                low[name] = value
                break
    return [low] if low == high else [low, high]


def ending_at(most: int, size: SizeRange) -> DimSize:
    """Return bounds that end at `most`, with a step that divides that of `size`: 16..32:+16 for 32, the least of
    32..640:+32."""
    if most > size.least:
        return SizeRange(size.least, most, step=size.step)
    step = next((step for step in range(size.step, 0, -1) if size.step % step == 0 and step < most), None)
    return ReadingSize(most) if step is None else SizeRange(most - step, most, step=step)
