"""`normalise`: numbers less a mean, divided by a deviation."""

from typing import ClassVar

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.features.step import F32, U8, PreStep, Shape, States, as_array
from s2s.frontends.formulas import cast, reshape
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class Normalise(PreStep):
    """`(x - mean) / std`: one number of each for all elements, or one for each channel, which is the last axis."""

    name: ClassVar[str] = "normalise"
    by_rows: ClassVar[bool] = True
    dtype: ClassVar[np.dtype[np.generic]] = U8
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)

    def check(self) -> None:
        if not all(deviation > 0 for deviation in self.std):
            raise self.invalid("divides by a number that is not above 0", "give std= of what the network learned on")

    def taken(self, wanted: Shape) -> Shape:
        counts = {len(self.mean), len(self.std)} - {1}
        if counts and (len(counts) > 1 or wanted[-1:] != tuple(counts)):
            raise self.invalid(
                f"has {len(self.mean)} means and {len(self.std)} deviations, and {list(wanted)} is wanted",
                "give one of each, or one for each element of the last axis",
            )
        return wanted

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        means, deviations = (x.builder.constant(as_array(numbers)) for numbers in (self.mean, self.std))
        y = reshape(cast(x, F32), wanted)
        return (y - means if any(self.mean) else y) / deviations
