"""The decisions that a compilation is given beforehand."""

from dataclasses import field

from s2s.decisions.decision import Table
from s2s.decisions.names import Prefer
from s2s.support.frozen import frozen


def _nothing() -> Table:
    return {}


class Modelled(str):
    """A choice that the compiler's own models had made when the decisions were written."""


class Measured(str):
    """A choice that a record had made when the decisions were written."""


@frozen
class Given:
    """Choices of the user and of records, by kind and subject."""

    user: Table = field(default_factory=_nothing)
    """Obeyed, or refused if they are not legal."""
    records: Table = field(default_factory=_nothing)
    """What measurements found best: taken where it is legal."""
    detailed: bool = False
    """Record every alternative as a text with its cost, not only the compared ones."""
    kinds: tuple[str, ...] | None = None
    """The kinds of decisions that may be made; None: all."""
    prefer: Prefer | None = None
    """The figure by which alternatives that trade memory for time are ranked; None: by the rules of their kinds."""

    def of(self, kinds: tuple[str, ...]) -> "Given":
        """Return the choices of these kinds, for passes that decide nothing else."""
        user, records = ({kind: t[kind] for kind in kinds if kind in t} for t in (self.user, self.records))
        return Given(user, records, self.detailed, kinds, self.prefer)


def look_up(table: Table, kind: str, subject: str, occurrence: int) -> tuple[str, str] | None:
    """Return the entry for the `occurrence`-th decision about `subject`, and its name: `key#2` is for the second time
    alone, `key` for all of them."""
    entries = table.get(kind, {})
    for name in (f"{subject}#{occurrence}", subject):
        if name in entries:
            return name, entries[name]
    return None
