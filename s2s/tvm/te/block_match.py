"""Whether the formula of a stage, at a block of it, is the formula of a tensor intrinsic; and where its blocks lie.

    C[i, j] = sum(A[i, k] * B[j, k]), j = 16 * jo + ji, tensorized at ji: block of C at (i, 16 * jo)
    c[j] = sum(a[k] * b[j, k]), 16 elements                               of A at (i, 0), of B at (16 * jo, 0)

Dimensions of a tensor in front of those that the intrinsic has are one element there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.errors import InputError
from s2s.tvm.te.expressions import Binary, Call, Cast, Const, Expr, IterVar, Read, Select, Size, Tensor, TensorOp
from s2s.tvm.te.intrinsics import Intrinsic
from s2s.tvm.te.loops import affine
from s2s.tvm.te.operations import Reduce
from s2s.tvm.te.sizes import Bind, size_of
from s2s.tvm.te.stage import Fuse, Split, Stage
from s2s.tvm.te.tensor_intrin import TensorIntrin
from s2s.types.affine import Linear, linear, ranges

COMMUTATIVE = ("+", "*", "min", "max", "and", "or", "==", "!=")


@dataclass
class Indices:
    """The values of loop variables as expressions: of dimensions, or of loops."""

    bind: Bind
    values: Mapping[IterVar, AffineExpr]

    def index(self, loop: IterVar) -> AffineExpr:
        """The value of a loop variable."""
        if loop not in self.values:
            raise InputError(f"te: {loop}: is no loop variable here; name one of the formula")
        return self.values[loop]


@dataclass
class Region:
    """The block of a tensor: where it begins, over the loops outside, and its size."""

    tensor: Tensor
    starts: list[AffineExpr]
    sizes: list[int]


@dataclass
class BlockMatch:
    """The blocks of a stage that an intrinsic computes, inside of a loop."""

    stage: Stage
    body: Expr
    loop: IterVar
    intrin: TensorIntrin
    bind: Bind
    regions: dict[TensorOp, Region] = field(default_factory=dict[TensorOp, Region])
    """The region for each placeholder of the intrinsic."""

    def __post_init__(self) -> None:
        stage, op = self.stage, self.stage.op
        self.depth = next(place for place, leaf in enumerate(stage.leaves) if leaf is self.loop)
        self.loops = stage.leaves[: self.depth]
        self.axes = [*op.axis, *op.reduce_axis]
        self.starts: list[AffineExpr] = []
        self.extents: list[int] = []
        for axis in self.axes:
            start, extent = self._divided(axis)
            self.starts.append(start)
            self.extents.append(extent)
        self._pairs = self._paired()
        formula = self.intrin.op.formula
        mine, its = (expr.value if isinstance(expr, Reduce) else expr for expr in (self.body, formula))
        kinds = [expr.kind if isinstance(expr, Reduce) else "" for expr in (self.body, formula)]
        if kinds[0] != kinds[1] or kinds[0] == "reducer" or not self._matches(mine, its):
            raise self.refusal(f"the formula {self.body} is not its {formula}; write both alike")

    def refusal(self, fact: str) -> InputError:
        """The error that refuses to tensorize."""
        return self.stage.refusal(f"tensorize {self.loop} by {self.intrin.name}: {fact}")

    @property
    def sizes(self) -> list[int]:
        """The size of each loop outside."""
        return [size_of(loop.extent, self.bind) for loop in self.loops]

    @property
    def result(self) -> Region:
        """The block of the result."""
        rank = len(self.stage.op.axis)
        return Region(self.stage.tensor, self.starts[:rank], self.extents[:rank])

    def _over_loops(self, loop: IterVar) -> AffineExpr:
        """A loop variable over the loops of the stage."""
        for place, leaf in enumerate(self.stage.leaves):
            if leaf is loop:
                return AffineDimExpr(place)
        for relation in self.stage.divisions:
            if isinstance(relation, Split) and relation.parent is loop:
                size, extent = size_of(relation.inner.extent, self.bind), size_of(loop.extent, self.bind)
                if extent % size:
                    raise self.refusal(f"split of {loop}: {extent} by {size} leaves a rest; take a factor that divides")
                return self._over_loops(relation.outer) * size + self._over_loops(relation.inner)
            if isinstance(relation, Fuse) and (relation.outer is loop or relation.inner is loop):
                fused, size = self._over_loops(relation.fused), size_of(relation.inner.extent, self.bind)
                return fused // size if relation.outer is loop else fused % size
        raise self.refusal(f"{loop}: is no loop of the stage")

    def _divided(self, axis: IterVar) -> tuple[AffineExpr, int]:
        """Where the block begins along a dimension, and how many positions its loops go through one by one."""
        sizes = [size_of(leaf.extent, self.bind) for leaf in self.stage.leaves]
        form = linear(self._over_loops(axis), ranges(sizes))
        outer, inner = Linear(form.constant), list[tuple[int, int]]()
        for atom, factor in form.terms.items():
            used = sorted(atom.used_dims())
            if used[-1] < self.depth:
                outer = outer.plus(Linear(0, {atom: factor}))
            elif isinstance(atom, AffineDimExpr):
                inner.append((factor, sizes[atom.position]))
            else:
                raise self.refusal(f"{axis}: is fused inside of the block; fuse outside of it")
        extent = 1
        for factor, size in sorted(inner):
            if factor != extent:
                raise self.refusal(f"{axis}: the loops inside do not go through a block of it; split so that they do")
            extent *= size
        return outer.to_expr(), extent

    def _paired(self) -> dict[int, int]:
        """The dimensions of the intrinsic, each by the dimension of the stage that it is."""
        pairs: dict[int, int] = {}
        op, stage_op = self.intrin.op, self.stage.op
        groups = [
            (stage_op.axis, op.axis, 0, 0),
            (stage_op.reduce_axis, op.reduce_axis, len(stage_op.axis), len(op.axis)),
        ]
        for mine, its, first, behind in groups:
            kept, sizes = self.extents[first : first + len(mine)], [size_of(axis.extent, self.bind) for axis in its]
            lead = len(kept) - len(sizes)
            if lead < 0 or any(size != 1 for size in kept[:lead]) or kept[lead:] != sizes:
                what = "sums over" if first else "makes"
                raise self.refusal(f"the block inside {what} {kept}, and the intrinsic {sizes}; split loops so")
            pairs |= {first + lead + number: behind + number for number in range(len(sizes))}
        return pairs

    def _matches(self, mine: Expr, its: Expr) -> bool:
        """Whether a part of the stage's formula is a part of the intrinsic's."""
        match mine, its:
            case Read(), Read():
                return self._matches_read(mine, its)
            case Const(), Const():
                return mine.dtype == its.dtype and mine.value == its.value
            case Binary(), Binary() if mine.sign == its.sign and mine.dtype == its.dtype:
                before = dict(self.regions)
                if self._matches(mine.a, its.a) and self._matches(mine.b, its.b):
                    return True
                self.regions = before
                return mine.sign in COMMUTATIVE and self._matches(mine.a, its.b) and self._matches(mine.b, its.a)
            case Cast(), Cast() if mine.dtype == its.dtype:
                return self._matches(mine.x, its.x)
            case Call(), Call() if mine.function == its.function:
                return self._matches(mine.x, its.x)
            case (Select(), Select()) | (Intrinsic(), Intrinsic()):
                is_same = not isinstance(mine, Intrinsic) or mine.op == getattr(its, "op", None)
                pairs = list(zip(mine.operands, its.operands, strict=False))
                return is_same and len(mine.operands) == len(its.operands) and all(self._matches(*p) for p in pairs)
            case _:
                return False

    def _matches_read(self, read: Read, model: Read) -> bool:
        """Whether a read moves as the intrinsic's does; its region is noted."""
        shape = [size_of(size, self.bind) for size in model.tensor.shape]
        lead = len(read.indices) - len(shape)
        if lead < 0 or read.dtype != model.dtype:
            return False
        mine = [self._index(index, self.axes) for index in read.indices]
        axes = [*self.intrin.op.axis, *self.intrin.op.reduce_axis]
        its = [self._index(index, axes) for index in model.indices]
        starts: list[AffineExpr] = []
        for number, (constant, factors) in enumerate(mine):
            at, wanted = its[number - lead] if number >= lead else (0, {})
            inside = {self._pairs[axis]: factor for axis, factor in factors.items() if self.extents[axis] > 1}
            if inside != {axis: factor for axis, factor in wanted.items() if size_of(axes[axis].extent, self.bind) > 1}:
                return False
            start: AffineExpr = AffineConstantExpr(constant - at)
            for axis, factor in factors.items():
                start = self.starts[axis] * factor + start
            starts.append(linear(start, ranges(self.sizes)).to_expr())
        region = Region(read.tensor, starts, [*[1] * lead, *shape])
        first = self.regions.setdefault(model.tensor.op, region)
        return first.tensor.key == region.tensor.key and first.starts == starts

    def _index(self, expr: Expr, axes: Sequence[IterVar]) -> tuple[int, dict[int, int]]:
        """An index as a constant and factors of dimensions."""
        values: dict[IterVar, AffineExpr] = {axis: AffineDimExpr(number) for number, axis in enumerate(axes)}
        index = affine(expr, Indices(self.bind, values))
        extents = [size_of(axis.extent, self.bind) for axis in axes]
        form = None if index is None else linear(index, ranges(extents))
        if form is None or not all(isinstance(atom, AffineDimExpr) for atom in form.terms):
            raise self.refusal(f"index {expr}: is no sum of loop variables with factors; write it as one")
        return form.constant, {
            atom.position: factor for atom, factor in form.terms.items() if isinstance(atom, AffineDimExpr)
        }


def strides_of(shape: Sequence[Size], bind: Bind) -> list[int]:
    """The distance of neighbours along each dimension of a tensor."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size_of(size, bind))
    return strides
