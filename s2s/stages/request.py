"""The request of a compilation: options, debugging, findings."""

from dataclasses import field
from functools import cached_property

from s2s.decisions.decision import Table
from s2s.decisions.given import Given
from s2s.decisions.records import choices_of, shipped_records
from s2s.emit.info import GoldenVector, Measured
from s2s.options import CompileOptions
from s2s.support.frozen import frozen
from s2s.targets import get_target


@frozen
class Findings:
    """Facts about a network that are found outside of its compilation, for its tree to state."""

    extra_operations: float | None = None
    """What a budget of RAM costs, as a part of the operations carried out without it."""
    measured: Measured | None = None
    """What a C compiler for the target makes of the tree."""
    golden: tuple[GoldenVector, ...] | None = None
    """The vectors of the self-test, where stage `settle` cannot compute them: sizes depend on the data."""


@frozen
class Request:
    """Everything beside the model that the result depends on."""

    options: CompileOptions = field(default_factory=CompileOptions)
    findings: Findings = field(default_factory=Findings)

    @cached_property
    def given(self) -> Given:
        """The decisions that are made before the compiler is asked: those of the user and of records."""
        return Given(user=self.options.decisions, records=_recorded(self.options), detailed=self.options.explain)


def _recorded(options: CompileOptions) -> Table:
    """Return the choices of records: the user's, and the compiler's own for tasks without one of these."""
    if options.records is None:
        return {}
    target = get_target(options.target).name
    given = options.records
    known = {each.task for each in given if each.target == target and each.cost is not None}
    return choices_of([*given, *(each for each in shipped_records(target) if each.task not in known)], target)
