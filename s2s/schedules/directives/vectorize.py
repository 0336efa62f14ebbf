"""`vectorize`: one dimension runs in vectors."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntAttr, i16
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.affine.strides import computes_floats, vectorizable
from s2s.analysis.structure.folds import folds_of
from s2s.analysis.structure.lanes import in_lanes, results_in_lanes
from s2s.analysis.tile_and_fuse.scheduled_kernel import Point, ScheduledKernel, TileView, Vectors, stride
from s2s.dialects import tensor
from s2s.dialects.loop import LANES
from s2s.dialects.loop.products import PAIR
from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Kernel, Machine, Scheduled, check_dims
from s2s.schedules.directives.sizes import parse_pair
from s2s.types.affine import at_dims, coefficient, flat_index, ranges
from s2s.types.dtypes import as_tensor_type


@irdl_attr_definition
class Vectorize(Directive):
    """Run one dimension in vectors: `vectorize<2 by 16>` for 16 lanes along dimension 2.

    Its register tile is a multiple of the lanes, by default one vector. It may be a reduction, if that is a sum,
    product, maximum or minimum: the lanes are combined last.
    """

    name = "schedule.vectorize"

    dim: IntAttr
    lanes: IntAttr

    @staticmethod
    def of(dim: int | None, lanes: int) -> "Vectorize | None":
        """`lanes` along `dim`; None for scalars."""
        return None if dim is None or lanes == 1 else Vectorize(IntAttr(dim), IntAttr(lanes))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        dim, lanes = self.dim.data, self.lanes.data
        check_dims("vectorize", [dim], op)
        allowed = (PAIR,) if isinstance(op, tensor.TransformOp) and op.carrier == i16 else LANES
        if lanes not in allowed:
            raise VerifyException(
                f"{op.name}: vectorize {dim} by {lanes}; vectors have {', '.join(map(str, allowed))} lanes"
            )
        if state.vector_dim is not None:
            raise VerifyException(
                f"{op.name}: vectorize names dimension {dim} after {state.vector_dim}; one runs in vectors"
            )

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        dim, lanes = self.dim.data, self.lanes.data
        if dim < op.rank and state.tiles[dim] % lanes:
            raise VerifyException(
                f"{op.name}: a tile of {state.tiles[dim]} along dimension {dim} is no multiple of {lanes} lanes; tile "
                f"it by {-(-state.tiles[dim] // lanes) * lanes}"
            )
        if not isinstance(op, tensor.ComputeOp):
            return
        if dim >= op.rank and (folds_of(op) is None or any(access.is_guarded for access in op.read_accesses)):
            raise VerifyException(
                f"{op.name}: dimension {dim} is a reduction that vectors cannot take in any order: no sum, product, "
                "maximum or minimum of floats whose reads never miss; vectorize a parallel dimension"
            )
        if not self._has_lanes(op, state):
            raise VerifyException(f"{op.name}: a region computes what has no form in vectors; leave vectorize out")
        crooked = [number for number, each in enumerate(op.accesses) if not self._is_even(op, number, each)]
        if crooked:
            raise VerifyException(
                f"{op.name}: operand {crooked[0]} does not move in equal steps along the lanes of dimension {dim}; "
                "vectorize another dimension, or pack the operand"
            )

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        if not isinstance(op, tensor.ComputeOp) or not isinstance(kernel, ScheduledKernel):
            return
        for view in kernel.tiles(op):
            number = fault_of_lanes(view)
            if number is not None:
                raise VerifyException(
                    f"{op.name}: operand {number} does not move in equal steps along the vectors of dimension "
                    f"{self.dim.data}, which may begin anywhere; pack it in whole register tiles, or vectorize another "
                    "dimension"
                )

    def _has_lanes(self, op: tensor.ComputeOp, state: ScheduleState) -> bool:
        """Return whether all that vectors compute exists in lanes; an intrinsic computes the reduction itself."""
        if computes_floats(op) and vectorizable(op):
            return True
        return in_lanes(op) if state.intrinsic is None else results_in_lanes(op)

    def _is_even(self, op: tensor.ComputeOp, number: int, access: tensor.AccessAttr) -> bool:
        """Return whether neighbouring lanes are equally far apart in an operand.

        With 16 lanes along `o`, `(o floordiv 32, k, o mod 32)` is even: `o = 16 * block + lane` gives
        `(block floordiv 2, k, block mod 2 * 16 + lane)`. `(o mod 24)` is not: lane 8 of a vector may start over.
        """
        dim, lanes = self.dim.data, self.lanes.data
        sizes = op.sizes if number < len(op.reads) else op.parallel_sizes
        if dim >= len(sizes) or all(dim not in expr.used_dims() for expr in access.map.data.results):
            return True
        axes = list(zip(access.map.data.results, access.division, strict=True))
        if any(divisor > 1 and dim in expr.used_dims() for expr, divisor in axes):
            return False
        box = [*ranges(sizes), (0, lanes - 1)]
        box[dim] = (0, -(-sizes[dim] // lanes) - 1)
        dims: list[AffineExpr] = [AffineDimExpr(each) for each in range(len(sizes))]
        dims[dim] = AffineDimExpr(dim) * lanes + AffineDimExpr(len(sizes))
        shape = as_tensor_type([*op.reads, *op.epilogue][number].type).get_shape()
        indices = [at_dims(expr, dims) for expr, _ in axes]
        return coefficient(flat_index(indices, shape), len(sizes), box) is not None

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        for dim in reversed(range(len(op.sizes))):
            for lanes in (machine.lanes, machine.lanes // 2):
                if lanes in LANES and op.sizes[dim] > 1:
                    yield cls(IntAttr(dim), IntAttr(lanes))

    def decide(self, state: ScheduleState) -> None:
        dim, state.lanes = self.dim.data, self.lanes.data
        state.vector_dim = dim
        if state.tiles[dim] == 1:
            state.tiles[dim] = state.lanes

    def renumber(self, mapping: Renumbering) -> "Vectorize":
        *_, inner = mapping.dims(self.dim.data)
        extent = mapping.extents(self.dim.data, self.lanes.data)[inner]
        if extent % self.lanes.data:
            raise VerifyException(f"{self.lanes.data} lanes do not fit blocks of {extent} of dimension {self.dim.data}")
        return Vectorize(IntAttr(inner), self.lanes)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"{self.lanes.data} lanes along {names[self.dim.data]}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.dim.data} by {self.lanes.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_pair(parser)


def fault_of_lanes(view: TileView) -> int | None:
    """Return the first operand of a tile of which neighbouring lanes are not equally far apart; None if there is none.
    Operands that are constants lie as they are packed."""
    dim, op, plan = view.schedule.vector_dim, view.op, view.plan
    if dim is None or dim >= op.rank or op.sizes[dim] == 1:
        return None
    if view.vectors is Vectors.AT_MULTIPLES and not view.schedule.packs and not view.tile.blocks:
        return None  # the verifier of the computation has compared them
    point = Point(view)
    for number, operand in enumerate(view.operands):
        if (plan is not None and number == plan.read) or not operand.depends_on(dim):
            continue
        if operand.is_divided or stride(point.form(operand), point.lane) is None:
            return number
    return None
