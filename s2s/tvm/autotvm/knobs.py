"""The knobs of a template and their values: splits of a loop, orders of loops, annotations, and plain options.

    define_split("tile_x", x, num_outputs=2)    x of 512 steps: [-1, 1], [-1, 2], [-1, 4], …
    define_reorder("order", [a, b], "all")      [0, 1], [1, 0]
    define_knob("unroll", [0, 1])               0, 1

A value is an entity, which is applied to a stage of a schedule. Logs keep it as [knob, kind, value].
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from math import isqrt, log2, prod
from typing import Any, ClassVar

from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.tvm.te import IterVar, Schedule, Tensor
from s2s.tvm.te.expressions import PlaceholderOp
from s2s.tvm.te.operations import ComputeOp

Stage = Tensor | ComputeOp | PlaceholderOp
"""What names a stage of a schedule."""


@frozen
class Entity:
    """One value of a knob."""

    kind: ClassVar[str]
    """Its name in logs."""

    @property
    def value(self) -> Any:
        """The value as logs keep it."""
        raise NotImplementedError

    @property
    def features(self) -> list[float]:
        """Numbers that describe the value; none where its place among the values is all there is."""
        return []


@frozen
class SplitEntity(Entity):
    """Sizes of the loops that one loop is split into, outermost first; -1 is what the others leave."""

    kind = "sp"
    sizes: tuple[int, ...]

    @property
    def size(self) -> list[int]:
        """The sizes as a list."""
        return list(self.sizes)

    @property
    def value(self) -> list[int]:
        return self.size

    @property
    def features(self) -> list[float]:
        return [log2(each) for each in self.size if each > 0]

    def apply(self, sch: Schedule, op: Stage, axis: IterVar) -> list[IterVar]:
        """Split a loop of the stage of `op` and return the loops, outermost first."""
        loops: list[IterVar] = []
        for place in range(1, len(self.size)):
            outer, axis = sch[op].split(axis, factor=prod(self.size[place:]))
            loops.append(outer)
        return [*loops, axis]


@frozen
class ReorderEntity(Entity):
    """An order of loops."""

    kind = "re"
    perm: tuple[int, ...]

    @property
    def value(self) -> list[int]:
        return list(self.perm)

    def apply(self, sch: Schedule, op: Stage, axes: Sequence[IterVar]) -> list[IterVar]:
        """Reorder loops of the stage of `op` and return them in their new order."""
        _check_count(axes, self.perm, "order")
        loops = [axes[place] for place in self.perm]
        if len(loops) > 1:
            sch[op].reorder(*loops)
        return loops


@frozen
class AnnotateEntity(Entity):
    """An annotation for each of several loops: `none`, `unroll` or `vec`."""

    kind = "an"
    anns: tuple[str, ...]

    @property
    def value(self) -> list[str]:
        return list(self.anns)

    def apply(self, sch: Schedule, op: Stage, axes: Sequence[IterVar], **_: object) -> list[IterVar]:
        """Annotate loops of the stage of `op` and return them."""
        _check_count(axes, self.anns, "annotations")
        for loop, annotation in zip(axes, self.anns, strict=True):
            if annotation == "unroll":
                sch[op].unroll(loop)
            elif annotation == "vec":
                sch[op].vectorize(loop)
        return list(axes)


@frozen
class OtherOptionEntity(Entity):
    """A value that the template itself knows what to do with."""

    kind = "ot"
    val: Any

    @property
    def value(self) -> Any:
        return self.val


def entity_of(kind: str, value: Any) -> Entity:
    """Return the entity that a log names."""
    match kind:
        case "sp":
            return SplitEntity(tuple(int(each) for each in value))
        case "re":
            return ReorderEntity(tuple(int(each) for each in value))
        case "an":
            return AnnotateEntity(tuple(str(each) for each in value))
        case "ot":
            return OtherOptionEntity(value)
        case _:
            raise InputError(f"a log of AutoTVM: knob of kind {kind!r}: there is none; the kinds are sp, re, an, ot")


def _check_count(axes: Sequence[IterVar], values: Sequence[object], what: str) -> None:
    if len(axes) != len(values):
        raise InputError(f"autotvm: {len(axes)} loops for {what} of {len(values)}; give as many as were defined")


def split_values(
    extent: int,
    num_outputs: int,
    *,
    policy: str = "factors",
    max_factor: int | None = None,
    no_tail: bool | None = None,
    keep: Callable[[SplitEntity], bool] | None = None,
    candidate: Sequence[Sequence[int]] | None = None,
) -> list[Entity]:
    """Return the splits of a loop of `extent` steps.

    `factors` takes divisors, `power2` powers of two, `verbose` both, and `candidate` the given sizes. `no_tail` leaves
    out those that do not divide.
    """
    if policy == "candidate":
        found = [SplitEntity(tuple(each)) for each in candidate or ()]
    elif policy in ("factors", "power2", "verbose"):
        factors = _factors(extent, policy, max_factor)
        exact = policy == "factors" if no_tail is None else no_tail
        found = [SplitEntity((-1, *inner)) for inner in _inner_sizes(extent, factors, num_outputs - 1, exact)]
    else:
        raise InputError(f"define_split: policy {policy!r} is not known; give factors, power2, verbose or candidate")
    return list(filter(keep, found) if keep is not None else found)


def _factors(extent: int, policy: str, most: int | None) -> list[int]:
    """Divisors of `extent`, powers of two up to it, or both."""
    found: set[int] = set()
    if policy != "power2":
        low = [divisor for divisor in range(1, isqrt(extent) + 1) if extent % divisor == 0]
        found |= {*low, *(extent // divisor for divisor in low)}
    if policy != "factors":
        found |= {2**each for each in range(extent.bit_length())}
    return sorted(each for each in found if most is None or each <= most)


def _inner_sizes(extent: int, factors: Sequence[int], count: int, exact: bool) -> Iterator[tuple[int, ...]]:
    for sizes in product(factors, repeat=count):
        inner = prod(sizes)
        if inner <= extent and not (exact and extent % inner):
            yield sizes


def reorder_values(
    count: int,
    *,
    policy: str,
    interleave: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]] | None = None,
    interval: tuple[int, int] | None = None,
    candidate: Sequence[Sequence[int]] | None = None,
) -> list[Entity]:
    """Return the orders of `count` loops.

    `identity` leaves them, `all` takes every order, `interval_all` every order of the places of `interval`, `candidate`
    the given ones. `interleave` keeps the first loop of each chain over results outside, and merges the rest of these
    chains with those of reductions, each in the order given.
    """
    every = tuple(range(count))
    match policy:
        case "identity":
            return [ReorderEntity(every)]
        case "all":
            return [ReorderEntity(each) for each in permutations(every)]
        case "interval_all":
            first, end = interval if interval is not None else (0, count)
            return [ReorderEntity((*every[:first], *each, *every[end:])) for each in permutations(every[first:end])]
        case "candidate":
            return [ReorderEntity(tuple(each)) for each in candidate or ()]
        case "interleave" if interleave is not None:
            spatial, reduce = interleave
            outer = [each[0] for each in spatial]
            inner = [*(each[1:] for each in spatial), *reduce]
            return [ReorderEntity((*outer, *each)) for each in _merges(inner)]
        case _:
            raise InputError(
                f"define_reorder: policy {policy!r} is not known; give identity, all, interval_all, candidate or "
                "interleave"
            )


def _merges(chains: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """All sequences of the elements of `chains` in which each chain keeps its order."""
    if not any(chains):
        yield ()
    for number, chain in enumerate(chains):
        if chain:
            for rest in _merges([*chains[:number], chain[1:], *chains[number + 1 :]]):
                yield (chain[0], *rest)


def annotate_values(count: int, policy: str) -> list[Entity]:
    """Return the annotations of `count` loops, the innermost last.

    `try_unroll` writes out none, the innermost loop, the two innermost and so on; `try_vec` runs the innermost one in
    vectors or not; `try_unroll_vec` both.
    """
    unrolls = [("none",) * (count - inner) + ("unroll",) * inner for inner in range(count + 1)]
    vectors = [(*each[:-1], "vec") for each in unrolls if each and each[-1] == "none"]
    vectors += [(*each[:-1], "vec") for each in unrolls if each and len(each) > 1 and each[-2] == "unroll"]
    match policy:
        case "none":
            return [AnnotateEntity(unrolls[0])]
        case "unroll":
            return [AnnotateEntity(unrolls[-1])]
        case "vec":
            return [AnnotateEntity(vectors[0])]
        case "try_unroll":
            return [AnnotateEntity(each) for each in unrolls]
        case "try_vec":
            return [AnnotateEntity(unrolls[0]), AnnotateEntity(vectors[0])]
        case "try_unroll_vec":
            return [AnnotateEntity(each) for each in dict.fromkeys([*unrolls, *vectors])]
        case _:
            raise UnsupportedError(
                f"define_annotate: policy {policy!r} is not supported; give none, unroll, vec, try_unroll, try_vec or "
                "try_unroll_vec"
            )
