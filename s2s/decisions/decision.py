"""The record of one decision: subject, choice, by whom and why, and the alternatives."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from s2s.decisions.names import Prefer

By = Literal["user", "record", "model"]
"""Who chose: the user, a record of a measurement, or the compiler's own cost models and rules."""

Table = Mapping[str, Mapping[str, str]]
"""Choices by kind and subject, as texts."""


class Cost(NamedTuple):
    """The estimated cost of an alternative; None for figures that are not known."""

    cycles: float | None = None
    """Of one core, for one run of the subject."""
    ram: int | None = None
    """Bytes."""
    flash: int | None = None
    """Bytes."""

    def as_dict(self) -> dict[str, float | int]:
        """Return the known figures."""
        figures = {"cycles": self.cycles, "ram": self.ram, "flash": self.flash}
        return {name: value for name, value in figures.items() if value is not None}

    def preferred(self, prefer: Prefer) -> tuple[float, float]:
        """Return the figure that `prefer` names, none as 0, and then the cycles, to compare alternatives by."""
        cycles = self.cycles or 0.0
        return {"time": cycles, "size": self.flash or 0, "ram": self.ram or 0}[prefer], cycles

    def describe(self) -> str:
        """Describe the figures in words."""
        units = {"cycles": "cycles", "ram": "bytes of RAM", "flash": "bytes of flash"}
        return ", ".join(f"{value:,.0f} {units[name]}" for name, value in self.as_dict().items())


class Alternative(NamedTuple):
    """A candidate of a decision as it is recorded."""

    note: str
    """The candidate in words."""
    choice: str | None = None
    """What to write into a file of decisions to have it; None where nobody asked for the text."""
    cost: Cost | None = None
    refused: str | None = None
    """Why it is no legal choice; None for one that is."""

    def as_dict(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        entry: dict[str, Any] = {"note": self.note}
        if self.choice is not None:
            entry["choice"] = self.choice
        if self.cost is not None:
            entry["cost"] = self.cost.as_dict()
        if self.refused is not None:
            entry["refused"] = self.refused
        return entry


class Decision(NamedTuple):
    """A choice that the compiler made."""

    kind: str
    """What was chosen: `schedule`, `layout`, …"""
    subject: str
    """What it was chosen for: a task key for a kernel, else a name."""
    chosen: str
    by: By
    why: str
    about: str = ""
    """The subject for people: the kernel's name, for one."""
    nodes: str = ""
    """The nodes of the model that it computes, for equal layers the nodes of all."""
    candidates: tuple[Alternative, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {**self.entry(), "candidates": [each.as_dict() for each in self.candidates]}

    def entry(self) -> dict[str, str]:
        """Return the decision without its candidates, as a file of decisions states it."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "chosen": self.chosen,
            "by": self.by,
            "why": self.why,
            "about": self.about,
            "nodes": self.nodes,
        }

    def concerns(self, layer: str) -> bool:
        """Return whether `layer` names its subject, its kernel, or one of its nodes."""
        return layer in (self.subject, self.about, self.about.partition(" ")[0], *self.nodes.split(", "))
