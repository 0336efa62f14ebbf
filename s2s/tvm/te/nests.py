"""The loop nests of a schedule: one for each stage that is computed by itself, with what is computed inside of it.

A formula that is inlined stands in those that read it. A reduction that `compute_at` puts inside of a stage that reads
its element at the same point, such as the copy that `cache_write` leaves, makes one nest with it: the block inside of
the loop is accumulated in registers, then the stage's formula is applied.

    s[CC].compute_at(s[C], yo)      loops xo, yo of C, then those of CC over the block of C inside of yo
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from s2s.errors import InputError
from s2s.tvm.te.expressions import Expr, IterVar, PlaceholderOp, Read, Size, Tensor, TensorOp, walk
from s2s.tvm.te.extern_call import ExternCall, ExternOp
from s2s.tvm.te.operations import ComputeOp, Reduce, items_of
from s2s.tvm.te.rewriting import renamed, rewritten
from s2s.tvm.te.scan import ScanCall, ScanOp
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.stage import VECTORIZE, Fuse, Split, Stage, product, rounds
from s2s.tvm.te.steps import Step, step_of
from s2s.tvm.te.tensor_intrin import TensorIntrin


@dataclass
class Nest:
    """The loops of one tensor and what they compute."""

    tensor: Tensor
    name: str
    axis: Sequence[IterVar]
    reduction: Reduce | None
    epilogue: Expr | None
    """The formula applied to the reduction, or the whole one where there is none; None for the reduction as it is."""
    folded: Tensor | None = None
    """The tensor that stands for the reduction in the epilogue."""
    leaves: list[IterVar] = field(default_factory=list[IterVar])
    relations: list[Split | Fuse] = field(default_factory=list[Split | Fuse])
    annotations: dict[IterVar, str] = field(default_factory=dict[IterVar, str])
    prefetches: list[tuple[Tensor, IterVar]] = field(default_factory=list[tuple[Tensor, IterVar]])
    unrolled_within: list[tuple[IterVar, int]] = field(default_factory=list[tuple[IterVar, int]])
    """Loops, and the steps up to which they and the loops inside of them are unrolled."""
    intrinsic: str | None = None
    attached: tuple[Tensor, IterVar] | None = None
    """The tensor in whose loop a tile of this one is computed, and the loop."""

    @property
    def reduce_axis(self) -> Sequence[IterVar]:
        """The loop variables of the reduction."""
        return () if self.reduction is None else self.reduction.axes

    @property
    def outputs(self) -> Sequence[Tensor]:
        """The tensors that it computes."""
        op = self.tensor.op
        return op.outputs if isinstance(op, ComputeOp) else (self.tensor,)

    @property
    def sources(self) -> list[Tensor]:
        """The tensors that it reads."""
        parts = [part for part in (self.reduction, self.epilogue) if part is not None]
        reads = [each.tensor for part in parts for each in walk(part) if isinstance(each, Read)]
        return [each for each in dict.fromkeys(reads) if self.folded is None or each.op is not self.folded.op]

    def refusal(self, fact: str) -> InputError:
        """The error that refuses what the schedule says of this tensor."""
        return InputError(f"te: {self.name}: {fact}")


@dataclass
class ScanPart:
    """A scan, and the nests of one step."""

    step: Step
    nests: Sequence[Nest]

    @property
    def sources(self) -> Sequence[Tensor]:
        """The tensors that it reads."""
        return [*self.step.call.inits, *self.step.slices, *self.step.kept]


@dataclass
class BlocksPart:
    """A stage whose blocks calls compute, and its formula with what is inlined there."""

    stage: Stage
    body: Expr
    loop: IterVar
    intrin: TensorIntrin

    @property
    def sources(self) -> Sequence[Tensor]:
        """The tensors that it reads."""
        return self.stage.op.input_tensors

    @property
    def imports(self) -> list[str]:
        """The C of the functions."""
        intrin = self.intrin
        calls = [call for body in (intrin.reduce_init, intrin.body, intrin.reduce_update) for call in body or ()]
        return list(dict.fromkeys([*self.stage.imports, *(call.source for call in calls if call.source)]))


Part = Sequence[Nest] | ExternCall | ScanPart | BlocksPart


def parts_of(schedule: Schedule, wanted: Sequence[Tensor] = ()) -> list[Part]:
    """The nests of `schedule` between its calls of functions outside and its scans, and these, producers first.

    Nests that are computed in tiles stand in front of their readers. A formula that stands in its readers has a nest of
    its own as well where its tensor is `wanted`.
    """
    calls = dict.fromkeys(each.op.call for each in schedule.stages if isinstance(each.op, ScanOp))
    steps = {call: step_of(schedule, call) for call in calls}
    read = [each for step in steps.values() for each in (*step.slices, *step.kept)]
    places = _Places.of(schedule, [*wanted, *read], {op for call in steps for op in call.step})
    parts: list[Part] = []
    nests: list[Nest] = []
    for stage in places.alone:
        if (blocks := _blocks(schedule, stage, places)) is not None:
            parts += [nests, blocks] if nests else [blocks]
            nests = []
        elif not isinstance(stage.op, ExternOp | ScanOp):
            nests += _with_tiles(schedule, stage, places.before, places.inside)
        elif (made := _called(stage.op, parts, steps)) is not None:
            parts += [nests, made] if nests else [made]
            nests = []
    return [*parts, nests] if nests else parts


def _blocks(schedule: Schedule, stage: Stage, places: "_Places") -> BlocksPart | None:
    """The stage as blocks that an intrinsic of the program computes; None where there is none."""
    loop, intrin = stage.intrinsic or (None, None)
    if loop is None or not isinstance(intrin, TensorIntrin):
        if stage.imports:
            raise stage.refusal("pragma import_c: no call of C computes its blocks; tensorize a loop")
        return None
    if places.before.get(stage) or places.inside.get(stage):
        raise stage.refusal(f"tensorize {loop}: other stages are computed inside of its loops; compute_root them")
    if stage.annotations or stage.prefetches:
        raise stage.refusal(f"tensorize {loop}: loops around calls are plain; leave vectorize, unroll and parallel out")
    assert isinstance(stage.op, ComputeOp)
    return BlocksPart(stage, _inlined(schedule, stage.op.formula), loop, intrin)


def check_imports(stage: Stage) -> None:
    """Refuse a stage that is computed by functions whose C nobody has given."""
    loop, intrin = stage.intrinsic or (None, None)
    if loop is None or not isinstance(intrin, TensorIntrin) or not isinstance(stage.op, ComputeOp):
        return
    if not BlocksPart(stage, stage.op.formula, loop, intrin).imports:
        name = next(call.function for body in (intrin.body, intrin.reduce_update) for call in body or ())
        fact = f"tensorize {loop} by {intrin.name}: no C says what {name} does"
        raise stage.refusal(f'{fact}; give it by s[{stage.op.name}].pragma(loop, "import_c", source)')


def _called(op: ExternOp | ScanOp, parts: Sequence[Part], steps: dict[ScanCall, Step]) -> ExternCall | ScanPart | None:
    """The call of a function outside, or the scan, that computes a tensor; None if it is among `parts` already."""
    if isinstance(op, ExternOp):
        return op.call if op.call not in parts else None
    step = steps.pop(op.call, None)
    return None if step is None else ScanPart(step, _nests_of(step))


@dataclass
class _Places:
    """Where the stages of a schedule are computed: alone, or at the point or in the tiles of another stage."""

    alone: list[Stage] = field(default_factory=list[Stage])
    inside: dict[Stage, list[Stage]] = field(default_factory=dict[Stage, list[Stage]])
    before: dict[Stage, list[Stage]] = field(default_factory=dict[Stage, list[Stage]])

    @staticmethod
    def of(schedule: Schedule, wanted: Sequence[Tensor], elsewhere: Set[TensorOp]) -> "_Places":
        """The places of the stages but of operations `elsewhere`, which are steps of scans."""
        places = _Places()
        for stage in schedule.stages:
            if isinstance(stage.op, PlaceholderOp) or stage.op in elsewhere:
                continue
            inlined = stage.is_inlined or _is_formula(stage)
            if inlined and all(each.op is not stage.tensor.op for each in wanted):
                continue
            if stage.attached is None or inlined:
                places.alone.append(stage)
            else:
                where = places.inside if _reads_the_point(stage, stage.attached[0]) else places.before
                where.setdefault(stage.attached[0], []).append(stage)
        places.check()
        return places

    def check(self) -> None:
        """Refuse stages inside of which others are computed, and which are themselves part of another one."""
        whole = [*self.alone, *(each for stages in self.before.values() for each in stages)]
        for parent in (*self.inside, *self.before):
            if all(parent is not stage for stage in whole):
                raise parent.refusal(
                    "other stages are computed inside of it, so it has to be computed by itself; compute_root it"
                )


def _nests_of(step: Step) -> list[Nest]:
    """The nests of one step."""
    parts = parts_of(step.schedule, step.made)
    if any(isinstance(each, ExternCall | ScanPart | BlocksPart) for each in parts):
        raise InputError(f"te.scan {step.call.name}: a step calls a function outside; compute it before the scan")
    return [nest for part in parts if isinstance(part, Sequence) for nest in part]


def _with_tiles(
    schedule: Schedule, stage: Stage, before: Mapping[Stage, Sequence[Stage]], inside: Mapping[Stage, Sequence[Stage]]
) -> list[Nest]:
    """The nest of a stage after the directives that do tiles with it."""
    tiled = [nest for each in before.get(stage, ()) for nest in _with_tiles(schedule, each, before, inside)]
    return [*tiled, _nest(schedule, stage, inside.get(stage, []))]


def _is_formula(stage: Stage) -> bool:
    """Whether a stage without a reduction is computed at the point where it is read: its formula then stands there."""
    return stage.attached is not None and not stage.op.reduce_axis and _reads_the_point(stage, stage.attached[0])


def _reads_the_point(stage: Stage, reader: Stage) -> bool:
    """Whether `reader` reads of the tensor of `stage` the element at its own point only."""
    assert isinstance(reader.op, ComputeOp)
    reads = [each for each in walk(reader.op.formula) if isinstance(each, Read) and each.tensor.op is stage.tensor.op]
    if not reads:
        raise stage.refusal(f"compute_at inside of {reader.op.name}: that does not read it; name a stage that does")
    return all(
        len(each.indices) == len(reader.op.axis)
        and all(index is axis for index, axis in zip(each.indices, reader.op.axis, strict=True))
        for each in reads
    )


def _nest(schedule: Schedule, stage: Stage, inside: Sequence[Stage]) -> Nest:
    op = stage.op
    assert isinstance(op, ComputeOp)
    body = _inlined(schedule, op.formula)
    if len(inside) > 1:
        raise stage.refusal(
            f"{len(inside)} stages are computed inside of it; one can be, leave the others by themselves"
        )
    if inside:
        return _joined(schedule, stage, body, inside[0])
    reduction = body if isinstance(body, Reduce) else None
    nest = Nest(stage.tensor, op.name, op.axis, reduction, None if reduction is not None else body)
    nest.leaves, nest.relations = list(stage.leaves), list(stage.divisions)
    nest.annotations, nest.prefetches = dict(stage.annotations), list(stage.prefetches)
    nest.unrolled_within = list(stage.unrolled_within)
    nest.intrinsic = _entry(stage)
    if stage.attached is not None and not _is_formula(stage):
        nest.attached = stage.attached[0].tensor, stage.attached[1]
    return nest


def _entry(stage: Stage) -> str | None:
    """The entry of the table of intrinsics that computes a reduction."""
    found = None if stage.intrinsic is None else stage.intrinsic[1]
    if isinstance(found, TensorIntrin):
        raise stage.refusal(f"tensorize by {found.name}: is computed inside of another stage; compute_root it")
    return found


def _inlined(schedule: Schedule, body: Expr) -> Expr:
    """`body` with the formulas of stages that have no loops of their own."""

    def formula(each: Expr) -> Expr | None:
        if not isinstance(each, Read):
            return None
        stage = schedule[each.tensor]
        if not isinstance(stage.op, ComputeOp) or not (stage.is_inlined or _is_formula(stage)):
            return None
        indices = [rewritten(index, formula) for index in each.indices]
        body = items_of(stage.op.formula)[each.tensor.value_index]
        return rewritten(renamed(body, dict(zip(stage.op.axis, indices, strict=True))), formula)

    return rewritten(body, formula)


def _joined(schedule: Schedule, stage: Stage, body: Expr, producer: Stage) -> Nest:
    """The nest of `stage` with the reduction that `producer` computes inside of one of its loops."""
    op, made = stage.op, producer.op
    assert isinstance(op, ComputeOp)
    assert isinstance(made, ComputeOp)
    assert producer.attached is not None
    if isinstance(body, Reduce):
        raise producer.refusal(
            f"compute_at inside of {op.name}: both reduce; cache_write {op.name}, or leave it by itself"
        )
    value = _inlined(schedule, made.formula)
    assert isinstance(value, Reduce)
    value = replace(value, value=renamed(value.value, dict(zip(made.axis, op.axis, strict=True))))
    scope = next(place for place, leaf in enumerate(stage.leaves) if leaf is producer.attached[1])
    outer, inner = stage.leaves[: scope + 1], stage.leaves[scope + 1 :]
    block = _Block(producer, _block(stage, producer, inner))
    nest = Nest(stage.tensor, op.name, op.axis, value, body, producer.tensor)
    nest.relations = [*stage.divisions, *block.relations]
    nest.leaves = [*outer, *(leaf for each in producer.leaves if (leaf := block.loop(each)) is not None)]
    kept = {loop: what for loop, what in stage.annotations.items() if any(loop is each for each in outer)}
    mine = {leaf: what for loop, what in producer.annotations.items() if (leaf := block.loop(loop)) is not None}
    if VECTORIZE not in mine.values():
        mine |= {loop: what for loop, what in stage.annotations.items() if what == VECTORIZE and loop not in kept}
    nest.annotations = kept | mine
    named = [(tensor, block.loop(loop)) for tensor, loop in producer.prefetches]
    nest.prefetches = [*stage.prefetches, *((tensor, leaf) for tensor, leaf in named if leaf is not None)]
    nest.intrinsic = _entry(producer)
    return nest


def _block(stage: Stage, producer: Stage, inner: Sequence[IterVar]) -> dict[IterVar, IterVar | None]:
    """For each dimension of `producer` the loop of `stage` that runs over the block of it; None where it is a point."""
    found: dict[IterVar, IterVar | None] = {}
    roots = [(leaf, _root(stage, leaf)) for leaf in inner]
    for own, axis in zip(producer.op.axis, stage.op.axis, strict=True):
        loops = [leaf for leaf, root in roots if root is axis]
        if len(loops) > 1:
            raise producer.refusal(
                f"compute_at inside of {stage.op.name}: {axis} has {len(loops)} loops inside of it; split {own} instead"
            )
        found[own] = loops[0] if loops else None
    return found


def _root(stage: Stage, loop: IterVar) -> IterVar:
    """The dimension that `loop` is part of."""
    for relation in reversed(stage.divisions):
        if isinstance(relation, Split) and (loop is relation.outer or loop is relation.inner):
            return _root(stage, relation.parent)
        if isinstance(relation, Fuse) and loop is relation.fused:
            raise stage.refusal(f"{loop}: is fused inside of a compute_at; fuse outside of it")
    return loop


class _Block:
    """The loops of a stage over a block of its tensor in place of all of it."""

    def __init__(self, stage: Stage, loops: Mapping[IterVar, IterVar | None]) -> None:
        self._stage = stage
        self._loops: dict[IterVar, IterVar | None] = dict(loops)
        self.relations: list[Split | Fuse] = [
            self._split(r) if isinstance(r, Split) else self._fuse(r) for r in stage.divisions
        ]

    def loop(self, old: IterVar) -> IterVar | None:
        """The loop over the block; None where there is one step."""
        return self._loops.get(old, old)

    def _split(self, old: Split) -> Split:
        parent = self.loop(old.parent)
        if parent is old.parent:
            return old
        if parent is None or old.by_parts:
            raise self._stage.refusal(
                f"split of {old.parent}: it runs over a block of unknown size; split by a factor there"
            )
        outer = self._made(old.outer, rounds(parent.extent, old.factor))
        return Split(parent, outer, old.inner, old.factor)

    def _fuse(self, old: Fuse) -> Fuse:
        outer, inner = self.loop(old.outer), self.loop(old.inner)
        if outer is old.outer and inner is old.inner:
            return old
        if outer is None or inner is None:
            raise self._stage.refusal(f"fuse of {old.outer} and {old.inner}: one is a point here; leave fuse out")
        return Fuse(outer, inner, self._made(old.fused, product(outer.extent, inner.extent)))

    def _made(self, old: IterVar, extent: Size) -> IterVar:
        new = IterVar(extent, old.name, is_reduction=old.is_reduction)
        self._loops[old] = new
        return new
