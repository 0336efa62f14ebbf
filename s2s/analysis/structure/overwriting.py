"""Decide whether the result of a computation may take the place of an operand, or of its own partial sums."""

from math import prod

from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import reads_in_place, shape_of
from s2s.dialects import tensor
from s2s.dialects.tensor.compute import attribute_type


def waits_in_result(op: tensor.ComputeOp) -> bool:
    """Return whether partial results of `op` can wait in its result."""
    accumulators = [attribute_type(init) for init in op.inits]
    return accumulators == [tensor.element_type(result) for result in op.res] and len(accumulators) == 1


def may_overwrite(last: tensor.ComputeOp | tensor.TransformOp, value: SSAValue) -> bool:
    """Return whether the only result of `last`, the final computation of a kernel, may overwrite operand `value`.

    Each of its points must read exactly the element that it writes, and no other element of the operand.
    """
    if isinstance(last, tensor.TransformOp):
        return (
            value is not last.x
            and all(
                shape_of(value) == shape_of(last.res) and access.map == last.into.map
                for operand, access in zip(last.epilogue, last.accesses, strict=True)
                if operand is value
            )
            and value in last.epilogue
        )
    if last.schedule is not None and last.schedule.on(last).blocked_reductions and waits_in_result(last):
        return False  # the result holds partial results before its operands are read
    if len(last.res) != 1 or prod(shape_of(value)) != prod(last.parallel_sizes):
        return False
    if tensor.element_type(value) != tensor.element_type(last.res[0]):
        return False
    if value in last.reads or value in last.tables or value not in last.epilogue:
        return False
    return all(
        not access.is_guarded and reads_in_place(value, access, last.parallel_sizes)
        for operand, access in zip(last.epilogue, last.epilogue_accesses, strict=True)
        if operand is value
    )
