"""What a compilation is asked for."""

from dataclasses import dataclass, field

from s2s.emit.info import Measured
from s2s.options import CompileOptions


@dataclass(frozen=True)
class Findings:
    """What is found out about a network beside its compilation, for its tree to tell."""

    extra_operations: float | None = None
    """What a budget of RAM costs, as a part of the operations carried out without it."""
    measured: Measured | None = None
    """What a C compiler for the target makes of the tree."""


@dataclass(frozen=True)
class Request:
    """Everything beside the model that the result depends on."""

    options: CompileOptions = field(default_factory=CompileOptions)
    findings: Findings = field(default_factory=Findings)
