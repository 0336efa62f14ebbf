"""Calls of C functions that the user or a code generator supplies."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    MemRefType,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read, read_any, write, write_any
from s2s.dialects.operation import Op, op_definition


@op_definition
class CallbackOp(Op, AccessInterface, PathInterface):
    """`function(outputs…, inputs…);`: a function that is no kernel of ours, which writes all elements of its outputs.

    `meaning` names the function of the module `@meanings` that computes the first outputs; the others are scratch.
    """

    name = "loop.callback"

    function = prop_def(StringAttr)
    meaning = opt_prop_def(StringAttr)
    outputs = var_operand_def(MemRefType)
    inputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$function `sets` `(` $outputs `)` `from` `(` $inputs `)` attr-dict"
        " `:` `(` type($outputs) `)` `,` `(` type($inputs) `)`"
    )

    def __init__(
        self, function: str, outputs: Sequence[SSAValue], inputs: Sequence[SSAValue], meaning: str | None = None
    ) -> None:
        super().__init__(
            operands=[outputs, inputs],
            properties={
                "function": StringAttr(function),
                "meaning": None if meaning is None else StringAttr(meaning),
            },
        )

    def accesses(self) -> Sequence[Access]:
        return [*map(write_any, self.outputs), *map(read_any, self.inputs)]

    def turns(self) -> Sequence[Turn]:
        return [Turn(f"calls {self.function.data}, whose path nobody has stated", repeats=True)]

    def verify_(self) -> None:
        if not self.outputs:
            raise VerifyException(f"{self.function.data} sets nothing, expected at least one output")


@op_definition
class BlockCallOp(Op, AccessInterface, PathInterface):
    """`function(arguments…);` on blocks of buffers, which begin at `map(indices)`, a result of the map for each.

    `extents` lists the size and the distance of each dimension of each block. The function updates the first block and
    reads all others. `arguments` are those of `#tensor.block_call`; `header` declares the function.
    """

    name = "loop.block_call"

    function = prop_def(StringAttr)
    arguments = prop_def(ArrayAttr[Attribute])
    map = prop_def(AffineMapAttr)
    extents = prop_def(ArrayAttr[DenseArrayBase[I64]])
    header = prop_def(StringAttr)
    buffers = var_operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = "$function `(` $buffers `)` `[` $map `(` $indices `)` `]` attr-dict `:` type($buffers)"

    def __init__(
        self,
        function: StringAttr,
        arguments: ArrayAttr[Attribute],
        buffers: Sequence[SSAValue],
        place: tuple[AffineMap, Sequence[SSAValue]],
        extents: Sequence[Sequence[tuple[int, int]]],
        header: StringAttr,
    ) -> None:
        affine_map, indices = place
        flat = [[number for pair in block for number in pair] for block in extents]
        super().__init__(
            operands=[buffers, indices],
            properties={
                "function": function,
                "arguments": arguments,
                "map": AffineMapAttr(affine_map),
                "extents": ArrayAttr([DenseArrayBase.from_list(i64, numbers) for numbers in flat]),
                "header": header,
            },
        )

    def accesses(self) -> Sequence[Access]:
        blocks = list(zip(self.buffers, self.map.data.results, map(_extents, self.extents), strict=True))
        buffer, start, extents = blocks[0]
        reads = [read(buffer, start, self.indices, *extents) for buffer, start, extents in blocks]
        return [write(buffer, start, self.indices, *extents), *reads]

    def turns(self) -> Sequence[Turn]:
        return [Turn(f"calls {self.function.data}, whose path nobody has stated", repeats=True)]

    def verify_(self) -> None:
        if not self.buffers or len(self.extents) != len(self.buffers):
            raise VerifyException(f"{self.function.data} takes {len(self.buffers)} blocks, expected extents for each")
        check_map(self.name, self.map.data, len(self.indices), results=len(self.buffers))
        for buffer in self.buffers:
            check_flat(self, buffer.type)


def _extents(block: DenseArrayBase[I64]) -> list[Extent]:
    numbers = list(block.get_values())
    return [Extent(int(count), int(stride)) for count, stride in zip(numbers[::2], numbers[1::2], strict=True)]


__all__ = ["BlockCallOp", "CallbackOp"]
