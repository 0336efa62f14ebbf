"""Comparison of a candidate's results with the results of the tensor interpreter.

Floats may differ by a part of the largest result: schedules add in different orders, and what a sum loses by that grows
with the terms, not with the sum. Of 262,144 sums of 512 products, about 20 are so near to zero that less than a ten
thousandth of their own size would be too strict.
"""

from collections.abc import Sequence
from dataclasses import replace

from s2s.compilation import Compilation
from s2s.emit.info import GoldenVector
from s2s.stages.settle import Settled
from s2s.types.dtypes import Array
from s2s.verify.compare import compare, default_tolerance


def reference_of(compilation: Compilation) -> GoldenVector:
    """Return the inputs of a task and what they must give."""
    return compilation.facts(Settled).golden[0]


def difference(compilation: Compilation, found: Sequence[Array]) -> str | None:
    """Say in what `found` differs from the reference; None if nothing lies beyond the tolerance."""
    for number, (expected, array) in enumerate(zip(reference_of(compilation).outputs, found, strict=True)):
        tolerance = replace(default_tolerance(expected.dtype), scaled=True)
        result = compare(expected, array.reshape(expected.shape), tolerance)
        if not result.passed:
            return f"output {number}: {result.beyond} of {expected.size} elements differ"
    return None
