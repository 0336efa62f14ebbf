"""Map tensors to flat buffers, and find the tensors of a kernel that can share one."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.structure.overwriting import may_overwrite
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup
from s2s.dialects import tensor
from s2s.types.dtypes import as_tensor_type, flat_buffer


def buffer_type(type: Attribute) -> MemRefType[Attribute]:
    """Return the flat buffer that holds a tensor."""
    tensor_type = as_tensor_type(type)
    return flat_buffer(tensor_type.element_type, prod(tensor_type.get_shape()))


def written_over(groups: Sequence[FusedGroup]) -> dict[SSAValue, SSAValue]:
    """Map each tensor inside a kernel that may overwrite another one to it: each point reads last what it replaces.

    Both are read in their group alone: what others read is whole, where its operand has the room of one block.
    """
    over: dict[SSAValue, SSAValue] = {}
    for group in groups:
        results = [value for op in group.ops for value in op.results]
        inner = [value for value in results if all(use.operation in group.ops for use in value.uses)]
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
