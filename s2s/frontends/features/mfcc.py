"""`mfcc`: the first coefficients of the cosine transform of logarithms of mel bands."""

from typing import ClassVar

from s2s.frontends.builder import Value
from s2s.frontends.features.log_mel import LogMel
from s2s.frontends.features.mel import cosines
from s2s.frontends.features.step import as_array
from s2s.frontends.formulas import matmul
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class Mfcc(LogMel):
    """The first `coefficients` of the orthonormal cosine transform of each frame: `[frames, coefficients]`."""

    name: ClassVar[str] = "mfcc"
    coefficients: int = 10

    @property
    def columns(self) -> int:
        return self.coefficients

    def check(self) -> None:
        super().check()
        if not 1 <= self.coefficients <= self.bins:
            raise self.invalid(f"takes {self.coefficients} of {self.bins} coefficients", "give 1 to bins=")

    def scaled(self, y: Value) -> Value:
        table = y.builder.constant(as_array(cosines(self.bins, self.coefficients)))
        return matmul(super().scaled(y), table)
