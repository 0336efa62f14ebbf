"""Operations on windows that slide: over the frames of a stream, of which each run takes the new ones, or over the rows
of an image, which a loop takes one after the other.

%moved = graph.advance %old {by = 2}                     tensor<1x64x34xf32>, two frames a run
%window = graph.insert_slice %moved, %new {starts = [0, 0, 32]}
"""

from collections.abc import Sequence

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
from s2s.dialects.graph.interfaces import RareInterface, StepInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.types.shapes import sliding
from s2s.types.shapes.sliding import ROW_OF_X, RowBody, columns_of, row_bodies


@op_definition
class AdvanceOp(GraphOp, StepInterface, RareInterface):
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
class InsertSliceOp(GraphOp, RareInterface):
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
        for t in range(ticks): for each body that is due in t: rings[written] = body(rings[taken], x[row t])

    Only the body that takes the row of `x` may run in a tick without a row, and it does not. `pushed` says that the
    caller hands the rows over one after the other, so that `x` never exists.
    """

    name = "graph.line_buffers"
    bodies = prop_def(ArrayAttr[SymbolRefAttr])
    every = prop_def(INTS)
    firsts = prop_def(INTS)
    steps = prop_def(INTS)
    taken = prop_def(INTS)
    """The tensors of all bodies, one body behind the other."""
    counts = prop_def(INTS)
    """How many tensors each body takes."""
    written = prop_def(INTS)
    axis = prop_def(INT)
    pushed = opt_prop_def(UnitAttr)
    x = operand_def(TENSOR)
    begins = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), RunsNetworks(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x `(` $begins `)` attr-dict `:` functional-type(operands, results)"

    def __init__(
        self, x: Value, begins: Sequence[Value], pieces: Sequence[RowBody], *, axis: int, pushed: bool = False
    ) -> None:
        super().__init__(
            operands=[x, begins],
            result_types=[[SSAValue.get(begin).type for begin in begins]],
            properties={
                **columns_of(pieces),
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

    def check_callees(self) -> None:
        if tuple(self.begins.types) != tuple(self.outputs.types):
            raise VerifyException("the rings begin with other types than they end with")
        columns = (self.every, self.firsts, self.steps, self.counts, self.written)
        if not self.bodies.data or any(len(column) != len(self.bodies) for column in columns):
            raise VerifyException(f"{len(self.bodies)} bodies, but not as many ticks, steps and counts")
        shape, axis = as_tensor_type(self.x.type).get_shape(), self.axis.value.data
        if not 0 <= axis < len(shape) or any(size != 1 for size in shape[:axis]):
            raise VerifyException(f"the rows of {self.x.type} along axis {axis} do not lie one after the other")
        types = [self.row_type, *self.begins.types]
        for piece in self.pieces:
            self._check_piece(piece, types, shape[axis])

    def _check_piece(self, piece: RowBody, types: Sequence[Attribute], rows: int) -> None:
        if piece.every < 1 or piece.first < 0 or piece.steps < 1:
            raise VerifyException(f"@{piece.body} runs {piece.steps} times every {piece.every} from {piece.first}")
        if not 0 <= piece.written <= len(piece.taken) or not all(0 <= number < len(types) for number in piece.taken):
            raise VerifyException(f"@{piece.body} takes {piece.taken} of {len(types)} tensors")
        if ROW_OF_X in piece.taken[: piece.written] or (ROW_OF_X in piece.taken and piece.last >= rows):
            raise VerifyException(f"@{piece.body} writes to a row of the input, or runs in a tick that has none")
        inputs = [types[number] for number in piece.taken]
        check_callee(self, piece.body, inputs, inputs[: piece.written], tied=piece.written)


def one_row(type: Attribute, axis: int) -> AnyTensor:
    """Return the type of one row of a tensor along `axis`."""
    tensor = as_tensor_type(type)
    shape = list(tensor.get_shape())
    shape[axis] = 1
    return tensor_type(tensor.element_type, tuple(shape))
