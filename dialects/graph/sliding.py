"""Operations on windows that slide: over the frames of a stream, of which each run takes the new ones, or over the rows
of an image, which a loop takes one after the other.

%moved = graph.advance %old {by = 2}                     tensor<1x64x34xf32>, two frames a run
%window = graph.insert_slice %moved, %new {starts = [0, 0, 32]}
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.base import INT, INTS, TENSOR, GraphOp, Value, integer, ints, type_of
from s2s.dialects.graph.control import NetworkOp, RunsNetworks, check_callee
from s2s.dialects.graph.interfaces import StepInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.types.shapes import sliding
from s2s.types.shapes.sliding import ROW_OF_X, RowBody, columns_of, moving, row_bodies
from s2s.types.symbols import function_named


@op_definition
class AdvanceOp(GraphOp, StepInterface):
    """`y[i] = x[i + by]` over elements in row-major order; the last `by` elements have no defined value.

    In row-major order all rows move at once: what leaves one row at its front enters the row before at its end, where
    the new frames replace it. `slack` is how many elements of memory a network keeps behind those of `x`: the window
    moves through them from run to run, and its elements are copied when it reaches the end (`loop.advance`).
    """

    name = "graph.advance"
    x = operand_def(TENSOR)
    by = prop_def(INT)
    slack = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, by: int, slack: int = 0) -> None:
        super().__init__([x], {"by": integer(by), "slack": integer(slack)})

    def inferred_type(self) -> AnyTensor:
        return sliding.advance(type_of(self.x), self.by.value.data)

    def verify_(self) -> None:
        super().verify_()
        slack, by = self.slack.value.data, self.by.value.data
        if slack < 0 or slack % by:
            raise VerifyException(f"{self.name}: slack is {slack}, expected a multiple of by = {by}")


@op_definition
class InsertSliceOp(GraphOp):
    """`y = x`, with the elements of `u` in place of its own from `starts` on."""

    name = "graph.insert_slice"
    x = operand_def(TENSOR)
    u = operand_def(TENSOR)
    starts = prop_def(INTS)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x `,` $u attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, u: Value, *, starts: Sequence[int]) -> None:
        super().__init__([x, u], {"starts": ints(starts)})

    def inferred_type(self) -> AnyTensor:
        return sliding.insert_slice(type_of(self.x), type_of(self.u), self.starts.get_values())


@op_definition
class LineBuffersOp(NetworkOp):
    """Run bodies tick by tick: tick `t` brings row `t` of `x` along `axis`, and runs the bodies that are due, in order.

        rings = begins
        for t in range(ticks): for each body that is due in t: for row in body(row t of x, rings): put the row away

    A tensor that a body reads is a ring: its first row leaves it, and the new row is put behind its others. One that no
    body reads ends as all rows of a result. Only the body that takes the row of `x` may not run in a tick without a
    row. `pushed` says that the caller hands the rows over one after the other, so that `x` never exists; only then may
    the elements of a row lie apart in `x`.
    """

    name = "graph.line_buffers"
    bodies = prop_def(ArrayAttr[SymbolRefAttr])
    every = prop_def(INTS)
    firsts = prop_def(INTS)
    steps = prop_def(INTS)
    taken = prop_def(INTS)
    """The tensors of all bodies, one body behind the other: rings, then results, in the order of `outputs`."""
    counts = prop_def(INTS)
    """How many tensors each body takes."""
    written = prop_def(INTS)
    rows = prop_def(INTS)
    """How many rows each output has."""
    axis = prop_def(INT)
    pushed = opt_prop_def(UnitAttr)
    x = operand_def(TENSOR)
    begins = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), RunsNetworks(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x `(` $begins `)` attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        begins: Sequence[Value],
        pieces: Sequence[RowBody],
        *,
        results: Sequence[Attribute],
        rows: Sequence[int],
        axis: int,
        pushed: bool = False,
    ) -> None:
        super().__init__(
            operands=[x, begins],
            result_types=[[*(SSAValue.get(begin).type for begin in begins), *results]],
            properties={
                **columns_of(pieces),
                "rows": ints(rows),
                "axis": integer(axis),
                "pushed": UnitAttr() if pushed else None,
            },
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return tuple(body.string_value() for body in self.bodies)

    @property
    def repetitions(self) -> tuple[int, ...]:
        return tuple(int(steps) for steps in self.steps.get_values())

    @property
    def pieces(self) -> list[RowBody]:
        """The bodies in order."""
        return list(row_bodies(self.properties))

    @property
    def row_type(self) -> AnyTensor:
        """The type of one row of `x`."""
        return one_row(self.x.type, self.axis.value.data)

    @property
    def row_parts(self) -> int:
        """How many parts of a row of `x` lie apart in memory: 1 where rows lie one after the other."""
        return prod(as_tensor_type(self.x.type).get_shape()[: self.axis.value.data])

    @property
    def row_sizes(self) -> list[int]:
        """The elements of one row of `x` and of each output."""
        sizes = (prod(as_tensor_type(output.type).get_shape()) for output in self.outputs)
        parts = [size // rows for size, rows in zip(sizes, self.rows.get_values(), strict=True)]
        return [prod(self.row_type.get_shape()), *parts]

    def check_callees(self) -> None:
        kept = tuple(self.begins.types)
        if tuple(self.outputs.types[: len(kept)]) != kept:
            raise VerifyException("the rings begin with other types than they end with")
        columns = (self.every, self.firsts, self.steps, self.counts, self.written)
        if not self.bodies.data or any(len(column) != len(self.bodies) for column in columns):
            raise VerifyException(f"{len(self.bodies)} bodies, but not as many ticks, steps and counts")
        if len(self.rows) != len(self.outputs):
            raise VerifyException(f"{len(self.rows)} numbers of rows for {len(self.outputs)} tensors")
        shape, axis = as_tensor_type(self.x.type).get_shape(), self.axis.value.data
        if not 0 <= axis < len(shape) or (self.row_parts > 1 and self.pushed is None):
            raise VerifyException(f"the rows of {self.x.type} along axis {axis} do not lie one after the other")
        types = [self.row_type, *self.outputs.types]
        for piece in self.pieces:
            self._check_piece(piece, types, shape[axis])
        self._check_results()

    def _check_piece(self, piece: RowBody, types: Sequence[Attribute], rows: int) -> None:
        if piece.every < 1 or piece.first < 0 or piece.steps < 1:
            raise VerifyException(f"@{piece.body} runs {piece.steps} times every {piece.every} from {piece.first}")
        if not 0 <= piece.written <= len(piece.taken) or not all(0 <= number < len(types) for number in piece.taken):
            raise VerifyException(f"@{piece.body} takes {piece.taken} of {len(types)} tensors")
        if ROW_OF_X in piece.gets or (ROW_OF_X in piece.taken and piece.last >= rows):
            raise VerifyException(f"@{piece.body} writes to a row of the input, or runs in a tick that has none")
        if set(piece.gets) & set(piece.reads) or len(set(piece.gets)) < piece.written:
            raise VerifyException(f"@{piece.body} reads a tensor that gets its row, or has two rows for one")
        network = function_named(self, piece.body)
        results = [] if network is None else list(network.function_type.outputs)
        for number, row in zip(piece.gets, results, strict=False):
            if not is_row_of(row, types[number], self.rows.get_values()[number - 1]):
                raise VerifyException(f"{row}, which @{piece.body} computes, is no row of {types[number]}")
        check_callee(self, piece.body, [types[number] for number in piece.reads], results)

    def _check_results(self) -> None:
        """Raise an error unless rings begin as something, and each of the other tensors gets all of its rows."""
        rings, pieces = moving(self.pieces), self.pieces
        if rings != frozenset(range(ROW_OF_X + 1, ROW_OF_X + 1 + len(self.begins))):
            raise VerifyException(f"bodies read tensors {sorted(rings)}, but {len(self.begins)} begin as something")
        for number in range(ROW_OF_X + 1 + len(self.begins), ROW_OF_X + 1 + len(self.outputs)):
            if [piece.steps for piece in pieces if number in piece.gets] != [self.rows.get_values()[number - 1]]:
                raise VerifyException(f"tensor {number} does not get all of its rows from one body")


def is_row_of(row: Attribute, type: Attribute, rows: int) -> bool:
    """Return whether `row` is one of the `rows` rows of a tensor of type `type`, which lie one after the other."""
    shape = as_tensor_type(type).get_shape()
    axes = [axis for axis, size in enumerate(shape) if size == rows and prod(shape[:axis]) == 1]
    return any(one_row(type, axis) == row for axis in axes)


def one_row(type: Attribute, axis: int) -> AnyTensor:
    """Return the type of one row of a tensor along `axis`."""
    tensor = as_tensor_type(type)
    shape = list(tensor.get_shape())
    shape[axis] = 1
    return tensor_type(tensor.element_type, tuple(shape))
