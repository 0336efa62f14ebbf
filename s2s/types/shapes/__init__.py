"""Result types of the graph operators, one function per operator, and the refusal of operands that do not fit.

The rules work on types and plain integers and know nothing of operations, so that the operations use them to build
and to verify themselves. Every refusal is a `ShapeError`.
"""

from s2s.types.shapes.common import MAX_ELEMENTS, ShapeError, broadcast

__all__ = ["MAX_ELEMENTS", "ShapeError", "broadcast"]
