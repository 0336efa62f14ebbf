"""Cut tables of which a run reads the first elements, where no other operand of their readers tells how many.

    %y = graph.gather %x, %places                 places 0, 1, …, 639 at the greatest size N
->
    %cut = graph.dynamic_slice %places {extents = ["N"], …}
    %y = graph.gather %x, %cut
"""

from collections.abc import Sequence

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.traits import FusionKind, copy_provenance, fusion_kind


def cut_by_readers(op: graph.ConstantInterface, names: tuple[str, ...], varying: set[SSAValue]) -> SSAValue | None:
    """Cut a constant of the sizes `names` by a slice where its readers have no other operand that tells how much of it
    counts, and return the slice; `varying` are the values whose shape varies."""
    constant = op.results[0]
    readers = [use for use in constant.uses if _is_cut_by_itself(use.operation, constant, varying, names)]
    if not readers:
        return None
    rank, shape = len(names), shape_of(constant)
    made = graph.DynamicSliceOp(
        constant, starts=[0] * rank, sizes=shape, strides=[1] * rank, begins=("",) * rank, extents=names
    )
    copy_provenance(made, op)
    made.y.name_hint = constant.name_hint
    Rewriter.insert_op(made, InsertPoint.after(op))
    for use in readers:
        use.operation.operands[use.index] = made.y
    return made.y


def _is_cut_by_itself(op: Operation, constant: SSAValue, varying: set[SSAValue], names: Sequence[str]) -> bool:
    """Whether `op` reads a constant whose axes have the sizes `names`, and nothing else whose shape varies alike."""
    if isinstance(op, graph.GatherFamilyOp):
        return op.indices is constant
    if isinstance(op, graph.NetworkOp | ReturnOp):
        return True
    if isinstance(op, graph.ScatterFamilyOp):
        beside = [value for value in (op.indices, op.updates) if value is not constant and value in varying]
        return op.x is constant or not (beside and _is_as_long(constant, names, beside))
    if isinstance(op, graph.ConcatOp) and names[op.axis.value.data]:
        return True
    others = [operand for operand in op.operands if operand is not constant and operand in varying]
    if others and len(op.operands) > 1 and fusion_kind(op) <= FusionKind.BROADCAST:
        return not _is_as_long(constant, names, others)
    return True


def _is_as_long(constant: SSAValue, names: Sequence[str], others: Sequence[SSAValue]) -> bool:
    """Whether an operand that is no constant has the axes of `constant` that vary: of `[1, 24] >= [4, 1]`, not."""
    shapes = [shape_of(each)[::-1] for each in others if not isinstance(each.owner, graph.ConstantInterface)]
    sizes = zip(shape_of(constant)[::-1], reversed(names), strict=True)
    return all(
        any(axis < len(shape) and shape[axis] == size for shape in shapes)
        for axis, (size, name) in enumerate(sizes)
        if name
    )
