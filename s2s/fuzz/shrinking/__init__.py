"""Shrink a model of a user that fails a check: cut nodes off as long as the check still fails.

    y = f(g(h(x)))  fails  ->  y = f(v) with v as an input  fails  ->  f alone is left

Whole blocks of nodes go first, then single ones (delta debugging). What a cut node gave becomes an input where others
read it; what only cut nodes read becomes an output. A tensor whose type is not known is never cut.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence

from s2s.support.frozen import frozen

Fails = Callable[["Shrinkable"], bool]
"""Whether a model still fails in the way that is looked for."""


@frozen
class Node:
    """A node of a model: the names of its operator, operands and results."""

    operator: str
    reads: Sequence[str]
    gives: Sequence[str]


class Shrinkable(ABC):
    """A model of some format, from which nodes are cut off."""

    suffix: str
    """The end of the name of its file."""

    nodes: Sequence[Node]
    """Its nodes, each behind the nodes whose results it reads."""
    outputs: Sequence[str]
    """The names of its outputs."""
    stored: Collection[str]
    """The names of its constants, which are no inputs of a part."""

    @abstractmethod
    def part(self, kept: Sequence[int], inputs: Sequence[str], outputs: Sequence[str]) -> "Shrinkable | None":
        """Return the model of some nodes, by their numbers; None if the type of an input or output is not known."""

    @abstractmethod
    def serialised(self) -> bytes:
        """Return its file."""


def shrink(model: Shrinkable, fails: Fails) -> Shrinkable:
    """Return the smallest model found that still fails; `model` itself has to."""
    best, tried = list(range(len(model.nodes))), set[tuple[int, ...]]()
    size = max(len(best) // 2, 1)

    def still(kept: Sequence[int]) -> bool:
        if tuple(kept) in tried:
            return False
        tried.add(tuple(kept))
        smaller = cut(model, kept)
        return smaller is not None and fails(smaller)

    while True:
        smaller = next((kept for kept in _without_blocks(best, size) if still(kept)), None)
        if smaller is not None:
            best = smaller
            size = min(size, max(len(best) // 2, 1))
        elif size > 1:
            size //= 2
        else:
            return _with_fewer_outputs(cut(model, best) or model, fails)


def _without_blocks(nodes: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield the nodes without each block of `size` of them, the last block first: what follows a failure is cheap."""
    if len(nodes) > 1:
        for start in reversed(range(0, len(nodes), size)):
            if len(nodes) > len(nodes[start : start + size]):
                yield [*nodes[:start], *nodes[start + size :]]


def _with_fewer_outputs(model: Shrinkable, fails: Fails) -> Shrinkable:
    """Leave out the outputs, and the nodes that only they need, without which the check still fails."""
    for name in model.outputs:
        others = [output for output in model.outputs if output != name]
        if others:
            fewer = _pruned(model, others)
            if fewer is not None and fails(fewer):
                model = fewer
    return model


def cut(model: Shrinkable, kept: Sequence[int]) -> Shrinkable | None:
    """Return the model of some nodes, by their numbers; None if it has no output, or a type at the cut is not known."""
    rest = set(kept)
    dropped = [node for number, node in enumerate(model.nodes) if number not in rest]
    wanted = {*model.outputs, *(name for node in dropped for name in node.reads)}
    outputs = [name for number in kept for name in model.nodes[number].gives if name in wanted]
    return model.part(kept, _inputs(model, kept), outputs) if outputs else None


def _pruned(model: Shrinkable, outputs: Sequence[str]) -> Shrinkable | None:
    """Return the model with only these outputs, and the nodes that they need."""
    needed, kept = set(outputs), list[int]()
    for number in reversed(range(len(model.nodes))):
        if needed.intersection(model.nodes[number].gives):
            kept.insert(0, number)
            needed.update(model.nodes[number].reads)
    return model.part(kept, _inputs(model, kept), outputs)


def _inputs(model: Shrinkable, kept: Sequence[int]) -> list[str]:
    """Return what some nodes read and none of them gives."""
    made = {name for number in kept for name in model.nodes[number].gives}
    read = dict.fromkeys(name for number in kept for name in model.nodes[number].reads)
    return [name for name in read if name and name not in made and name not in model.stored]
