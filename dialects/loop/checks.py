"""Checks that verifiers share: flat buffers, vectors with the right elements and lanes."""

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from s2s.types.dtypes import vector_of
from s2s.types.hints import isa


def check_flat(op: IRDLOperation, buffer: Attribute, *elements: Attribute) -> MemRefType[Attribute]:
    """Refuse a buffer that is not flat, or that holds none of `elements`, if any are given."""
    if not isa(buffer, MemRefType) or len(buffer.get_shape()) != 1:
        expected = f" of {' or '.join(map(str, elements))}" if elements else ""
        raise VerifyException(f"{op.name}: buffer {buffer} is not a flat memref{expected}")
    if elements and buffer.element_type not in elements:
        raise VerifyException(f"{op.name}: buffer {buffer} is not a flat memref of {' or '.join(map(str, elements))}")
    return buffer


def lanes_of(type: Attribute) -> int:
    """The lanes of a vector; 0 for anything else."""
    return type.get_shape()[0] if isa(type, VectorType) and len(type.get_shape()) == 1 else 0


def check_vector(op: IRDLOperation, type: Attribute, element: Attribute) -> None:
    """Refuse what is no vector of `element`, of however many lanes."""
    if not isa(type, VectorType) or not lanes_of(type) or type.element_type != element:
        raise VerifyException(f"{op.name}: {type} is no vector of {element}")


def check_lanes(op: IRDLOperation, type: Attribute, lanes: int, element: Attribute) -> None:
    """Refuse what is not a vector of this many lanes of `element`."""
    if not lanes or type != vector_of(element, lanes):
        raise VerifyException(f"{op.name}: {type} is not {lanes or 'some'} lanes of {element}")


__all__ = ["check_flat", "check_lanes", "check_vector", "lanes_of"]
