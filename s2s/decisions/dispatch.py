"""Records that are in effect in a block of code: the base of AutoTVM's dispatch contexts.

    with DispatchContext(read_records("kws.jsonl")):
        library = s2s.build(mod, target="cortex-m4")

Contexts nest. Of a task that several of them know, the innermost one's records count.
"""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from types import TracebackType
from typing import Self

from s2s.decisions.records import Record

_stack: ContextVar[tuple["DispatchContext", ...]] = ContextVar("dispatch contexts", default=())


class _Current:
    """The context that counts: the innermost one, or one that knows nothing."""

    def __get__(self, instance: object, owner: type) -> "DispatchContext":
        found = contexts_in_effect()
        return found[0] if found else _outermost[-1]()


class DispatchContext:
    """A source of records, entered by `with`."""

    current = _Current()
    """The innermost context around the caller."""

    hides_outer = False
    """Whether contexts around this one are not asked."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.records = tuple(records)

    def records_for_networks(self) -> tuple[Record, ...]:
        """Return what a network takes from this context; a context that only answers questions refuses."""
        return self.records

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _stack.set(_stack.get()[:-1])


_outermost: list[Callable[[], DispatchContext]] = [DispatchContext]


def set_outermost(make: Callable[[], DispatchContext]) -> None:
    """Let `make()` be the current context where there is no other."""
    _outermost[:] = [make]


def contexts_in_effect() -> list[DispatchContext]:
    """Return the contexts around the caller, innermost first, up to one that hides the rest."""
    found: list[DispatchContext] = []
    for each in reversed(_stack.get()):
        found.append(each)
        if each.hides_outer:
            break
    return found


def records_in_effect() -> tuple[Record, ...]:
    """Return the records of all contexts, without records of tasks and targets that a context further inside knows."""
    found: list[Record] = []
    known: set[tuple[str, str]] = set()
    for context in contexts_in_effect():
        records = context.records_for_networks()
        found += [each for each in records if (each.task, each.target) not in known]
        known |= {(each.task, each.target) for each in records}
    return tuple(found)
