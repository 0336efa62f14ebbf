"""A schedule: a stage for every tensor that a function computes, and what moves work between stages."""

from collections.abc import Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.error import ScheduleError
from s2s.tvm.te.buffers import Buffer
from s2s.tvm.te.expressions import INDEX, Expr, IterVar, Read, Tensor, TensorOp
from s2s.tvm.te.extern_call import ExternOp
from s2s.tvm.te.operations import ComputeOp, Pack, Reduce
from s2s.tvm.te.rewriting import renamed, rewritten
from s2s.tvm.te.scan import ScanOp
from s2s.tvm.te.stage import Fuse, Singleton, Split, Stage
from s2s.tvm.te.tensors import computed

__all__ = ["Buffer", "Fuse", "IterVar", "Schedule", "Singleton", "Split", "Stage", "create_schedule"]


class Schedule:
    """The stages of the tensors that some operations need, producers first."""

    def __init__(self, outputs: Sequence[TensorOp]) -> None:
        self.stages: list[Stage] = []
        self._of: dict[TensorOp, Stage] = {}
        self.outputs = list(outputs)
        """The operations whose tensors are wanted."""
        for op in outputs:
            if isinstance(op, ExternOp | ScanOp):
                self._visit(op.call.outputs[0])
            elif isinstance(op, ComputeOp):
                self._visit(op.output(0))
            else:
                raise InputError(f"te.create_schedule: {op.name} is passed by the caller; name operations that compute")

    def __contains__(self, op: TensorOp) -> bool:
        return op in self._of

    def __getitem__(self, key: Tensor | TensorOp) -> Stage:
        """The stage of a tensor, or of its operation."""
        op = key.op if isinstance(key, Tensor) else key
        if op not in self._of:
            known = ", ".join(stage.op.name for stage in self.stages)
            raise InputError(f"te: {key.name}: the schedule has no stage for it; it has {known}")
        return self._of[op]

    def cache_write(self, tensor: Tensor | Sequence[Tensor], scope: str = "global") -> Any:
        """Compute `tensor` into a copy that is made first, and which the stage of `tensor` then writes out.

        Of an operation that makes several tensors all have copies, which are returned as a list.
        """
        stage = self._computing(tensor if isinstance(tensor, Tensor) else tensor[0], "cache_write")
        op = stage.op
        assert isinstance(op, ComputeOp)
        if stage.has_directives():
            raise stage.refusal("cache_write comes after other directives; call it first, its loops are new ones")
        axis = tuple(IterVar(each.extent, f"{each.name}.c") for each in op.axis)
        reduction = tuple(IterVar(each.extent, each.name, is_reduction=True) for each in op.reduce_axis)
        names = dict(zip([*op.axis, *op.reduce_axis], [*axis, *reduction], strict=True))
        body = op.formula
        moved = body.of(renamed(body.value, names), reduction) if isinstance(body, Reduce) else renamed(body, names)
        caches = computed(f"{op.name}.{scope}", axis, moved)
        self._insert(caches[0], before=stage)
        copies = [cache(*op.axis) for cache in caches]
        stage.set_op(
            ComputeOp(op.name, op.axis, copies[0] if len(copies) == 1 else Pack(tuple(copies)), op.tag, op.attrs)
        )
        return caches[0] if isinstance(tensor, Tensor) and len(caches) == 1 else caches

    def cache_read(self, tensor: Tensor, scope: str, readers: Sequence[Tensor | TensorOp]) -> Tensor:
        """Let `readers` read `tensor` from a copy, which is a stage of its own."""
        axis = tuple(IterVar(size, f"ax{number}") for number, size in enumerate(tensor.shape))
        (copy,) = computed(f"{tensor.name}.{scope}", axis, tensor(*axis))
        stages = [self[reader] for reader in readers]
        for stage in stages:
            op = stage.op
            if not isinstance(op, ComputeOp) or all(each is not tensor for each in op.input_tensors):
                raise stage.refusal(f"cache_read: does not read {tensor.name}; name readers of it")
            stage.op = ComputeOp(op.name, op.axis, redirected(op.formula, tensor, copy), op.tag, op.attrs)
        self._insert(copy, before=min(stages, key=self.stages.index))
        return copy

    def rfactor(self, tensor: Tensor, axis: IterVar, factor_axis: int = 0) -> Any:
        """Reduce over everything but the loop `axis` first, with that as dimension `factor_axis`, then over it.

        `axis` is a reduction, whole or one of the two loops that a split has made of it. The reduction of a tuple gives
        a list of tensors.
        """
        stage = self._computing(tensor, "rfactor")
        op = stage.op
        assert isinstance(op, ComputeOp)
        if not isinstance(op.formula, Reduce) or not axis.is_reduction:
            raise stage.refusal(f"rfactor over {axis}: is no loop of the reduction; name one")
        at = factor_axis if factor_axis >= 0 else factor_axis + len(op.axis) + 1
        if not 0 <= at <= len(op.axis):
            raise stage.refusal(
                f"rfactor with factor_axis {factor_axis}: has {len(op.axis)} axes; give one within them"
            )
        split = next((each for each in stage.relations if isinstance(each, Split) and _is_half(each, axis)), None)
        own = IterVar(axis.extent, axis.name)
        last = IterVar(axis.extent, f"{axis.name}.v", is_reduction=True)
        outer = tuple(IterVar(each.extent, each.name) for each in op.axis)
        kept = [IterVar(each.extent, each.name, is_reduction=True) for each in op.reduce_axis]
        names: dict[IterVar, Expr] = dict(zip([*op.axis, *op.reduce_axis], [*outer, *kept], strict=True))
        rest: list[IterVar] = []
        for old, new in zip(op.reduce_axis, kept, strict=True):
            if old is axis:
                names[old] = own
            elif split is not None and old is split.parent:
                other = split.outer if axis is split.inner else split.inner
                loop = IterVar(other.extent, other.name, is_reduction=True)
                outside, inside = (loop, own) if axis is split.inner else (own, loop)
                names[old] = outside * split.factor + inside
                rest.append(loop)
            else:
                rest.append(new)
        taken = axis if split is None else split.parent
        if all(old is not taken for old in op.reduce_axis):
            raise stage.refusal(
                f"rfactor over {axis}: is no reduction; name one, or a loop that one split has made of it"
            )
        if not rest:
            raise stage.refusal(f"rfactor over {axis}: is the whole reduction; split it first")
        if stage.has_directives(split):
            raise stage.refusal(f"rfactor over {axis}: comes after other directives; call it first, its loops are new")
        value = renamed(op.formula.value, names)
        factored = computed(f"{op.name}.rf", (*outer[:at], own, *outer[at:]), op.formula.of(value, tuple(rest)))
        self._insert(factored[0], before=stage)
        parts = tuple(each(*op.axis[:at], last, *op.axis[at:]) for each in factored)
        stage.set_op(
            ComputeOp(
                op.name, op.axis, op.formula.of(parts[0] if len(parts) == 1 else Pack(parts), (last,)), op.tag, op.attrs
            )
        )
        return factored[0] if len(factored) == 1 else factored

    def create_group(self, outputs: object, inputs: object, include_inputs: bool = False) -> None:
        """Refused: a stage is computed by itself, or inside of one other stage."""
        raise ScheduleError("te: create_group: stages move one by one; use compute_at for each of them")

    def normalize(self) -> "Schedule":
        """The schedule itself: loops start at 0 in any case."""
        return self

    def _computing(self, tensor: Tensor, what: str) -> Stage:
        stage = self[tensor]
        if not isinstance(stage.op, ComputeOp):
            raise stage.refusal(f"{what}: no formula computes this tensor; name one that a formula computes")
        return stage

    def _visit(self, tensor: Tensor) -> None:
        if tensor.op in self._of:
            return
        for source in tensor.op.input_tensors:
            self._visit(source)
        if isinstance(tensor.op, ScanOp):
            for op in tensor.op.call.step:
                self._visit(Tensor((), INDEX, op) if not isinstance(op, ComputeOp) else op.output(0))
        for each in tensor.op.call.outputs if isinstance(tensor.op, ExternOp | ScanOp) else (tensor,):
            self._add(each, len(self.stages))

    def _insert(self, tensor: Tensor, before: Stage) -> None:
        self._add(tensor, self.stages.index(before))

    def _add(self, tensor: Tensor, place: int) -> None:
        stage = Stage(tensor)
        self.stages.insert(place, stage)
        self._of[tensor.op] = stage


def _is_half(split: Split, axis: IterVar) -> bool:
    return axis is split.outer or axis is split.inner


def redirected(body: Expr, tensor: Tensor, other: Tensor) -> Expr:
    """`body` reading `other` in place of `tensor`."""

    def replace(each: Expr) -> Expr | None:
        if not isinstance(each, Read) or each.tensor.key != tensor.key:
            return None
        return Read(other, tuple(rewritten(index, replace) for index in each.indices))

    return rewritten(body, replace)


def create_schedule(ops: TensorOp | Sequence[TensorOp]) -> Schedule:
    """The schedule that computes each tensor by plain loops, one after the other."""
    return Schedule(list(ops) if isinstance(ops, Sequence) else [ops])
