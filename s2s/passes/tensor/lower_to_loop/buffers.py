"""Map tensors to flat buffers, and find the tensors of a kernel that can share one."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue, Use

from s2s.analysis.structure.compute import reads_in_place, shape_of
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup
from s2s.dialects import tensor
from s2s.passes.tensor.lower_to_loop.partials import waits_in_result
from s2s.types.dtypes import as_tensor_type, flat_buffer


def buffer_type(type: Attribute) -> MemRefType[Attribute]:
    """Return the flat buffer that holds a tensor."""
    tensor_type = as_tensor_type(type)
    return flat_buffer(tensor_type.element_type, prod(tensor_type.get_shape()))


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
    if len(last.res) != 1 or value in last.reads or value in last.tables or value not in last.epilogue:
        return False
    if prod(shape_of(value)) != prod(last.parallel_sizes) or tensor.element_type(value) != tensor.element_type(
        last.res[0]
    ):
        return False
    return all(
        not access.is_guarded and reads_in_place(value, access, last.parallel_sizes)
        for operand, access in zip(last.epilogue, last.epilogue_accesses, strict=True)
        if operand is value
    )


def written_over(groups: Sequence[FusedGroup]) -> dict[SSAValue, SSAValue]:
    """Map each tensor inside a kernel that may overwrite another one to it: each point reads last what it replaces."""
    over: dict[SSAValue, SSAValue] = {}
    for group in groups:
        inner = [value for op in group.ops for value in op.results if all(_computes(use) for use in value.uses)]
        for number, op in enumerate(group.ops):
            if isinstance(op, tensor.TransformOp):
                continue
            later = group.ops[number + 1 :]
            for value in dict.fromkeys(op.epilogue):
                readers = [use.operation for use in value.uses]
                unread = all(reader in group.ops and reader not in later for reader in readers)
                if op.res[0] in inner and value in inner and unread and may_overwrite(op, value):
                    over[op.res[0]] = over.get(value, value)
    return over


def _computes(use: Use) -> bool:
    return isinstance(use.operation, tensor.Computation)
