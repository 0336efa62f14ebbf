"""The request of a compilation: options, debugging, findings."""

from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from functools import cached_property
from typing import Any, cast

from s2s.decisions.decision import Table
from s2s.decisions.given import Given
from s2s.decisions.records import choices_of, shipped_records
from s2s.emit.info import GoldenVector, Measured
from s2s.options import CompileOptions
from s2s.support.frozen import frozen


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
        """The decisions that are made before the compiler is asked, by the user or by records."""
        options = self.options
        return Given(options.decisions, _recorded(options), detailed=options.explain, prefer=options.prefer)


def _recorded(options: CompileOptions) -> Table:
    """Return the choices of records: the user's, and the compiler's own for tasks without one of these; none where
    memory is preferred to the time that they have measured."""
    if options.records is None or options.prefer in ("size", "ram"):
        return {}
    target = options.target.name
    given = options.records
    known = {each.task for each in given if each.target == target and each.cost is not None}
    return choices_of([*given, *(each for each in shipped_records(target) if each.task not in known)], target)


def exact_key(value: Any) -> object:
    """Return a key that differs where two values are equal but not the same: `0.0` and `-0.0`, `1` and `True`, a text
    and one of a subclass, mappings in another order."""
    if isinstance(value, float):
        return type(value), value.hex()
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return Mapping, [(exact_key(name), exact_key(each)) for name, each in items]
    if isinstance(value, tuple | list):
        return type(cast(object, value)), [exact_key(each) for each in cast("tuple[object, ...]", value)]
    kind: object = type(cast(object, value))
    if is_dataclass(value) and not isinstance(value, type):
        return kind, [exact_key(getattr(value, each.name)) for each in fields(value)]
    return kind, value
