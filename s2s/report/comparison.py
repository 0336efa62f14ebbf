"""Compare two compiled networks: sizes, times, kernels, decisions and files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from s2s.support.frozen import frozen

WORDS = {
    "arena_lower_bound": "arena, lower bound",
    "arena_ratio": "arena / lower bound",
    "arena_lower_bound_apart": "arena, lower bound without overlaps",
    "ram": "RAM",
    "static_ram": "static RAM",
}
"""What figures are called for people, where their names in JSON do not say it."""


@frozen
class Change:
    """A figure before and after; None if one side does not have it."""

    what: str
    before: float | str | None
    now: float | str | None

    @property
    def ratio(self) -> float | None:
        """The figure after, divided by the figure before."""
        if isinstance(self.before, int | float) and isinstance(self.now, int | float) and self.before:
            return self.now / self.before
        return None

    @property
    def differs(self) -> bool:
        """Whether it has changed."""
        return self.before != self.now


@frozen
class Comparison:
    """The changes from an earlier network to this one."""

    name: str
    target: str
    sizes: tuple[Change, ...]
    times: tuple[Change, ...]
    """The times of layers that both sides have timed, in microseconds."""
    kernels: tuple[Change, ...]
    """Kernels that only one side has."""
    decisions: tuple[Change, ...]
    """Decisions that differ."""
    files: tuple[Change, ...]
    """Files that differ, or that only one side has."""

    @property
    def differs(self) -> bool:
        """Whether anything but a time differs."""
        return any(each.differs for each in self.sizes) or bool(self.kernels or self.decisions or self.files)

    def lines(self, *, every: bool) -> Iterator[str]:
        """Return the comparison as text; with `every`, equal figures as well."""
        shown = [each for each in (*self.sizes, *self.times) if every or each.differs]
        yield from _columns([("figure", "before", "now", "ratio"), *map(_cells, shown)] if shown else [])
        for title, changes in (("kernels", self.kernels), ("files", self.files)):
            if changes:
                yield f"\n{title}"
                yield from (f"    {_how(each)}  {each.what}" for each in changes)
        if self.decisions:
            yield "\ndecisions"
            for each in self.decisions:
                yield f"    {each.what}"
                yield f"        before  {each.before or '–'}"
                yield f"        now     {each.now or '–'}"


def in_words(figure: str) -> str:
    """Return what a figure is called for people; names of functions in C stay as they are."""
    return WORDS.get(figure, figure if figure.startswith("code of ") else figure.replace("_", " "))


def compare(before: Mapping[str, Any], now: Mapping[str, Any]) -> Comparison:
    """Return the changes from `before` to `now`, both in the form of `s2s/report/record.py`."""
    sizes = _paired(before["sizes"], now["sizes"])
    return Comparison(
        before["name"],
        before["target"],
        tuple(Change(in_words(each.what), each.before, each.now) for each in sizes),
        tuple(each for each in _paired(_times(before), _times(now)) if each.ratio is not None),
        tuple(each for each in _paired(_kernels(before), _kernels(now)) if each.differs),
        tuple(each for each in _paired(_choices(before), _choices(now)) if each.differs),
        tuple(each for each in _paired(before["files"], now["files"]) if each.differs),
    )


def _paired(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    return [Change(key, before.get(key), now.get(key)) for key in dict.fromkeys([*before, *now])]


def _times(side: Mapping[str, Any]) -> dict[str, float]:
    return {each["nodes"] or each["kernel"]: each["time"] for each in side["layers"] if each["time"] is not None}


def _kernels(side: Mapping[str, Any]) -> dict[str, str]:
    return dict.fromkeys(side["kernels"], "there")


def _choices(side: Mapping[str, Any]) -> dict[str, str]:
    return {
        " ".join(filter(None, [each["kind"], "of", each["subject"], each["about"]])): each["chosen"]
        for each in side["decisions"]
    }


def _how(change: Change) -> str:
    if change.before is None:
        return "added  "
    return "removed" if change.now is None else "changed"


def _cells(change: Change) -> tuple[str, str, str, str]:
    ratio = "" if change.ratio is None else f"{change.ratio:.3f}"
    return change.what, _shown(change.before), _shown(change.now), ratio


def _shown(value: float | str | None) -> str:
    return "–" if value is None else value if isinstance(value, str) else f"{value:,}"


def _columns(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *figures in rows:
        yield name.ljust(widths[0]) + "".join(
            f"  {each.rjust(width)}" for each, width in zip(figures, widths[1:], strict=True)
        )
