"""The loops of a stage as a domain of `tensor.compute` and as directives of a schedule.

Splitting a loop makes two dimensions of one, so that the directives can name both:

    x_outer, x_inner = s[C].split(x, factor=8)      domain [512, …] -> [64, 8, …], x = x_outer * 8 + x_inner
    s[C].reorder(x_outer, y_outer, k, x_inner)      reorder<…>, tile<1 by 8>

Loops over results that stand inside of a reduction become the register tile: their results are accumulated side by
side while the reduction runs once. So do loops that are unrolled. A loop whose number of steps varies from call to
call runs element by element, whatever it is split into: arrays have no room behind their ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Protocol

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.dialects.tensor import Directive, FusedTile
from s2s.schedules.directives import Parallel, Prefetch, Reorder, Tensorize, Tile, TileAndFuse, Unroll, Vectorize
from s2s.targets import Target
from s2s.targets.intrinsics import INTRINSICS
from s2s.tvm.te.expressions import Binary, Const, Expr, IterVar, Read, Var, walk
from s2s.tvm.te.nests import Nest
from s2s.tvm.te.sizes import Bind, greatest_of, is_open, size_of
from s2s.tvm.te.stage import PARALLEL, UNROLL, VECTORIZE, Fuse, Split

MAX_ACCUMULATORS = 1024
"""Results of a register tile, in vectors or scalars."""
VECTORS_AT_ONCE = 8
"""Vectors of a loop outside of the reduction that are written out."""
MIN_LANES = 2


@dataclass
class Loops:
    """The domain of a nest, and where its loops are in it."""

    nest: Nest
    target: Target
    bind: Bind
    domain: list[IterVar] = field(default_factory=list[IterVar])
    """The dimensions: first the result's in row-major order, then the reductions."""
    _pairs: dict[IterVar, tuple[IterVar, IterVar]] = field(default_factory=dict[IterVar, tuple[IterVar, IterVar]])
    """Fused loops that stay two loops."""
    _ragged: dict[IterVar, IterVar] = field(default_factory=dict[IterVar, IterVar])
    """Loops of splits that leave a rest: the whole dimension by each of them."""
    _indices: list[Split | Fuse] = field(default_factory=list[Split | Fuse])
    """The relations between dimensions and what they were made of."""
    _steps: dict[IterVar, int] = field(default_factory=dict[IterVar, int])
    """The steps of the inner loop of such a split."""

    def __post_init__(self) -> None:
        self.domain = [*self.nest.axis, *self.nest.reduce_axis]
        for relation in self.nest.relations:
            if isinstance(relation, Split):
                self._split(relation)
            else:
                self._fuse(relation)

    def size(self, loop: IterVar) -> int:
        """The number of steps of a loop."""
        if is_open(loop.extent, self.bind):
            raise self.nest.refusal(
                f"{loop}: its number of steps varies from call to call; split it by a number, or give bind= to build"
            )
        return self._greatest(loop)

    def _greatest(self, loop: IterVar) -> int:
        size = greatest_of(loop.extent, self.bind)
        if size < 1:
            raise self.nest.refusal(f"{loop}: {size} steps; give sizes with which every loop has one step or more")
        return size

    @property
    def rank(self) -> int:
        """The number of dimensions of the result."""
        return sum(not each.is_reduction for each in self.domain)

    @property
    def sizes(self) -> list[int]:
        """The size of each dimension, the greatest where it varies."""
        return [self._greatest(each) for each in self.domain]

    def is_open(self, loop: IterVar) -> bool:
        """Whether the number of steps of a loop, or of the one that it was split from, varies from call to call."""
        return is_open(self._ragged.get(loop, loop).extent, self.bind)

    @property
    def names(self) -> list[str]:
        """The name of each dimension, as comments of the C show it."""
        return [each.name.replace("_outer", "o").replace("_inner", "i").replace(".", "_") for each in self.domain]

    def index(self, loop: IterVar) -> AffineExpr:
        """The value of a loop variable at a point of the domain."""
        place = self._place(loop)
        if place is not None:
            return AffineDimExpr(place)
        for relation in self._indices:
            if isinstance(relation, Split) and relation.parent is loop:
                return self.index(relation.outer) * self.size(relation.inner) + self.index(relation.inner)
            if isinstance(relation, Fuse) and relation.outer is loop:
                return self.index(relation.fused) // self.size(relation.inner)
            if isinstance(relation, Fuse) and relation.inner is loop:
                return self.index(relation.fused) % self.size(relation.inner)
        if loop in self._pairs:
            outer, inner = self._pairs[loop]
            return self.index(outer) * self.size(inner) + self.index(inner)
        raise self.nest.refusal(f"{loop}: is no loop variable here; name one of this stage")

    def _place(self, loop: IterVar) -> int | None:
        return next((place for place, each in enumerate(self.domain) if each is loop), None)

    def _split(self, relation: Split) -> None:
        parent = relation.parent
        place = self._place(parent)
        if place is None:
            raise self.nest.refusal(
                f"split of {parent}: it is a loop of a split that leaves a rest, or fused of loops that are not side "
                "by side in memory; split before fusing, by factors that divide"
            )
        if self.is_open(parent) or self.size(parent) % self.size(relation.inner):
            self._ragged[relation.outer] = self._ragged[relation.inner] = parent
            self._steps[relation.inner] = self.size(relation.inner)
        else:
            self.domain[place : place + 1] = [relation.outer, relation.inner]
            self._indices.append(relation)

    def _fuse(self, relation: Fuse) -> None:
        outer, inner = self._place(relation.outer), self._place(relation.inner)
        is_open = self.is_open(relation.outer) or self.is_open(relation.inner)
        if outer is not None and inner == outer + 1 and not is_open:
            self.domain[outer : outer + 2] = [relation.fused]
            self._indices.append(relation)
        else:
            self._pairs[relation.fused] = (relation.outer, relation.inner)

    @property
    def order(self) -> list[IterVar]:
        """The loops, outermost first, where fused loops that stay two loops are two."""
        return [each for leaf in self.nest.leaves for each in self._parts(leaf)]

    def _parts(self, leaf: IterVar) -> list[IterVar]:
        if leaf not in self._pairs:
            return [leaf]
        return [each for part in self._pairs[leaf] for each in self._parts(part)]

    def _annotated(self, what: str) -> list[IterVar]:
        """The loops that carry an annotation; of fused ones that stay two, the inner loop is the vector."""
        found: list[IterVar] = []
        for leaf in self.nest.leaves:
            if self.nest.annotations.get(leaf) == what:
                parts = [part for part in self._parts(leaf) if not self.is_open(part)]
                found += parts[-1:] if what == VECTORIZE else parts
        return found

    def _unrolled_within(self) -> list[IterVar]:
        """The loops that are unrolled as a loop around them, or they themselves, have no more than a number of steps in
        all: the innermost ones."""
        found: list[IterVar] = []
        marked = {id(part) for leaf in self.nest.annotations for part in self._parts(leaf)}
        for around, most in self.nest.unrolled_within:
            steps = 1
            first = next(place for place, loop in enumerate(self.order) if loop is self._parts(around)[0])
            for loop in reversed([each for each in self.order[first:] if id(each) not in marked]):
                steps *= MAX_ACCUMULATORS + 1 if self.is_open(loop) else self._extent(loop)
                if steps > min(most, MAX_ACCUMULATORS):
                    break
                found.append(loop)
        return found

    def dim(self, loop: IterVar) -> int:
        """The dimension that a loop runs over."""
        place = self._place(self._ragged.get(loop, loop))
        if place is None:
            raise self.nest.refusal(f"{loop}: takes part in a loop that is fused; name that one")
        return place

    def directives(self, tiles: Sequence[FusedTile] = ()) -> list[Directive | None]:
        """The directives that carry the domain out in the order of the loops, in tiles that others do with it."""
        tile, steps = self._tile()
        vector, lanes = self._vector(tile)
        self._check_tile(tile, vector, lanes)
        return [
            Tile.of(tile),
            Unroll.of(steps),
            Vectorize.of(vector, lanes),
            Reorder.of(self._dim_order(tile)),
            Parallel.of(list(dict.fromkeys(map(self.dim, self._annotated(PARALLEL))))),
            *self._prefetches(),
            self._intrinsic(),
            TileAndFuse.of(tiles),
        ]

    def _prefetches(self) -> list[Prefetch]:
        """The reads to bring into a cache, each along a loop."""
        reads = [] if self.nest.reduction is None else reads_of(self.nest.reduction.value)
        found: list[Prefetch] = []
        for tensor, loop in self.nest.prefetches:
            numbers = [number for number, each in enumerate(reads) if each.tensor.key == tensor.key]
            if not numbers:
                raise self.nest.refusal(
                    f"prefetch {tensor.name}: the reduction does not read it; name an operand of it"
                )
            found.append(Prefetch.of(numbers[0], self.dim(loop)))
        return found

    def _intrinsic(self) -> Tensorize | None:
        """The intrinsic that computes the reduction."""
        name = self.nest.intrinsic
        if name is None:
            return None
        if name not in INTRINSICS:
            raise self.nest.refusal(f"tensorize {name}: no intrinsic has this name; known are {', '.join(INTRINSICS)}")
        return Tensorize.of(INTRINSICS[name])

    def _tile(self) -> tuple[dict[int, int], dict[int, int]]:
        """The register tile along results, and the steps that are written out of reductions."""
        tile: dict[int, int] = {}
        steps: dict[int, int] = {}
        inside = False
        unrolled = {id(each) for each in (*self._annotated(UNROLL), *self._unrolled_within())}
        vectors = {id(each) for each in self._annotated(VECTORIZE)}
        for loop in self.order:
            inside = inside or loop.is_reduction
            if self.is_open(loop):
                continue
            if loop.is_reduction and id(loop) in unrolled:
                steps[self.dim(loop)] = self._extent(loop)
            elif not loop.is_reduction and (inside or id(loop) in unrolled):
                tile[self.dim(loop)] = self._extent(loop)
            elif loop in self._steps and id(loop) not in vectors:
                whole = self._ragged[loop]
                raise self.nest.refusal(
                    f"split: {whole} of {whole.extent} by {self._steps[loop]} leaves a rest; vectorize or unroll "
                    f"{loop}, put it inside of the reduction, or take a factor that divides"
                )
        return tile, steps

    def _extent(self, loop: IterVar) -> int:
        if loop in self._ragged and loop not in self._steps:
            raise self.nest.refusal(
                f"{loop}: its split leaves a rest, so it stays a loop outside; take a factor that divides"
            )
        return self._steps.get(loop, self.size(loop))

    def _vector(self, tile: dict[int, int]) -> tuple[int | None, int]:
        """The dimension that runs in vectors, and its lanes; its register tile is added to `tile`."""
        loops = self._annotated(VECTORIZE)
        if len(loops) > 1:
            raise self.nest.refusal(f"vectorize {loops[1]} after {loops[0]}: one loop runs in vectors; choose one")
        if not loops or self.target.lanes == 1:
            return None, 1
        loop = loops[0]
        size, lanes = self._extent(loop), self.target.lanes
        while lanes > size or (size % lanes and loop not in self._steps):
            lanes //= 2
        if lanes < MIN_LANES:
            raise self.nest.refusal(f"vectorize {loop}: {size} steps make no vectors; split it by a multiple of 4")
        dim = self.dim(loop)
        if not loop.is_reduction:
            whole = dim in tile or size <= VECTORS_AT_ONCE * lanes
            tile[dim] = -(-size // lanes) * lanes if whole else lanes
        return dim, lanes

    def _check_tile(self, tile: Mapping[int, int], vector: int | None, lanes: int) -> None:
        accumulators = prod(tile.values()) // (lanes if vector is not None and vector < self.rank else 1)
        if accumulators > MAX_ACCUMULATORS:
            sides = " x ".join(str(size) for size in tile.values())
            raise self.nest.refusal(
                f"a block of {sides} results is inside of the reduction or unrolled, {accumulators} accumulators; "
                f"split its loops so that it has at most {MAX_ACCUMULATORS}, or vectorize one"
            )

    def _dim_order(self, tile: Mapping[int, int]) -> Sequence[int]:
        """The dimensions, outermost loop first: dimensions that the register tile covers are inside of all other
        results."""
        order: list[int] = []
        for loop in self.order:
            if self.dim(loop) not in order:
                order.append(self.dim(loop))
        sizes = self.sizes
        results = [dim for dim in order if dim < self.rank]
        inner = [dim for dim in results if tile.get(dim, 1) >= sizes[dim]]
        return [*(dim for dim in results if dim not in inner), *inner, *(dim for dim in order if dim >= self.rank)]


class Values(Protocol):
    """What gives loop variables and sizes their values."""

    @property
    def bind(self) -> Bind:
        """The sizes of variables."""
        ...

    def index(self, loop: IterVar) -> AffineExpr:
        """The value of a loop variable."""
        ...


def affine(expr: Expr, loops: Values) -> AffineExpr | None:
    """An index as an affine expression over the domain; None where it is none."""
    match expr:
        case Const():
            return AffineConstantExpr(int(expr.value))
        case Var():
            return AffineConstantExpr(size_of(expr, loops.bind))
        case IterVar():
            return loops.index(expr)
        case Binary():
            a, b = affine(expr.a, loops), affine(expr.b, loops)
            return None if a is None or b is None else _combined(expr.sign, a, b)
        case _:
            return None


def _combined(sign: str, a: AffineExpr, b: AffineExpr) -> AffineExpr | None:
    number = b.value if isinstance(b, AffineConstantExpr) else None
    match sign:
        case "+":
            return a + b
        case "-":
            return a + b * -1
        case "*" if isinstance(a, AffineConstantExpr):
            return b * a.value
        case "*" if number is not None:
            return a * number
        case "//" if number:
            return a // number
        case "%" if number:
            return a % number
        case _:
            return None


def reads_of(expr: Expr) -> list[Read]:
    """The reads of an expression in the order in which it names them."""
    return [each for each in walk(expr) if isinstance(each, Read)]
