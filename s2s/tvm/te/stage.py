"""A stage of a schedule: the loops that compute one tensor, and what is said about them."""

from __future__ import annotations

from math import prod

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.error import ScheduleError
from s2s.tvm.te.expressions import Expr, IterVar, Size, Tensor, TensorOp, const
from s2s.tvm.te.extern_call import ExternOp
from s2s.tvm.te.operations import ComputeOp
from s2s.tvm.te.tensor_intrin import TensorIntrin

VECTORIZE, UNROLL, PARALLEL = "vectorize", "unroll", "parallel"


@frozen(eq=False)
class ThreadAxis:
    """A thread of a graphics processor, such as `threadIdx.x`; loops cannot be bound to it."""

    name: str
    extent: Size | None = None


def thread_axis(dom: object = None, tag: str = "", name: str = "") -> ThreadAxis:
    """A thread of a graphics processor by its tag, for programs that bind loops to it on other targets."""
    return ThreadAxis(dom if isinstance(dom, str) else tag or name)


@frozen(eq=False)
class Split:
    """`parent` in `outer` rounds of `factor` steps, which `inner` counts."""

    parent: IterVar
    outer: IterVar
    inner: IterVar
    factor: Size
    by_parts: bool = False
    """Whether the number of rounds was given."""


@frozen(eq=False)
class Fuse:
    """`outer` and the loop `inner` inside of it as one loop."""

    outer: IterVar
    inner: IterVar
    fused: IterVar


@frozen(eq=False)
class Singleton:
    """The one step of a stage without loops as a loop."""

    iter: IterVar


@frozen
class IterVarAttr:
    """How a loop runs: one of the numbers of `IterVar`, or the intrinsic that computes it."""

    iter_type: int
    tensor_intrin: str | TensorIntrin | None = None


REFUSED_PRAGMAS = {
    "debug_skip_region": "a tensor that is not computed has no values; leave it out",
    "import_llvm": "kernels are C; give the C of the function by import_c",
    "parallel_barrier_when_finish": "threads meet at the end of each kernel in any case; leave it out",
    "parallel_launch_point": "a pool of threads is passed to the network, and no loop launches any; leave it out",
    "parallel_stride_pattern": "threads take neighbouring steps of a loop; reorder the loop for others",
    "tensor_core": "is for graphics processors; use tensorize",
    "unroll_explicit": "unrolled loops are written out; leave it out",
}
"""Hints of TVM's that change nothing here, and the reasons."""
ITER_TYPES = {VECTORIZE: IterVar.Vectorized, UNROLL: IterVar.Unrolled, PARALLEL: IterVar.Parallelized}


class Stage:
    """The loops of one tensor, outermost first."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.op: TensorOp = tensor.op
        self.leaves: list[IterVar] = [*self.op.axis, *self.op.reduce_axis]
        self.relations: list[Split | Fuse | Singleton] = []
        self.annotations: dict[IterVar, str] = {}
        self.attached: tuple[Stage, IterVar] | None = None
        """The stage, and its loop, inside of which this one is computed."""
        self.producers: list[Stage] = []
        """The stages that have been attached to loops of this one; some may have been moved since."""
        self.is_inlined = False
        self.prefetches: list[tuple[Tensor, IterVar]] = []
        self.intrinsic: tuple[IterVar, str | TensorIntrin] | None = None
        self.unrolled_within: list[tuple[IterVar, int]] = []
        """Loops, and the steps up to which they and the loops inside of them are unrolled."""
        self.imports: list[str] = []
        """C of functions that an intrinsic of the program calls."""

    def __repr__(self) -> str:
        return f"stage({self.op.name}, loops {', '.join(leave.name for leave in self.leaves)})"

    @property
    def divisions(self) -> list[Split | Fuse]:
        """The relations that say how loops run."""
        return [relation for relation in self.relations if not isinstance(relation, Singleton)]

    @property
    def leaf_iter_vars(self) -> list[IterVar]:
        """The loops, outermost first."""
        return [*(relation.iter for relation in self.relations if isinstance(relation, Singleton)), *self.leaves]

    @property
    def all_iter_vars(self) -> list[IterVar]:
        """The loops, and the ones that they were made of."""
        made = [each for relation in self.relations for each in _loops_made(relation)]
        return [*self.op.axis, *self.op.reduce_axis, *made]

    @property
    def iter_var_attrs(self) -> dict[IterVar, IterVarAttr]:
        """How loops run of which the schedule says it."""
        told = {loop: IterVarAttr(ITER_TYPES[what]) for loop, what in self.annotations.items()}
        if self.intrinsic is not None:
            told[self.intrinsic[0]] = IterVarAttr(IterVar.Tensorized, self.intrinsic[1])
        return told

    def refusal(self, fact: str) -> InputError:
        """The error that refuses what the schedule says of this stage."""
        return ScheduleError(f"te: {self.op.name}: {fact}")

    def has_directives(self, besides: Split | None = None) -> bool:
        """Return whether the loops differ from plain ones by anything but the split `besides`."""
        plain: list[IterVar] = []
        for loop in (*self.op.axis, *self.op.reduce_axis):
            plain += [loop] if besides is None or loop is not besides.parent else [besides.outer, besides.inner]
        moved = len(plain) != len(self.leaves) or any(a is not b for a, b in zip(plain, self.leaves, strict=True))
        scopes = any(self.inside_of(loop) for loop in self.leaves)
        return moved or scopes or bool(self.annotations or self.prefetches or self.intrinsic)

    def inside_of(self, loop: IterVar) -> list[Stage]:
        """Return the stages that are computed inside of a loop."""
        attached = [(producer, producer.attached) for producer in self.producers if producer.attached is not None]
        return [each for each, (parent, scope) in attached if parent is self and scope is loop]

    def set_op(self, op: ComputeOp) -> None:
        """Compute the tensor by another operation, with loops of its own."""
        self.op, self.leaves = op, [*op.axis, *op.reduce_axis]
        self.relations, self.annotations = [], {}

    def split(self, parent: IterVar, factor: Size | None = None, nparts: Size | None = None) -> tuple[IterVar, IterVar]:
        """Replace a loop by two: `factor` steps in the inner one, or `nparts` rounds of the outer one."""
        place = self._replaced(parent, f"split of {parent}")
        if (factor is None) == (nparts is None):
            raise self.refusal(f"split of {parent}: takes factor or nparts; give one of them")
        size = rounds(parent.extent, nparts if nparts is not None else 1) if factor is None else factor
        if isinstance(size, int) and size < 1:
            raise self.refusal(f"split of {parent} by {size}: makes no loop; give a positive number")
        outer = IterVar(rounds(parent.extent, size), f"{parent.name}_outer", is_reduction=parent.is_reduction)
        inner = IterVar(size, f"{parent.name}_inner", is_reduction=parent.is_reduction)
        self.leaves[place : place + 1] = [outer, inner]
        self.relations.append(Split(parent, outer, inner, inner.extent, by_parts=nparts is not None))
        return outer, inner

    def tile(
        self, x_parent: IterVar, y_parent: IterVar, x_factor: Size, y_factor: Size
    ) -> tuple[IterVar, IterVar, IterVar, IterVar]:
        """Split two loops and put the inner ones inside: `x_outer, y_outer, x_inner, y_inner`."""
        x_outer, x_inner = self.split(x_parent, factor=x_factor)
        y_outer, y_inner = self.split(y_parent, factor=y_factor)
        self.reorder(x_outer, y_outer, x_inner, y_inner)
        return x_outer, y_outer, x_inner, y_inner

    def fuse(self, *loops: IterVar) -> IterVar:
        """Make one loop of loops that stand one right inside of the other."""
        if not loops and not self.op.axis and not self.leaves:
            return self._single()
        if not loops:
            raise self.refusal("fuse: no loops are given; name them")
        fused = loops[0]
        for inner in loops[1:]:
            place = self._replaced(fused, f"fuse of {fused} and {inner}")
            if self._replaced(inner, f"fuse of {fused} and {inner}") != place + 1:
                raise self.refusal(
                    f"fuse of {fused} and {inner}: {inner} is not the next loop inside; reorder them first"
                )
            if fused.is_reduction != inner.is_reduction:
                raise self.refusal(f"fuse of {fused} and {inner}: only one is a reduction; fuse loops of one kind")
            name = f"{fused.name}_{inner.name}_fused"
            made = IterVar(product(fused.extent, inner.extent), name, is_reduction=fused.is_reduction)
            self.leaves[place : place + 2] = [made]
            self.relations.append(Fuse(fused, inner, made))
            fused = made
        return fused

    def _single(self) -> IterVar:
        """Make the one step of a stage without loops a loop."""
        single = IterVar(1, "singleton")
        self.relations.append(Singleton(single))
        return single

    def reorder(self, *loops: IterVar) -> None:
        """Put `loops`, outermost first, into the places that they take together."""
        places = sorted(self._place(loop) for loop in loops)
        if len(set(places)) < len(loops):
            raise self.refusal(f"reorder of {', '.join(map(str, loops))}: a loop is named twice; name each once")
        for place, loop in zip(places, loops, strict=True):
            self.leaves[place] = loop

    def vectorize(self, loop: IterVar) -> None:
        """Run a loop in vectors."""
        self._annotate(loop, VECTORIZE)

    def unroll(self, loop: IterVar) -> None:
        """Write out the steps of a loop."""
        self._annotate(loop, UNROLL)

    def parallel(self, loop: IterVar) -> None:
        """Divide the outermost loop among threads."""
        self._annotate(loop, PARALLEL)

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Compute, inside of loop `scope` of another stage, what the loops inside of it read of this tensor."""
        parent._place(scope)
        if isinstance(self.op, ExternOp):
            raise self.refusal("compute_at: a function outside computes the whole tensor; leave it by itself")
        self.attached, self.is_inlined = (parent, scope), False
        parent.producers.append(self)

    def compute_inline(self) -> None:
        """Put the formula wherever the tensor is read."""
        if self.op.reduce_axis or not isinstance(self.op, ComputeOp):
            raise self.refusal(
                "compute_inline: no formula without a reduction computes this tensor; compute_at it, or leave it alone"
            )
        self.is_inlined, self.attached = True, None

    def compute_root(self) -> None:
        """Compute the whole tensor before any stage that reads it, as is the case by default."""
        self.is_inlined, self.attached = False, None

    def prefetch(self, tensor: Tensor, var: IterVar, offset: Size = 1) -> None:
        """Bring what the next step of loop `var` reads of `tensor` into a cache."""
        self._place(var)
        if not isinstance(offset, int) or offset != 1:
            raise self.refusal(f"prefetch {offset} steps ahead: the directive looks one step ahead; leave offset out")
        self.prefetches.append((tensor, var))

    def tensorize(self, var: IterVar, tensor_intrin: str | TensorIntrin) -> None:
        """Compute what is inside of loop `var` by `decl_tensor_intrin`'s calls of C functions; or its reduction by an
        entry of the target's table of intrinsics, given by name."""
        self._place(var)
        self.intrinsic = (var, tensor_intrin)

    def bind(self, ivar: IterVar, thread_ivar: ThreadAxis) -> None:
        """Refused: threads of graphics processors; `parallel` divides loops among threads of a processor."""
        self._place(ivar)
        raise self.refusal(f"bind of {ivar} to {thread_ivar.name}: threads of graphics processors; use parallel")

    def pragma(self, var: IterVar, pragma_type: str, pragma_value: object = None) -> None:
        """Take the C of functions that `tensorize` calls, by `import_c`; mark a loop by `vectorize`, `unroll` or
        `parallel`; or unroll the loops from this one on whose steps are at most `auto_unroll_max_step`, innermost
        first. Others are refused with the reason."""
        self._place(var)
        if pragma_type == "import_c":
            text = str(pragma_value)
            if 'extern "C"' in text and "__cplusplus" not in text:
                raise self.refusal('pragma import_c: is C++; leave extern "C" out')
            self.imports.append(text)
            return
        if pragma_type == "auto_unroll_max_step":
            self.unrolled_within.append((var, int(str(pragma_value))))
            return
        if pragma_type == "unroll_explicit" and pragma_value:
            return  # unrolled loops are written out in any case
        marks = {"vectorize": self.vectorize, "unroll": self.unroll, "parallel": self.parallel}
        if pragma_type not in marks:
            reason = REFUSED_PRAGMAS.get(pragma_type, "is not known; say it by unroll, vectorize or parallel")
            raise self.refusal(f"pragma {pragma_type}: {reason}")
        marks[pragma_type](var)

    def storage_align(self, axis: IterVar, factor: int, offset: int) -> None:
        """Ask that neighbours along `axis` lie a multiple of `factor` elements plus `offset` apart; refused where they
        do not, as tensors lie without gaps."""
        self._place(axis)
        place = next((number for number, each in enumerate(self.op.axis) if each is axis), None)
        if place is None:
            raise self.refusal(f"storage_align of {axis}: is no dimension of the tensor; name one of op.axis")
        inner = [each.extent for each in self.op.axis[place + 1 :]]
        apart = prod(each for each in inner if isinstance(each, int))
        is_open = not all(isinstance(each, int) for each in inner)
        if factor != 1 and (is_open or (apart - offset) % factor):
            lie = "an open number of" if is_open else str(apart)
            raise self.refusal(
                f"storage_align of {axis} by {factor}, {offset}: neighbours lie {lie} elements apart, without gaps; "
                "leave it out"
            )

    def double_buffer(self) -> None:
        """Refused: the plan of memory has one buffer for a tensor; `prefetch` brings the next step into a cache."""
        raise self.refusal("double_buffer: a tensor has one buffer; use prefetch")

    def rolling_buffer(self) -> None:
        """Refused: a tensor is computed whole, or in tiles by `compute_at`."""
        raise self.refusal("rolling_buffer: a tensor is computed whole or in tiles; use compute_at")

    def transform_layout(self, mapping_function: object) -> None:
        """Refused: the plan of memory lays tensors out; `cache_read` packs what an inner loop reads."""
        raise self.refusal("transform_layout: layouts of tensors are the plan's; use cache_read")

    def set_scope(self, scope: str) -> None:
        """Let the tensor lie in `global` memory, or in `local`, where registers take it; others are refused."""
        if scope not in ("global", "local", ""):
            raise self.refusal(f"set_scope {scope}: memory of graphics processors; leave it out")

    def env_threads(self, threads: object) -> None:
        """Refused: threads of graphics processors."""
        raise self.refusal(f"env_threads {threads}: threads of graphics processors; use parallel")

    def set_store_predicate(self, predicate: Expr) -> None:
        """Refused: each element is written once."""
        raise self.refusal(f"set_store_predicate {predicate}: each element is written once; use te.if_then_else")

    def _annotate(self, loop: IterVar, what: str) -> None:
        self._place(loop)
        self.annotations[loop] = what

    def _replaced(self, loop: IterVar, what: str) -> int:
        """Return the place of a loop that others are to replace; refuse one inside of which a stage is computed."""
        place = self._place(loop)
        for stage in self.inside_of(loop):
            raise self.refusal(
                f"{what}: {stage.op.name} is computed at {loop}; call compute_at last, with a loop that stays"
            )
        return place

    def _place(self, loop: IterVar) -> int:
        for place, leaf in enumerate(self.leaves):
            if leaf is loop:
                return place
        raise self.refusal(f"{loop}: is no loop here; the loops are {', '.join(leave.name for leave in self.leaves)}")


def _loops_made(relation: Split | Fuse | Singleton) -> tuple[IterVar, ...]:
    """The loops that a relation has made."""
    if isinstance(relation, Split):
        return relation.outer, relation.inner
    return (relation.fused,) if isinstance(relation, Fuse) else (relation.iter,)


def _size(size: Size) -> Expr:
    return size if isinstance(size, Expr) else const(size)


def product(a: Size, b: Size) -> Size:
    """`a * b`."""
    return a * b if isinstance(a, int) else _size(a) * b


def rounds(extent: Size, factor: Size) -> Size:
    """`ceil(extent / factor)`."""
    if isinstance(extent, int) and isinstance(factor, int):
        return -(-extent // max(factor, 1))
    divisor = _size(factor)
    return (_size(extent) + divisor - 1) // divisor
