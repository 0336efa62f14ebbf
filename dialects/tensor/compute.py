"""`tensor.compute`, the structured computation that kernels consist of."""

from collections.abc import Sequence
from math import prod
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, TensorType, i64
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    opt_prop_def,
    opt_region_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import Op, op_definition
from s2s.dialects.tensor.attributes import AccessAttr, integers, values_of
from s2s.dialects.tensor.schedule import ScheduleAttr
from s2s.dialects.tensor.syntax import parse_apply, parse_domain, parse_operands, print_apply, print_operands
from s2s.types.dtypes import as_tensor_type, scalar_type
from s2s.types.hints import isa
from s2s.types.sizes import Extents, extents_of


def element_type(value: SSAValue) -> Attribute:
    """Return the scalar type of a tensor value."""
    return scalar_type(as_tensor_type(value.type).element_type)


class ScalarRegionOp(Op):
    """An operation whose regions compute scalars and end in `tensor.yield`."""

    name = "tensor operation with scalar regions"


@op_definition
class YieldOp(AbstractYieldOperation[Attribute], Op):
    """Terminates a region of `tensor.compute` or `tensor.transform` with its scalars."""

    name = "tensor.yield"

    traits = traits_def(IsTerminator(), HasParent(ScalarRegionOp), Pure())


@op_definition
class ComputeOp(ScalarRegionOp):
    """Tensors defined point by point over a rectangular domain.

        y[p] = apply(fold over r of reduce(reads[map(p, r)], acc), epilogue[map(p)])

    The domain is `[parallel sizes | reduction sizes]`. Every result holds its parallel part in row-major order (so a
    result of shape [4, 2] may come from a domain [8]). `reduce` takes one scalar of each read, then the accumulators,
    and yields the new accumulators; it is absent where nothing is reduced, and runs in lexicographic order of the
    reduction dimensions. `apply` takes the accumulators, then one scalar of each operand of the epilogue, and yields
    one scalar for each result. Tables are whole tensors that both regions take last, for `tensor.extract`. The domain
    is that of the greatest sizes: `extents ["", "n"]` means that dimension 1 has `n` positions at run time, and tensors
    keep their strides.

        %y = tensor.compute [8 | 3] reads(%x at #x, %w at #w) epilogue(%b at #b) inits [0.0 : f32] reduce {
        ^bb0(%xv: f32, %wv: f32, %acc: f32):
          …
          tensor.yield %next : f32
        } apply {
        ^bb0(%acc: f32, %bv: f32):
          …
        } : (tensor<10xf32>, tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32>
    """

    name = "tensor.compute"

    domain = prop_def(DenseArrayBase.constr(i64))
    parallel = prop_def(IntegerAttr)
    accesses = prop_def(ArrayAttr[AccessAttr])
    inits = prop_def(ArrayAttr[Attribute])
    schedule = opt_prop_def(ScheduleAttr)
    reads = var_operand_def(TensorType)
    epilogue = var_operand_def(TensorType)
    tables = var_operand_def(TensorType)
    res = var_result_def(TensorType)
    reduce = opt_region_def("single_block")
    extents = opt_prop_def(ArrayAttr[StringAttr])
    apply = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        parallel: Sequence[int],
        reduction: Sequence[int],
        *,
        reads: Sequence[tuple[SSAValue, AccessAttr]] = (),
        epilogue: Sequence[tuple[SSAValue, AccessAttr]] = (),
        tables: Sequence[SSAValue] = (),
        inits: Sequence[Attribute] = (),
        reduce: Region | None,
        apply: Region,
        result_types: Sequence[Attribute],
        schedule: ScheduleAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[[value for value, _ in reads], [value for value, _ in epilogue], list(tables)],
            properties={
                "domain": integers([*parallel, *reduction]),
                "parallel": IntegerAttr(len(parallel), 64),
                "accesses": ArrayAttr([access for _, access in [*reads, *epilogue]]),
                "inits": ArrayAttr(list(inits)),
                "schedule": schedule,
            },
            result_types=[list(result_types)],
            regions=[[] if reduce is None else [reduce], apply],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Size of each dimension of the domain, parallel ones first."""
        return values_of(self.domain)

    @property
    def rank(self) -> int:
        """Number of parallel dimensions."""
        return self.parallel.value.data

    @property
    def parallel_sizes(self) -> tuple[int, ...]:
        """Sizes of the parallel dimensions."""
        return self.sizes[: self.rank]

    @property
    def reduction_sizes(self) -> tuple[int, ...]:
        """Sizes of the reduction dimensions."""
        return self.sizes[self.rank :]

    @property
    def read_accesses(self) -> tuple[AccessAttr, ...]:
        """The access map of each read, over the whole domain."""
        return self.accesses.data[: len(self.reads)]

    @property
    def epilogue_accesses(self) -> tuple[AccessAttr, ...]:
        """The access map of each operand of the epilogue, over the parallel dimensions."""
        return self.accesses.data[len(self.reads) :]

    @property
    def sizes_at_run_time(self) -> Extents:
        """The size that each dimension of the domain has at run time, empty for a constant one."""
        return extents_of(self.extents, len(self.sizes))

    def access_of(self, value: SSAValue) -> AccessAttr | None:
        """Return the access of the operand whose element a region sees as `value`; None if it is no such argument."""
        if not isinstance(value, BlockArgument):
            return None
        in_reduce = self.reduce is not None and value.block is self.reduce.block
        accesses = self.read_accesses if in_reduce else self.epilogue_accesses
        number = value.index if in_reduce else value.index - len(self.inits)
        return accesses[number] if 0 <= number < len(accesses) else None

    def verify_(self) -> None:
        if not 0 <= self.rank <= len(self.sizes):
            raise VerifyException(f"{self.name}: {self.rank} parallel dimensions of the domain {list(self.sizes)}")
        if any(size < 1 for size in self.sizes):
            raise VerifyException(f"{self.name}: domain {list(self.sizes)} has an empty dimension")
        if self.extents is not None and len(self.extents) != len(self.sizes):
            raise VerifyException(f"{self.name}: {len(self.extents)} extents of the domain {list(self.sizes)}")
        if len(self.accesses) != len(self.reads) + len(self.epilogue):
            raise VerifyException(
                f"{self.name}: {len(self.accesses)} accesses for {len(self.reads)} reads and {len(self.epilogue)} "
                "operands of the epilogue"
            )
        for value, access in zip(self.reads, self.read_accesses, strict=True):
            self._check_access(value, access, len(self.sizes))
        for value, access in zip(self.epilogue, self.epilogue_accesses, strict=True):
            self._check_access(value, access, self.rank)
        for result in self.res:
            if prod(as_tensor_type(result.type).get_shape()) != prod(self.parallel_sizes):
                raise VerifyException(
                    f"{self.name}: result {result.type} does not hold the parallel domain {list(self.parallel_sizes)}"
                )
        self._check_regions()
        if self.schedule is not None:
            self.schedule.verify_for(self)

    def _check_access(self, value: SSAValue, access: AccessAttr, dims: int) -> None:
        rank = len(as_tensor_type(value.type).get_shape())
        if access.map.data.num_dims != dims or len(access.map.data.results) != rank:
            raise VerifyException(f"{self.name}: {access.map.data} does not index {value.type} from {dims} dimensions")

    def _check_regions(self) -> None:
        accumulators = [attribute_type(init) for init in self.inits]
        tables = [table.type for table in self.tables]
        if (self.reduce is None) != (not self.reduction_sizes) or (self.reduce is None) != (not accumulators):
            raise VerifyException(f"{self.name}: reduction dimensions, inits and a reduce region come together")
        if self.reduce is not None:
            reads = [element_type(value) for value in self.reads]
            check_region(f"{self.name} reduce", self.reduce, [*reads, *accumulators, *tables], accumulators)
        elif self.reads:
            raise VerifyException(f"{self.name}: reads without a reduction")
        epilogue = [element_type(value) for value in self.epilogue]
        results = [element_type(value) for value in self.res]
        check_region(f"{self.name} apply", self.apply, [*accumulators, *epilogue, *tables], results)

    def print(self, printer: Printer) -> None:
        parallel = ", ".join(map(str, self.parallel_sizes))
        reduction = ", ".join(map(str, self.reduction_sizes))
        printer.print_string(f" [{parallel} | {reduction}]" if reduction else f" [{parallel}]")
        print_operands(printer, "reads", self.reads, self.read_accesses)
        print_operands(printer, "epilogue", self.epilogue, self.epilogue_accesses)
        if self.tables:
            printer.print_string(" tables(")
            printer.print_list(self.tables, printer.print_ssa_value)
            printer.print_string(")")
        if self.extents is not None:
            printer.print_string(" extents ")
            printer.print_attribute(self.extents)
        if self.schedule is not None:
            printer.print_string(" schedule ")
            printer.print_attribute(self.schedule)
        if self.reduce is not None:
            printer.print_string(" inits ")
            printer.print_attribute(self.inits)
            printer.print_string(" reduce ")
            printer.print_region(self.reduce)
        print_apply(printer, self, self.apply)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        parallel, reduction = parse_domain(parser)
        reads = parse_operands(parser, "reads")
        epilogue = parse_operands(parser, "epilogue")
        tables = list[UnresolvedOperand]()
        if parser.parse_optional_keyword("tables"):
            tables = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        extents = parser.parse_attribute() if parser.parse_optional_keyword("extents") else None
        schedule = parser.parse_attribute() if parser.parse_optional_keyword("schedule") else None
        inits, reduce = list[Attribute](), None
        if parser.parse_optional_keyword("inits"):
            inits = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_attribute)
            parser.parse_keyword("reduce")
            reduce = parser.parse_region()
        end = parse_apply(parser, [*(name for name, _ in [*reads, *epilogue]), *tables])
        accesses = [access for _, access in [*reads, *epilogue]]
        pairs = list(zip(end.operands[: len(accesses)], accesses, strict=True))
        op = cls(
            parallel,
            reduction,
            reads=pairs[: len(reads)],
            epilogue=pairs[len(reads) :],
            tables=end.operands[len(accesses) :],
            inits=inits,
            reduce=reduce,
            apply=end.apply,
            result_types=end.results,
            schedule=schedule if isinstance(schedule, ScheduleAttr) else None,
        )
        op.attributes |= end.attributes
        if extents is not None:
            op.properties["extents"] = extents
        return op


def attribute_type(init: Attribute) -> Attribute:
    """Return the type of an initial value."""
    if isa(init, FloatAttr) or isa(init, IntegerAttr):
        return init.type
    raise VerifyException(f"tensor.compute: {init} is not a number")


def check_region(name: str, region: Region, arguments: Sequence[Attribute], results: Sequence[Attribute]) -> None:
    """Raise an error for a region with other argument or result types than these."""
    given = [argument.type for argument in region.block.args]
    if given != list(arguments):
        raise VerifyException(f"{name}: takes {[str(t) for t in given]}, expected {[str(t) for t in arguments]}")
    last = region.block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{name}: does not end in tensor.yield")
    yielded = [argument.type for argument in last.arguments]
    if yielded != list(results):
        raise VerifyException(f"{name}: yields {[str(t) for t in yielded]}, expected {[str(t) for t in results]}")
