"""`tensor.scatter`, which replaces elements of a tensor at positions that are computed from data."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, TensorType, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
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
from s2s.dialects.tensor.attributes import AccessAttr, integers, values_of
from s2s.dialects.tensor.compute import (
    ScalarRegionOp,
    check_region,
    element_type,
)
from s2s.dialects.tensor.syntax import parse_apply, parse_domain, parse_operands, print_apply, print_operands
from s2s.types.dtypes import as_tensor_type


@op_definition
class ScatterOp(ScalarRegionOp):
    """`base` with elements replaced one after the other, at positions computed from data.

        y = base
        for p in domain, in lexicographic order:
            y[into(p) with place(parts[map(p)]) at axes] = apply(y[there], epilogue[map(p)])

    `place` takes one scalar of each part and yields an index for each of `axes`, where `into` is 0. A point is skipped
    if one of its indices lies outside of the tensor. `apply` takes the old element, then one scalar of each
    operand of the epilogue. Points with the same position take effect in their order.

        %y = tensor.scatter [3, 5] base(%x at (d0, d1) -> (0, d1)) axes [0]
               parts(%i at (d0, d1) -> (d0)) epilogue(%u at (d0, d1) -> (d0, d1)) place {
        ^bb0(%iv: i32):
          %at = arith.index_cast %iv : i32 to index
          tensor.yield %at : index
        } apply {
        ^bb0(%old: f32, %uv: f32):
          tensor.yield %uv : f32
        } : (tensor<4x5xf32>, tensor<3xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    """

    name = "tensor.scatter"

    domain = prop_def(DenseArrayBase.constr(i64))
    into = prop_def(AccessAttr)
    axes = prop_def(DenseArrayBase.constr(i64))
    accesses = prop_def(ArrayAttr[AccessAttr])
    base = operand_def(TensorType)
    parts = var_operand_def(TensorType)
    epilogue = var_operand_def(TensorType)
    res = result_def(TensorType)
    place = region_def("single_block")
    apply = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        domain: Sequence[int],
        base: tuple[SSAValue, AccessAttr],
        axes: Sequence[int],
        *,
        parts: Sequence[tuple[SSAValue, AccessAttr]],
        epilogue: Sequence[tuple[SSAValue, AccessAttr]],
        place: Region,
        apply: Region,
    ) -> None:
        super().__init__(
            operands=[[base[0]], [value for value, _ in parts], [value for value, _ in epilogue]],
            properties={
                "domain": integers(domain),
                "into": base[1],
                "axes": integers(axes),
                "accesses": ArrayAttr([access for _, access in [*parts, *epilogue]]),
            },
            result_types=[base[0].type],
            regions=[place, apply],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Size of each dimension of the domain."""
        return values_of(self.domain)

    @property
    def indexed_axes(self) -> tuple[int, ...]:
        """The axes of the result along which `place` yields the index."""
        return values_of(self.axes)

    @property
    def part_accesses(self) -> tuple[AccessAttr, ...]:
        """The access map of each operand of `place`."""
        return self.accesses.data[: len(self.parts)]

    @property
    def epilogue_accesses(self) -> tuple[AccessAttr, ...]:
        """The access map of each operand of `apply`."""
        return self.accesses.data[len(self.parts) :]

    def verify_(self) -> None:
        if any(size < 1 for size in self.sizes):
            raise VerifyException(f"{self.name}: domain {list(self.sizes)} has an empty dimension")
        if len(self.accesses) != len(self.parts) + len(self.epilogue):
            raise VerifyException(
                f"{self.name}: {len(self.accesses)} accesses for {len(self.parts)} parts and {len(self.epilogue)} "
                "operands of the epilogue"
            )
        operands = zip([self.base, *self.parts, *self.epilogue], [self.into, *self.accesses], strict=True)
        for value, access in operands:
            self._check_access(value, access)
        rank = len(as_tensor_type(self.base.type).get_shape())
        if len(set(self.indexed_axes)) != len(self.indexed_axes) or not set(self.indexed_axes) <= set(range(rank)):
            raise VerifyException(f"{self.name}: {list(self.indexed_axes)} are not different axes of {self.base.type}")
        if any(self.into.map.data.results[axis].used_dims() for axis in self.indexed_axes):
            raise VerifyException(f"{self.name}: {self.into.map.data} moves along an axis that has a computed index")
        if self.res.type != self.base.type:
            raise VerifyException(f"{self.name}: result {self.res.type} is not of the type {self.base.type} of base")
        indices: list[Attribute] = [IndexType()] * len(self.indexed_axes)
        check_region(f"{self.name} place", self.place, list(map(element_type, self.parts)), indices)
        element = element_type(self.base)
        check_region(f"{self.name} apply", self.apply, [element, *map(element_type, self.epilogue)], [element])

    def _check_access(self, value: SSAValue, access: AccessAttr) -> None:
        rank = len(as_tensor_type(value.type).get_shape())
        if access.map.data.num_dims != len(self.sizes) or len(access.map.data.results) != rank:
            raise VerifyException(
                f"{self.name}: {access.map.data} does not index {value.type} from {len(self.sizes)} dimensions"
            )
        if access.is_guarded:
            raise VerifyException(f"{self.name}: the access {access} is guarded; every point has all its operands")

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {list(self.sizes)}")
        print_operands(printer, "base", [self.base], [self.into])
        printer.print_string(f" axes {list(self.indexed_axes)}")
        print_operands(printer, "parts", self.parts, self.part_accesses)
        print_operands(printer, "epilogue", self.epilogue, self.epilogue_accesses)
        printer.print_string(" place ")
        printer.print_region(self.place)
        print_apply(printer, self, self.apply)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        domain, _ = parse_domain(parser)
        base = parse_operands(parser, "base")
        parser.parse_keyword("axes")
        axes = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_integer)
        parts, epilogue = parse_operands(parser, "parts"), parse_operands(parser, "epilogue")
        parser.parse_keyword("place")
        place = parser.parse_region()
        operands = [*base, *parts, *epilogue]
        end = parse_apply(parser, [name for name, _ in operands])
        pairs = list(zip(end.operands, (access for _, access in operands), strict=True))
        if len(base) != 1:
            parser.raise_error("expected one base")
        op = cls(
            domain,
            pairs[0],
            axes,
            parts=pairs[1 : 1 + len(parts)],
            epilogue=pairs[1 + len(parts) :],
            place=place,
            apply=end.apply,
        )
        op.attributes |= end.attributes
        return op
