"""What differs between the figures of two pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """A figure before and now; None where one page does not have it."""

    what: str
    before: float | str | None
    now: float | str | None

    @property
    def ratio(self) -> float | None:
        """Now over before."""
        if isinstance(self.before, int | float) and isinstance(self.now, int | float) and self.before:
            return self.now / self.before
        return None


@dataclass(frozen=True)
class Comparison:
    """The changes from an earlier page to this one."""

    name: str
    target: str
    sizes: tuple[Change, ...]
    times: tuple[Change, ...]
    """The times of layers that both pages have timed, in microseconds."""
    decisions: tuple[Change, ...]
    """Only those that differ."""


def compare(before: Mapping[str, Any], now: Mapping[str, Any]) -> Comparison:
    """The changes from `before` to `now`, both as `Figures.compared` gives them."""
    sizes = [
        Change(key.replace("_", " "), before["sizes"].get(key), now["sizes"].get(key))
        for key in dict.fromkeys([*before["sizes"], *now["sizes"]])
    ]
    return Comparison(
        before["name"],
        before["target"],
        tuple(sizes),
        tuple(each for each in _paired(_times(before), _times(now)) if each.ratio is not None),
        tuple(each for each in _paired(_choices(before), _choices(now)) if each.before != each.now),
    )


def _paired(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    return [Change(key, before.get(key), now.get(key)) for key in dict.fromkeys([*before, *now])]


def _times(page: Mapping[str, Any]) -> dict[str, float]:
    return {each["nodes"] or each["kernel"]: each["time"] for each in page["layers"] if each["time"] is not None}


def _choices(page: Mapping[str, Any]) -> dict[str, str]:
    return {f"{each['kind']} of {each['subject']}": each["chosen"] for each in page["decisions"]}
