"""Tensors as flat buffers, and which of them a kernel may share."""

from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.compute import reads_in_place, shape_of
from s2s.analysis.dtypes import as_tensor_type
from s2s.dialects import tensor


def buffer_type(type: Attribute) -> MemRefType[Attribute]:
    """The flat buffer that holds a tensor."""
    tensor_type = as_tensor_type(type)
    return MemRefType(tensor_type.element_type, [prod(tensor_type.get_shape())])


def may_overwrite(last: tensor.ComputeOp, value: SSAValue) -> bool:
    """Whether the only result of `last`, the final computation of a kernel, may take the place of operand `value`.

    Each of its points must read the very element that it writes, and nothing else of the operand.
    """
    if len(last.res) != 1 or value in last.reads or value in last.tables or value not in last.points:
        return False
    if prod(shape_of(value)) != prod(last.parallel_sizes) or tensor.element_type(value) != tensor.element_type(
        last.res[0]
    ):
        return False
    return all(
        not access.is_guarded and reads_in_place(value, access, last.parallel_sizes)
        for operand, access in zip(last.points, last.point_accesses, strict=True)
        if operand is value
    )
