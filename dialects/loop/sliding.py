"""Windows that move through memory from run to run, and loops over rows in which windows move."""

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntegerAttr, MemRefType, SymbolRefAttr, i32, i64
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, operand_def, opt_operand_def, opt_prop_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.devices import (
    DeviceCopyOp,
    EnterDeviceOp,
    LeaveDeviceOp,
    StartDeviceCallsOp,
    StartDeviceCopyOp,
    WaitDeviceCallsOp,
    WaitDeviceCopyOp,
)
from s2s.dialects.loop.interfaces import Access, AccessInterface, read_any, write_any
from s2s.dialects.loop.network import CallForOp, CallIfOp, CallWhileOp, CopyOp, NetworkCall, ReadSizeOp, RequireOp
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import size_in_bytes
from s2s.types.shapes.sliding import RowBody, columns_of, row_bodies

_INTS = DenseArrayBase.constr(i64)
COUNT = MemRefType(i32, [1])
"""The memory for the number of rows that have arrived."""
COPIED, LEFT = 32, 7
"""Bytes that a turn of the first loop of `s2s_move_down` copies, and the most turns of its loops for what is left."""


@op_definition
class AdvanceOp(Op, AccessInterface, PathInterface):
    """Move the window that starts at element `position[0]` of `memory` on by `by` elements; `result` is the window.

    Where it would leave the memory, its elements are copied to the start. Without slack, elements behind the window,
    there is no position, and every run copies. The last `by` elements are undefined until they are written.

        memory of 8, window of 4, by 2:   [0..4) -> [2..6) -> [4..8) -> copied, [0..4)
    """

    name = "loop.advance"

    memory = operand_def(MemRefType)
    position = opt_operand_def(MemRefType)
    by = prop_def(IntegerAttr[I64])
    result = result_def(MemRefType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$memory (`at` $position^ `:` type($position))? attr-dict `:` type($memory) `->` type($result)"

    def __init__(
        self, memory: SSAValue, position: SSAValue | None, result_type: MemRefType[Attribute], *, by: int
    ) -> None:
        super().__init__(
            operands=[memory, position], properties={"by": IntegerAttr(by, i64)}, result_types=[result_type]
        )

    @property
    def slack(self) -> int:
        """The elements of memory behind a window at the start."""
        memory, window = check_flat(self, self.memory.type), check_flat(self, self.result.type)
        return memory.get_shape()[0] - window.get_shape()[0]

    def turns(self) -> Sequence[Turn]:
        window = check_flat(self, self.result.type)
        moved = (window.get_shape()[0] - self.by.value.data) * size_in_bytes(window.element_type)
        copied = Turn("copies a window in some runs", most=max(-(-moved // COPIED), LEFT), stands_alone=True)
        return [] if self.position is None else [copied]

    def accesses(self) -> Sequence[Access]:
        buffers = [self.memory, *([] if self.position is None else [self.position])]
        return [access(each) for each in buffers for access in (write_any, read_any)]

    def verify_(self) -> None:
        by, window = self.by.value.data, check_flat(self, self.result.type)
        if window.element_type != check_flat(self, self.memory.type).element_type:
            raise VerifyException(f"{self.name}: a window {window} of memory {self.memory.type}")
        if not 0 < by < window.get_shape()[0] or self.slack < 0 or self.slack % by:
            raise VerifyException(f"{self.name}: {window} moves by {by} in memory with {self.slack} elements more")
        if (self.position is None) != (self.slack == 0):
            raise VerifyException(f"{self.name}: a position belongs to memory with slack, and it has {self.slack}")
        if self.position is not None and self.position.type != MemRefType(i32, [1]):
            raise VerifyException(f"{self.name}: the position is {self.position.type}, expected memref<1xi32>")


@op_definition
class CallRowsOp(NetworkCall):
    """`for (t = 0; t < ticks; t++) if (a body is due in t) body(buffers…);`, for all bodies in their order.

    Buffer 0 is the input, of which a body that takes it gets row `t`. A buffer that a body reads is a ring: its rows
    move up by one before a body writes its last one. Any other gets row after row. `sizes` are the elements of a row
    of each buffer. With `count`, memory for the rows that have arrived, the caller runs the loop, a few rows at a time.
    A row of the input has `parts` that lie apart where a caller has all of it, one where rows lie one after the other:
    part `p` of row `t` is at `(p * rows + t) * size / parts`.
    """

    name = "loop.call_rows"

    bodies = prop_def(ArrayAttr[SymbolRefAttr])
    every = prop_def(_INTS)
    firsts = prop_def(_INTS)
    steps = prop_def(_INTS)
    taken = prop_def(_INTS)
    counts = prop_def(_INTS)
    written = prop_def(_INTS)
    sizes = prop_def(_INTS)
    parts = opt_prop_def(IntegerAttr[I64])
    count = opt_operand_def(MemRefType)
    assembly_format = (
        "(`count` $count^ `:` type($count))? (`in` $arena^ `:` type($arena))?"
        " `(` $buffers `)` attr-dict `:` `(` type($buffers) `)`"
    )

    def __init__(
        self,
        pieces: Sequence[RowBody],
        buffers: Sequence[SSAValue],
        *,
        row_sizes: Sequence[int],
        parts: int = 1,
        count: SSAValue | None = None,
        arena: SSAValue | None = None,
    ) -> None:
        sizes = DenseArrayBase.from_list(i64, list(row_sizes))
        super().__init__(
            operands=[count, arena, buffers],
            properties={**columns_of(pieces), "sizes": sizes, "parts": None if parts == 1 else IntegerAttr(parts, i64)},
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return tuple(body.string_value() for body in self.bodies)

    @property
    def pieces(self) -> list[RowBody]:
        """The bodies in order."""
        return list(row_bodies(self.properties))

    @property
    def row_sizes(self) -> list[int]:
        """The elements of a row of each buffer."""
        return [int(size) for size in self.sizes.get_values()]

    @property
    def rows(self) -> int:
        """The rows of the input."""
        return check_flat(self, self.buffers[0].type).get_shape()[0] // self.row_sizes[0]

    def calls(self) -> Iterable[tuple[str, Sequence[SSAValue]]]:
        return [(piece.body, [self.buffers[number] for number in piece.taken]) for piece in self.pieces]

    def accesses(self) -> Sequence[Access]:
        counted = [] if self.count is None else [write_any(self.count), read_any(self.count)]
        return [*counted, *(access for access in super().accesses() if access != write_any(self.buffers[0]))]

    def verify_(self) -> None:
        if len(self.row_sizes) != len(self.buffers):
            raise VerifyException(f"{self.name}: {len(self.row_sizes)} sizes of rows for {len(self.buffers)} buffers")
        for buffer, row in zip(self.buffers, self.row_sizes, strict=True):
            if row < 1 or check_flat(self, buffer.type).get_shape()[0] % row:
                raise VerifyException(f"{self.name}: {buffer.type} is not made of rows of {row} elements")
        if self.row_parts < 1 or self.row_sizes[0] % self.row_parts or (self.row_parts > 1 and self.count is None):
            raise VerifyException(
                f"{self.name}: {self.row_parts} parts of a row of {self.row_sizes[0]} elements; only a caller who "
                "hands rows over puts parts together"
            )
        if self.count is not None and self.count.type != COUNT:
            raise VerifyException(f"{self.name}: counts in {self.count.type}, expected {COUNT}")

    @property
    def row_parts(self) -> int:
        """How many parts of a row of the input lie apart."""
        return 1 if self.parts is None else self.parts.value.data

    def with_arena(self, arena: SSAValue) -> "CallRowsOp":
        return CallRowsOp(
            self.pieces, self.buffers, row_sizes=self.row_sizes, parts=self.row_parts, count=self.count, arena=arena
        )


@op_definition
class EndRowsOp(Op, AccessInterface):
    """No further rows are counted in `count`: a caller who hands over rows has to begin anew."""

    name = "loop.end_rows"

    count = operand_def(MemRefType)
    assembly_format = "$count attr-dict `:` type($count)"

    def __init__(self, count: SSAValue) -> None:
        super().__init__(operands=[count])

    def accesses(self) -> Sequence[Access]:
        return [read_any(self.count), write_any(self.count)]


STEPS = (
    CallOp,
    AdvanceOp,
    CopyOp,
    ReadSizeOp,
    RequireOp,
    DeviceCopyOp,
    StartDeviceCopyOp,
    WaitDeviceCopyOp,
    EnterDeviceOp,
    LeaveDeviceOp,
    StartDeviceCallsOp,
    WaitDeviceCallsOp,
    CallIfOp,
    CallWhileOp,
    CallForOp,
    CallRowsOp,
    EndRowsOp,
)
"""What the function of a network does, one after the other."""


__all__ = ["COUNT", "STEPS", "AdvanceOp", "CallRowsOp", "EndRowsOp"]
