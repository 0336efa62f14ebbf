"""Names that programs give twice."""

from collections.abc import Sequence


def distinct(names: Sequence[str]) -> list[str]:
    """The names, of which a later one that equals an earlier one gets a number: `x`, `x_1`."""
    taken, unique = set(names), list[str]()
    for name in names:
        number, chosen = 0, name
        while chosen in unique or (number and chosen in taken):
            number += 1
            chosen = f"{name}_{number}"
        unique.append(chosen)
    return unique
