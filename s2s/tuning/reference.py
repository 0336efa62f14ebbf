"""Comparison of a candidate's results with those of the tensor interpreter."""

from collections.abc import Sequence

from s2s.compilation import Compilation
from s2s.emit.info import GoldenVector
from s2s.stages.settle import Settled
from s2s.stages.tensor import Scheduled
from s2s.types.dtypes import Array, from_numpy, is_float
from s2s.verify.compare import Tolerance, compare, default_tolerance


def reference_of(compilation: Compilation) -> GoldenVector:
    """Return the inputs of a task and what they must give."""
    return compilation.facts(Settled).golden[0]


def difference(compilation: Compilation, found: Sequence[Array]) -> str | None:
    """Say in what `found` differs from the reference; None if nothing lies beyond the tolerance."""
    allowed = compilation.facts(Scheduled).tolerance
    for number, (expected, array) in enumerate(zip(reference_of(compilation).outputs, found, strict=True)):
        tolerance = default_tolerance(expected.dtype)
        if allowed.scaled and is_float(from_numpy(expected.dtype)):
            tolerance = Tolerance(allowed.relative, allowed.absolute, scaled=True)
        result = compare(expected, array.reshape(expected.shape), tolerance)
        if not result.passed:
            return f"output {number}: {result.beyond} of {expected.size} elements differ"
    return None
