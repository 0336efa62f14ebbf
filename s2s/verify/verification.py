"""Compare the outputs of a network with the expected ones, under tolerances."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.stages.read import Read
from s2s.stages.settle import Settled
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.verify.compare import Comparison, Tolerance, compare, default_tolerance
from s2s.verify.expected import Expected
from s2s.verify.levels import LevelsReport
from s2s.verify.steps import ALLOWED, StepCount, compare_in_steps

if TYPE_CHECKING:
    from s2s.verify.tie_spread import TieSpread


@frozen
class OutputResult:
    """The comparison of an output with the expected one, for the worst vector."""

    comparison: Comparison
    tolerance: str
    """The tolerance and its source."""
    steps: StepCount | None = None
    """The difference of a quantised output, in quantisation steps."""

    def as_dict(self) -> dict[str, Any]:
        """Its figures for JSON."""
        steps = {} if self.steps is None else {"steps": asdict(self.steps)}
        return {**asdict(self.comparison), "tolerance": self.tolerance, **steps}

    def is_worse_than(self, other: "OutputResult | None") -> bool:
        """Return whether this result shows a larger error than `other`."""
        if other is None:
            return True
        mine, theirs = self.comparison, other.comparison
        return (mine.beyond, mine.max_abs_error) > (theirs.beyond, theirs.max_abs_error)


@frozen
class Limits:
    """The tolerance that the user asks for; None means the default."""

    rtol: float | None = None
    atol: float | None = None

    def __post_init__(self) -> None:
        for option, given in (("rtol", self.rtol), ("atol", self.atol)):
            if given is not None and not given >= 0:
                raise InputError(f"--{option} {given}: is no tolerance; give 0 or more")

    @property
    def are_given(self) -> bool:
        """Return whether the user gave one of the two."""
        return self.rtol is not None or self.atol is not None


@frozen
class Verification:
    """How emitted C compares with an engine or golden vectors, output by output, and the levels with each other."""

    against: str
    """The engine and its version, or the file."""
    inputs: str
    """How many sets there were, and where they are from."""
    vectors: int
    outputs: Mapping[str, OutputResult]
    bit_exact: bool
    levels: LevelsReport | None = None
    self_check: bool = False
    """Whether it was compared with s2s's own interpreter only, and with no other engine."""

    @property
    def passed(self) -> bool:
        """Whether everything that was compared agrees."""
        return all(each.comparison.passed for each in self.outputs.values()) and (
            self.levels is None or self.levels.passed
        )

    @property
    def steps(self) -> dict[str, StepCount]:
        """The steps that quantised outputs differ by, where the other engine computes in floats."""
        return {name: each.steps for name, each in self.outputs.items() if each.steps is not None}

    def as_dict(self) -> dict[str, Any]:
        """The result for JSON."""
        levels = {} if self.levels is None else {"levels": [asdict(level) for level in self.levels.levels]}
        return {
            "passed": self.passed,
            "bit_exact": self.bit_exact,
            "self_check": self.self_check,
            "against": self.against,
            "inputs": self.inputs,
            "vectors": self.vectors,
            "outputs": {name: each.as_dict() for name, each in self.outputs.items()},
            **levels,
        }

    def describe(self) -> dict[str, str]:
        """The result in named lines, for people."""
        how = ", bit for bit" if self.bit_exact else ""
        how += ", but compared with s2s itself only" if self.self_check else ""
        lines = {
            "passed": f"{self.passed}{how}",
            "against": self.against,
            "inputs": self.inputs,
        }
        for name, each in self.outputs.items():
            lines[f"output {name}"] = each.comparison.describe()
            if each.steps is not None:
                lines[f"output {name} in steps"] = each.steps.describe()
            lines[f"output {name} may differ by"] = each.tolerance
        for level in self.levels.levels if self.levels is not None else ():
            lines[f"level {level.level}"] = level.describe().removeprefix(f"{level.level}: ")
        return lines


@frozen
class Judge:
    """Compares the outputs of one network with the expected ones."""

    compilation: Compilation
    limits: Limits = field(default_factory=Limits)

    def judge(
        self, expected: Expected, found: Sequence[Sequence[Array]], levels: LevelsReport | None = None
    ) -> Verification:
        """Compare all vectors and return the worst result of each output; `found` holds the outputs of each vector."""
        worst: dict[str, OutputResult] = {}
        exact = True
        in_floats = expected.in_floats
        for (inputs, wanted), given in zip(expected.vectors, found, strict=True):
            results = [self._compare(*each, in_floats=in_floats) for each in enumerate(zip(wanted, given, strict=True))]
            spread = None if all(each.comparison.passed for each in results) else self._spread(expected, inputs)
            if spread is not None:
                results = [
                    self._compare(number, pair, in_floats=in_floats, spread=spread)
                    for number, pair in enumerate(zip(wanted, given, strict=True))
                ]
            exact = exact and all(a.tobytes() == b.tobytes() for a, b in zip(wanted, given, strict=True))
            for port, result in zip(self.compilation.facts(Read).outputs, results, strict=True):
                if result.is_worse_than(worst.get(port.name)):
                    worst[port.name] = result
        return Verification(expected.by, expected.inputs, len(expected.vectors), worst, exact, levels, expected.is_own)

    def _spread(self, expected: Expected, inputs: Sequence[Array]) -> "TieSpread | None":
        """Return how far float errors alone may move the outputs of a quantised network by the way values are rounded;
        None for other networks, for later runs of a stream, and where the user gave a tolerance."""
        if not expected.in_floats or expected.consecutive or self.limits.are_given:
            return None
        if not self.compilation.facts(Settled).sums:
            return None
        from s2s.verify.tie_spread import tie_spread

        return tie_spread(self.compilation, inputs)

    def _compare(
        self, number: int, pair: tuple[Array, Array], *, in_floats: bool, spread: "TieSpread | None" = None
    ) -> OutputResult:
        (expected, found), step = pair, self._step(number) if in_floats else None
        apart = None if spread is None else spread.outputs[number].reshape(expected.shape)
        added = "" if spread is None or apart is None else _added(spread.values, apart)
        if step is not None and self.limits.rtol is None:
            comparison, count = compare_in_steps(expected, found, step, self.limits.atol, apart)
            why = f"{ALLOWED} step of its quantisation, {step:.6g}: sums in floats may round to either neighbour"
            why = why + added if self.limits.atol is None else self._given(expected, number)
            return OutputResult(comparison, why, count)
        tolerance = replace(self._tolerance(expected.dtype, number), apart=apart)
        return OutputResult(compare(expected, found, tolerance), self._reason(expected.dtype, tolerance) + added)

    def _step(self, number: int) -> float | None:
        """Return the quantisation step of an output of integer layers."""
        settled = self.compilation.facts(Settled)
        step = settled.steps[number] if number < len(settled.steps) else None
        return step if settled.sums or step != 1 else None

    def _tolerance(self, dtype: "np.dtype[Any]", number: int) -> Tolerance:
        usual, limits = default_tolerance(dtype), self.limits
        if not limits.are_given:
            errors = self.compilation.facts(Settled).rounding_errors
            least = errors[number] if number < len(errors) and errors[number] > usual.atol else 0.0
            return replace(usual, scaled=self.compilation.info.tolerance.scaled, least=least)
        return Tolerance(
            usual.rtol if limits.rtol is None else limits.rtol, usual.atol if limits.atol is None else limits.atol
        )

    def _reason(self, dtype: "np.dtype[Any]", tolerance: Tolerance) -> str:
        if default_tolerance(dtype) == Tolerance(0, 0):
            return "nothing: integers have to be equal"
        if self.limits.are_given:
            return f"{tolerance.describe()}: as --rtol and --atol say"
        if tolerance.least:
            return f"{tolerance.describe()}: what roundings of floats do to it, as runs with noise show"
        if tolerance.scaled:
            return (
                f"{tolerance.describe()}: the usual for {dtype}, in units of the largest output, as convolutions are"
                " transformed (--exact keeps them)"
            )
        return f"{tolerance.describe()}: the usual for {dtype}, for sums in another order and another libm"

    def _given(self, expected: Array, number: int) -> str:
        return f"{self._tolerance(expected.dtype, number).describe()}: as --rtol and --atol say"


def _added(values: int, apart: Array) -> str:
    """Say what values near a tie add to the tolerance."""
    are = "value lies" if values == 1 else "values lie"
    most = float(apart.max(initial=0.0))
    return f"; and by up to {most:.3g}, as {values} {are} so near the middle between two steps that rounding decides"
