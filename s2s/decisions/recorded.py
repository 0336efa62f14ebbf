"""Read and write the attribute `decisions` of operations, in which decisions about them are recorded."""

from collections import defaultdict
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr, f64, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from s2s.decisions.decision import Alternative, Cost, Decision
from s2s.errors import CompilerBug
from s2s.types.hints import isa

DECISIONS = "decisions"
"""Discardable attribute of a kernel or a module: the decisions that were made about it."""
_OCCURRENCE = "occurrence"
_CANDIDATES = "candidates"


def record(op: Operation, decisions: Sequence[tuple[Decision, int]]) -> None:
    """Write `decisions` to `op`, each with the number of earlier decisions of its kind and subject."""
    made = [_entry(decision, occurrence) for decision, occurrence in decisions]
    op.attributes[DECISIONS] = ArrayAttr([*_listed(op), *made])


def _entry(decision: Decision, occurrence: int) -> DictionaryAttr:
    entry: dict[str, Attribute] = {name: StringAttr(text) for name, text in decision.entry().items() if text}
    entry[_OCCURRENCE] = IntegerAttr(occurrence, i64)
    if decision.candidates:
        entry[_CANDIDATES] = ArrayAttr([_alternative(each) for each in decision.candidates])
    return DictionaryAttr(entry)


def recorded_on(op: Operation) -> list[Decision]:
    """The decisions about `op`, in the order in which they were made."""
    return [_decision(entry) for entry in _listed(op)]


def decisions_of(module: ModuleOp) -> tuple[Decision, ...]:
    """Return every decision about a network; decisions about equal subjects become one.

    Subjects that are equal but were decided differently are told apart by the place in the order: `key#1`, `key#2`.
    """
    found: dict[tuple[str, str], dict[int, Decision]] = defaultdict(dict)
    for op in (module, *(each for each in module.ops if isinstance(each, FuncOp))):
        for entry in _listed(op):
            decision, place = _decision(entry), entry.data[_OCCURRENCE]
            assert isa(place, IntegerAttr)
            found[decision.kind, decision.subject].setdefault(place.value.data, decision)
    return tuple(each for group in found.values() for each in _merged(dict(sorted(group.items()))))


def _merged(group: dict[int, Decision]) -> Sequence[Decision]:
    """Return the decisions about one subject, merged to one if all are equal."""
    first = next(iter(group.values()))
    if len({each.chosen for each in group.values()}) > 1:
        return [each._replace(subject=f"{each.subject}#{place}") for place, each in group.items()]
    nodes = dict.fromkeys(node for each in group.values() for node in each.nodes.split(", ") if node)
    return [first._replace(nodes=", ".join(nodes))]


def _listed(op: Operation) -> Sequence[DictionaryAttr]:
    found = op.attributes.get(DECISIONS)
    return found.data if isa(found, ArrayAttr[DictionaryAttr]) else ()


def _alternative(each: Alternative) -> DictionaryAttr:
    entry: dict[str, Attribute] = {"note": StringAttr(each.note)}
    if each.choice is not None:
        entry["choice"] = StringAttr(each.choice)
    if each.refused is not None:
        entry["refused"] = StringAttr(each.refused)
    if each.cost is not None:
        entry["cost"] = DictionaryAttr({name: FloatAttr(float(value), f64) for name, value in _figures(each.cost)})
    return DictionaryAttr(entry)


def _figures(cost: Cost) -> Sequence[tuple[str, float]]:
    return list(cost.as_dict().items())


def _decision(entry: DictionaryAttr) -> Decision:
    by = _text(entry, "by")
    if by not in ("user", "record", "model"):
        raise CompilerBug(f"a decision by {by!r}")
    listed = entry.data.get(_CANDIDATES)
    return Decision(
        kind=_text(entry, "kind"),
        subject=_text(entry, "subject"),
        chosen=_text(entry, "chosen"),
        by=by,
        why=_text(entry, "why"),
        about=_text(entry, "about"),
        nodes=_text(entry, "nodes"),
        candidates=tuple(map(_read_alternative, listed)) if isa(listed, ArrayAttr[DictionaryAttr]) else (),
    )


def _read_alternative(entry: DictionaryAttr) -> Alternative:
    listed = entry.data.get("cost")
    figures: dict[str, float] = {}
    if isinstance(listed, DictionaryAttr):
        figures = {name: value.value.data for name, value in listed.data.items() if isinstance(value, FloatAttr)}
    cost = Cost(
        figures.get("cycles"),
        None if "ram" not in figures else int(figures["ram"]),
        None if "flash" not in figures else int(figures["flash"]),
    )
    return Alternative(
        _text(entry, "note"), _optional(entry, "choice"), cost if figures else None, _optional(entry, "refused")
    )


def _text(entry: DictionaryAttr, name: str) -> str:
    return _optional(entry, name) or ""


def _optional(entry: DictionaryAttr, name: str) -> str | None:
    found = entry.data.get(name)
    return found.data if isinstance(found, StringAttr) else None
