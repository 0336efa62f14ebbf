"""Complex tensors, which torch has and the graph has not: two real tensors, the parts."""

from typing import NamedTuple

from s2s.frontends.builder import Value
from s2s.frontends.formulas import cast, concat, reshape, take, unsqueeze
from s2s.frontends.torch.dtypes import Number


class Complex(NamedTuple):
    """A tensor of complex numbers: its parts have one shape and one type of floats."""

    real: Value
    imag: Value

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.real.rank

    def cast(self, dtype: Number) -> "Complex":
        """Return the tensor with parts of another type."""
        return Complex(cast(self.real, dtype), cast(self.imag, dtype))

    def joined(self) -> Value:
        """Return both parts along a new last axis."""
        return concat([unsqueeze(part, [self.rank]) for part in self], self.rank)


def split(x: Value) -> Complex:
    """Return the complex numbers whose parts are the two elements of the last axis of `x`."""
    axis = x.rank - 1
    return Complex(*(reshape(take(x, axis, part, 1), x.shape[:-1]) for part in range(2)))
