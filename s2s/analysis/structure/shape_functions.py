"""Express the shape of an operation's result by the sizes that vary, from the operation's type rule.

The rule is asked for the shape of operands whose sizes are symbols (`types/size.py`). A convolution of width 3 with
stride 2 and padding 1 computes `(W + 2 - 3) floordiv 2 + 1` of `W` columns: `(W + 1) floordiv 2`. No operation needs a
formula of its own, but those that state their shape: they would give the same at all sizes.
"""

from collections.abc import Mapping, Sequence

from xdsl.ir import Block

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.extents import reshaped
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.dialects.graph.traits import FusionKind, fusion_kind
from s2s.errors import UnsupportedError
from s2s.types.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.types.shapes import ShapeError
from s2s.types.size import Ledger, Size, symbols_of
from s2s.types.size_expressions import divided, simplified
from s2s.types.sizes import Extents, SizeTable, extents_of, shape_at, with_derived


def result_extents(op: GraphOp, operands: Sequence[Extents], table: SizeTable) -> Extents:
    """Return the extents of the result of `op`, whose operands have these extents."""
    shape = shape_of(op.y)
    match op:
        case graph.ReshapeOp():
            return reshaped(shape_of(op.x), operands[0], shape, table)
        case graph.BroadcastToOp():
            return ("",) * (len(shape) - len(operands[0])) + operands[0]
        case graph.NonzeroOp():
            return (op.size.data if op.size.data in table.given else "",)
        case graph.DynamicSliceOp() | graph.DynamicReshapeOp():
            return _stated(op, table)
        case graph.TopKOp():
            return _chosen(op.count.value.data, shape_of(op.x), operands[0])
        case graph.NonMaxSuppressionOp():
            return _chosen(op.most.value.data, shape_of(op.scores), operands[1])
        case graph.SliceOp():
            return _sliced(op, operands[0], table)
        case graph.MatmulOp():
            return _product(op, operands)
        case _ if len(op.operands) > 1 and fusion_kind(op) <= FusionKind.BROADCAST:
            return _broadcast(op, operands)
        case _:
            return _ShapeFunction(op, operands, table).extents()


def _product(op: graph.MatmulOp, operands: Sequence[Extents]) -> Extents:
    """Return the extents of a product of matrices: rows of the first factor, columns of the second."""
    a, b = operands
    shape = shape_of(op.y)
    rows = a[-1 if op.transpose_a is not None else -2]
    columns = b[-2 if op.transpose_b is not None else -1]
    return (*_merged(shape[:-2], [shape_of(op.a)[:-2], shape_of(op.b)[:-2]], [a[:-2], b[:-2]]), rows, columns)


def _broadcast(op: GraphOp, operands: Sequence[Extents]) -> Extents:
    """Return the extents of an elementwise operation."""
    return _merged(shape_of(op.y), [shape_of(value) for value in op.operands], operands)


def _merged(shape: Sequence[int], shapes: Sequence[Sequence[int]], operands: Sequence[Extents]) -> Extents:
    """Return the extents of what operands of `shapes` are broadcast to. A constant that is as long as the greatest size
    is read up to the size; an axis of one element is repeated."""
    found = [""] * len(shape)
    for own, extents in zip(shapes, operands, strict=True):
        for axis, (size, name) in enumerate(zip(own, extents, strict=True), len(shape) - len(own)):
            if not name or size != shape[axis]:
                continue
            if found[axis] not in ("", name):
                raise UnsupportedError(
                    f"has operands with the sizes {found[axis]} and {name}; give one of them to both"
                )
            found[axis] = name
    return tuple(found)


def _chosen(count: int, shape: Sequence[int], extents: Extents) -> Extents:
    """Return the extents of `count` elements of each row: all of them where that many are chosen, else constant."""
    return (*extents[:-1], extents[-1] if count == shape[-1] else "")


def _stated(op: graph.DynamicSliceOp | graph.DynamicReshapeOp, table: SizeTable) -> Extents:
    """Return the extents of a result whose operation states them, none where sizes are constant."""
    stated = extents_of(op.extents, len(op.extents))
    unknown = next((name for name in stated if name and name not in table), None)
    if unknown is not None:
        raise UnsupportedError(f"has the size {unknown}, which the network does not; give every --dim a constant size")
    return stated


def _sliced(op: graph.SliceOp, extents: Extents, table: SizeTable) -> Extents:
    """Return the extents of a slice: what reaches the end of an axis of varying size does so in every run."""
    found = list[str]()
    parts = zip(op.starts.get_values(), op.sizes.get_values(), op.strides.get_values(), strict=True)
    for name, size, (start, count, stride) in zip(extents, shape_of(op.x), parts, strict=True):
        if not name or (start + count * stride < size and stride > 0):
            found.append("")
        elif stride < 0:
            raise UnsupportedError(f"reads from the end of an axis, whose size {name} varies; give it a constant size")
        else:
            bounds = [(0, each.most) for each in table.given.values()]
            count = divided(table[name] + (stride - 1 - start), stride, bounds)
            found.append(table.name_of(simplified(count, bounds)))
    return tuple(found)


class _ShapeFunction:
    """The shape of the result of `op` as a function of the sizes that its operands name."""

    def __init__(self, op: GraphOp, operands: Sequence[Extents], table: SizeTable) -> None:
        self.op, self.operands, self.table = op, tuple(operands), table
        self.names = list(dict.fromkeys(name for extents in operands for name in extents if name))

    def extents(self) -> Extents:
        """Return the extents of the result."""
        if not self.names:
            return ("",) * len(shape_of(self.op.y))
        shape = self._shape(self.operands)
        if shape is None:
            shape = self._shape(tuple(map(self._cut, map(shape_of, self.op.operands), self.operands)))
        if shape is None:
            sizes = " and ".join(self.names)
            raise UnsupportedError(
                f"has a shape that depends on size {sizes} in an unknown way; give it a constant one"
            )
        return tuple(self.table.name_of(size.expr) if isinstance(size, Size) else "" for size in shape)

    def _cut(self, shape: Sequence[int], extents: Extents) -> Extents:
        """Return the extents of an operand; a constant is cut along axes that are as long as a greatest size."""
        longest = {self.table.range(name).most: name for name in self.names}
        return extents if any(extents) else tuple(longest.get(size, "") for size in shape)

    def _shape(self, operands: Sequence[Extents]) -> tuple[int, ...] | None:
        """Return the shape of the result, computed with symbols; None where the type rule gives another one at some
        sizes, or none at the greatest ones."""
        ledger = symbols_of(self.table)
        types = [
            tensor_type(as_tensor_type(value.type).element_type, self._symbols(shape_of(value), extents, ledger))
            for value, extents in zip(self.op.operands, operands, strict=True)
        ]
        shape = self._inferred(types)
        agrees = shape is not None and all(
            self._agrees(operands, shape, sizes) for guard in ledger.guards for sizes in ledger.failing(guard)
        )
        return shape if agrees else None

    def _symbols(self, shape: Sequence[int], extents: Extents, ledger: Ledger) -> tuple[int, ...]:
        return tuple(ledger.of(self.table[name]) if name else size for size, name in zip(shape, extents, strict=True))

    def _inferred(self, types: Sequence[AnyTensor]) -> tuple[int, ...] | None:
        arguments = Block(arg_types=types).args
        try:
            return self.op.clone(dict(zip(self.op.operands, arguments, strict=True))).inferred_type().get_shape()
        except ShapeError:
            return None

    def _agrees(self, operands: Sequence[Extents], shape: Sequence[int], sizes: Mapping[str, int]) -> bool:
        """Return whether the type rule gives `shape` at `sizes`, too, or nothing, as windows larger than an axis do."""
        every = with_derived(sizes, self.table.derived)
        types = [
            tensor_type(as_tensor_type(value.type).element_type, shape_at(shape_of(value), extents, every))
            for value, extents in zip(self.op.operands, operands, strict=True)
        ]
        there, values = self._inferred(types), list(sizes.values())
        return there is None or there == tuple(
            size.expr.eval(values, []) if isinstance(size, Size) else size for size in shape
        )
