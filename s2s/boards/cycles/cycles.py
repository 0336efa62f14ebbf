"""A number of cycles with the range that a manual leaves open."""

from s2s.support.frozen import frozen


@frozen
class Cycles:
    """Cycles by the model, and the bounds between which the manual leaves them."""

    count: int = 0
    least: int = 0
    most: int = 0

    def __add__(self, other: "Cycles") -> "Cycles":
        return Cycles(self.count + other.count, self.least + other.least, self.most + other.most)

    def __sub__(self, other: "Cycles") -> "Cycles":
        return Cycles(self.count - other.count, self.least - other.least, self.most - other.most)

    def __mul__(self, times: int) -> "Cycles":
        return Cycles(self.count * times, self.least * times, self.most * times)


def exactly(count: int) -> Cycles:
    """Return a number of cycles that leaves nothing open."""
    return Cycles(count, count, count)


__all__ = ["Cycles", "exactly"]
