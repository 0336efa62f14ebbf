"""`tensor.transform`, the small linear transforms of Winograd convolution: each tile times a matrix from both sides."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float32Type,
    IntegerAttr,
    IntegerType,
    TensorType,
    f32,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import op_definition
from s2s.dialects.tensor.attributes import AccessAttr, integers
from s2s.dialects.tensor.compute import (
    ComputeOp,
    ScalarRegionOp,
    check_region,
    element_type,
)
from s2s.dialects.tensor.schedule import ScheduleAttr
from s2s.dialects.tensor.syntax import parse_apply, parse_domain, parse_operands, print_apply, print_operands
from s2s.types.affine import linear, ranges
from s2s.types.dtypes import as_tensor_type
from s2s.types.hints import isa

Matrix = tuple[tuple[float, ...], ...]


def matrix_attribute(rows: Sequence[Sequence[float]]) -> DenseIntOrFPElementsAttr:
    """Create a constant attribute of a small matrix."""
    values = [float(value) for row in rows for value in row]
    return DenseIntOrFPElementsAttr.from_list(TensorType(f32, [len(rows), len(rows[0])]), values)


@op_definition
class TransformOp(ScalarRegionOp):
    """Tiles of an image, each multiplied by one small matrix from the left and by another from the right.

        y[into(p, i, j)] = apply(sum over k, l of left[i, k] * right[j, l] * x[read(p, k, l)], epilogue[map(p, i, j)])

    Integers are extended to the type of `acc`, of 32 or 16 bits, in which sums wrap around, and multiplied by matrices
    of integers. `offset` is added to each element that is read, before the products, as the negated zero point of bytes
    is. `divisor` divides each sum exactly: with `2^k` its largest power of two, the quotient is the number of `32 - k`
    bits whose product with it equals the sum, modulo `2^32`.

    `p` runs over a rectangular domain of tiles; the matrices say how far `i, j, k, l` run. A guarded read counts as
    zero outside of the operand. A guarded `into` leaves out what overhangs the result, operands of the epilogue
    included; every element of the result is written exactly once. The schedule has the dimensions of `p` alone.

        %v = tensor.transform [14, 14, 64] left dense<…> : tensor<6x6xf32> right dense<…> : tensor<6x6xf32>
               read(%x at (ty, tx, c, k, l) -> (4 * ty + k - 1, 4 * tx + l - 1, c))
               into (ty, tx, c, i, j) -> (6 * i + j, 14 * ty + tx, c) apply {
        ^bb0(%acc: f32):
          tensor.yield %acc : f32
        } : (tensor<56x56x64xf32>) -> tensor<36x196x64xf32>
    """

    name = "tensor.transform"

    domain = prop_def(DenseArrayBase.constr(i64))
    left = prop_def(DenseIntOrFPElementsAttr)
    right = prop_def(DenseIntOrFPElementsAttr)
    read = prop_def(AccessAttr)
    into = prop_def(AccessAttr)
    accesses = prop_def(ArrayAttr[AccessAttr])
    schedule = opt_prop_def(ScheduleAttr)
    offset = opt_prop_def(IntegerAttr)
    divisor = opt_prop_def(IntegerAttr)
    x = operand_def(TensorType)
    epilogue = var_operand_def(TensorType)
    res = result_def(TensorType)
    apply = region_def("single_block")

    traits = traits_def(Pure())

    def __init__(
        self,
        domain: Sequence[int],
        left: DenseIntOrFPElementsAttr,
        right: DenseIntOrFPElementsAttr,
        read: tuple[SSAValue, AccessAttr],
        into: AccessAttr,
        apply: Region,
        result_type: Attribute,
        *,
        epilogue: Sequence[tuple[SSAValue, AccessAttr]] = (),
        schedule: ScheduleAttr | None = None,
        offset: int = 0,
        divisor: int = 1,
    ) -> None:
        super().__init__(
            operands=[read[0], [value for value, _ in epilogue]],
            properties={
                "domain": integers(domain),
                "left": left,
                "right": right,
                "read": read[1],
                "into": into,
                "accesses": ArrayAttr([access for _, access in epilogue]),
                "schedule": schedule,
                "offset": IntegerAttr(offset, i32) if offset else None,
                "divisor": IntegerAttr(divisor, i32) if divisor != 1 else None,
            },
            result_types=[result_type],
            regions=[apply],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Size of each dimension of the domain of tiles."""
        return self.domain.get_values()

    @property
    def rank(self) -> int:
        """Number of dimensions of the domain of tiles."""
        return len(self.sizes)

    @property
    def matrices(self) -> tuple[Matrix, Matrix]:
        """The left and the right matrix, by rows."""
        return _rows(self.left), _rows(self.right)

    @property
    def carrier(self) -> Float32Type | IntegerType:
        """The type that is computed in, which `apply` takes first: f32, or i32 or i16 for integers."""
        if element_type(self.x) == f32:
            return f32
        arguments = self.apply.block.args
        return i16 if arguments and arguments[0].type == i16 else i32

    @property
    def added(self) -> int:
        """What is added to each element that is read."""
        return 0 if self.offset is None else self.offset.value.data

    @property
    def divided_by(self) -> int:
        """What each sum is divided by."""
        return 1 if self.divisor is None else self.divisor.value.data

    @property
    def outputs(self) -> tuple[int, int]:
        """The extents of `i` and `j`."""
        left, right = self.matrices
        return len(left), len(right)

    @property
    def window(self) -> tuple[int, int]:
        """The extents of `k` and `l`."""
        left, right = self.matrices
        return len(left[0]), len(right[0])

    @property
    def read_sizes(self) -> tuple[int, ...]:
        """The sizes of `(p, k, l)`."""
        return (*self.sizes, *self.window)

    @property
    def write_sizes(self) -> tuple[int, ...]:
        """The sizes of `(p, i, j)`."""
        return (*self.sizes, *self.outputs)

    def verify_(self) -> None:
        if any(size < 1 for size in self.sizes):
            raise VerifyException(f"{self.name}: domain {list(self.sizes)} has an empty dimension")
        for matrix in (self.left, self.right):
            shape = as_tensor_type(matrix.type).get_shape()
            if len(shape) != 2 or not isinstance(matrix.get_element_type(), Float32Type):
                raise VerifyException(f"{self.name}: {matrix.type} is no matrix of f32")
        if len(self.accesses) != len(self.epilogue):
            raise VerifyException(
                f"{self.name}: {len(self.accesses)} accesses for {len(self.epilogue)} operands of the epilogue"
            )
        for value, access in [
            (self.x, self.read),
            (self.res, self.into),
            *zip(self.epilogue, self.accesses, strict=True),
        ]:
            self._check_access(value, access)
        if any(access.is_guarded for access in self.accesses):
            raise VerifyException(
                f"{self.name}: operands of the epilogue are read where the result is written, without a guard"
            )
        self._check_elements()
        arguments = [self.carrier, *(element_type(value) for value in self.epilogue)]
        check_region(f"{self.name} apply", self.apply, arguments, [element_type(self.res)])
        self._check_covered()
        if self.schedule is not None:
            self._check_schedule(self.schedule)

    def _check_elements(self) -> None:
        types = {element_type(self.x), element_type(self.res)}
        if types != {f32} and not types <= {i8, i16, i32}:
            raise VerifyException(
                f"{self.name}: transforms {self.x.type} to {self.res.type}, neither f32 to f32 nor integers to integers"
            )
        if types == {f32}:
            if self.offset is not None:
                raise VerifyException(f"{self.name}: adds {self.added} to numbers of f32; an offset is for integers")
            if self.divisor is not None:
                raise VerifyException(f"{self.name}: divides numbers of f32; a divisor is for integers")
            return
        if self.divided_by < 1:
            raise VerifyException(f"{self.name}: divides by {self.divided_by}, which is not positive")
        for value in (value for matrix in self.matrices for row in matrix for value in row):
            if not value.is_integer():
                raise VerifyException(f"{self.name}: {value} in a matrix of integers")

    def _check_schedule(self, schedule: ScheduleAttr) -> None:
        schedule.verify_for(self)
        state = schedule.on(self)
        for dim, size in state.blocks:
            if dim == state.order[-1]:
                raise VerifyException(
                    f"{self.name}: blocks of {size} cut dimension {dim}, a whole row of tiles; block another dimension"
                )

    def _check_access(self, value: SSAValue, access: AccessAttr) -> None:
        rank = len(as_tensor_type(value.type).get_shape())
        if access.map.data.num_dims != self.rank + 2 or len(access.map.data.results) != rank:
            raise VerifyException(
                f"{self.name}: {access.map.data} does not index {value.type} from {self.rank + 2} dimensions"
            )
        if any(divisor > 1 for divisor in access.division):
            raise VerifyException(f"{self.name}: the access {access} divides")

    def _check_covered(self) -> None:
        """Check that the access maps cover every element of the result exactly once, each axis by mixed-radix
        digits."""
        box, seen = ranges(self.write_sizes), set[int]()
        for expr, size in zip(self.into.map.data.results, as_tensor_type(self.res.type).get_shape(), strict=True):
            extent, form = 1, linear(expr, box)
            for atom, factor in sorted(form.terms.items(), key=lambda term: term[1]):
                dims = atom.used_dims()
                if len(dims) != 1 or dims & seen or factor != extent:
                    raise VerifyException(f"{self.name}: {expr} does not count through an axis of {self.res.type}")
                seen |= dims
                extent *= self.write_sizes[min(dims)]
            if form.constant or extent < size or (extent > size and not self.into.is_guarded):
                raise VerifyException(f"{self.name}: {expr} takes {extent} values, an axis of {self.res.type} {size}")
        missed = [dim for dim, size in enumerate(self.write_sizes) if size > 1 and dim not in seen]
        if missed:
            raise VerifyException(f"{self.name}: dimensions {missed} write the same elements again")

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {list(self.sizes)} left ")
        printer.print_attribute(self.left)
        printer.print_string(" right ")
        printer.print_attribute(self.right)
        print_operands(printer, "read", [self.x], [self.read])
        print_operands(printer, "epilogue", self.epilogue, self.accesses.data)
        printer.print_string(" into ")
        printer.print_attribute(self.into)
        if self.offset is not None:
            printer.print_string(f" offset {self.added}")
        if self.divisor is not None:
            printer.print_string(f" divisor {self.divided_by}")
        if self.schedule is not None:
            printer.print_string(" schedule ")
            printer.print_attribute(self.schedule)
        print_apply(printer, self, self.apply)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        domain, _ = parse_domain(parser)
        parser.parse_keyword("left")
        left = _parse_matrix(parser)
        parser.parse_keyword("right")
        right = _parse_matrix(parser)
        reads = parse_operands(parser, "read")
        epilogue = parse_operands(parser, "epilogue")
        parser.parse_keyword("into")
        into = parser.parse_attribute()
        if len(reads) != 1 or not isinstance(into, AccessAttr):
            parser.raise_error("expected one read, and a #tensor.access for the result")
        offset = parser.parse_integer() if parser.parse_optional_keyword("offset") else 0
        divisor = parser.parse_integer() if parser.parse_optional_keyword("divisor") else 1
        schedule = parser.parse_attribute() if parser.parse_optional_keyword("schedule") else None
        operands = [*reads, *epilogue]
        end = parse_apply(parser, [name for name, _ in operands])
        pairs = list(zip(end.operands, (access for _, access in operands), strict=True))
        op = cls(
            domain,
            left,
            right,
            pairs[0],
            into,
            end.apply,
            end.results[0],
            epilogue=pairs[1:],
            schedule=schedule if isinstance(schedule, ScheduleAttr) else None,
            offset=offset,
            divisor=divisor,
        )
        op.attributes |= end.attributes
        return op


Computation = ComputeOp | TransformOp
"""The computations that kernels consist of."""


def _rows(matrix: DenseIntOrFPElementsAttr) -> Matrix:
    rows, columns = as_tensor_type(matrix.type).get_shape()
    values = [value for value in matrix.get_values() if isinstance(value, float)]
    return tuple(tuple(values[row * columns : (row + 1) * columns]) for row in range(rows))


def _parse_matrix(parser: Parser) -> DenseIntOrFPElementsAttr:
    matrix = parser.parse_attribute()
    if not isa(matrix, DenseIntOrFPElementsAttr):
        parser.raise_error(f"expected a matrix, not {matrix}")
    return matrix
