"""Loops and conditions with affine bounds."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IndexType, IntegerAttr, StringAttr, UnitAttr
from xdsl.dialects.utils import AbstractYieldOperation, parse_assignment, print_assignment
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap, AffineSet
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    lazy_traits_def,
    opt_prop_def,
    opt_region_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import NestedEffects, PathInterface, Turn
from s2s.dialects.loop.index import SizeOp, check_map
from s2s.dialects.operation import Op, op_definition
from s2s.types.affine import bounds

SERIAL = "serial"
PARALLEL = "parallel"
SCALABLE = "scalable"
KINDS = (SERIAL, PARALLEL, SCALABLE)
PARALLELIZE = "parallelize"
"""Attribute of a loop that a schedule asks to divide among threads; nobody has proven yet that this is legal."""
STRIP_MINE = "strip_mine"
"""Attribute of a loop that a schedule asks to run in strips; a text, where it does not, says why."""


@op_definition
class YieldOp(AbstractYieldOperation[Attribute], Op):
    """Ends the body of a `loop.for` or `loop.if` with the values it hands on."""

    name = "loop.yield"

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ForOp, IfOp), Pure()))


@op_definition
class ForOp(Op, PathInterface):
    """A counted loop: `for (i = max(lower(dims)); i < min(upper(dims)); i += step)`, with carried values.

        %sum = loop.for %i = 0 to 64 step 4 iter_args(%acc = %zero) -> (f32) {
          …
          loop.yield %next : f32
        }

    `lower` and `upper` are affine maps over `dims`, indices of enclosing loops; several results of `lower` mean their
    maximum, of `upper` their minimum. `unroll 6` asks the C compiler to unroll 6 iterations where it optimises for
    speed. The iterations of a `parallel` loop may run in any order, or at the same time. A `down` loop takes the same
    values in falling order. Both carry nothing and have constant bounds; a `parallel` loop may end at sizes of the run.
    A `scalable` loop runs as many iterations side by side as vectors hold at run time; it carries nothing, too.
    """

    name = "loop.for"

    lower = prop_def(AffineMapAttr)
    upper = prop_def(AffineMapAttr)
    step = prop_def(IntegerAttr[IndexType])
    kind = prop_def(StringAttr)
    unroll = opt_prop_def(IntegerAttr[IndexType])
    down = opt_prop_def(UnitAttr)
    dims = var_operand_def(IndexType)
    inits = var_operand_def()
    res = var_result_def()
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(SingleBlockImplicitTerminator(YieldOp), NestedEffects())

    def __init__(
        self,
        lower: AffineMap | int,
        upper: AffineMap | int,
        body: Region | Block,
        *,
        step: int = 1,
        dims: Sequence[SSAValue] = (),
        inits: Sequence[SSAValue] = (),
        kind: str = SERIAL,
        unroll: int = 1,
        down: bool = False,
    ) -> None:
        super().__init__(
            operands=[dims, inits],
            properties={
                "lower": AffineMapAttr(_as_map(lower, len(dims))),
                "upper": AffineMapAttr(_as_map(upper, len(dims))),
                "step": IntegerAttr.from_index_int_value(step),
                "kind": StringAttr(kind),
                "unroll": IntegerAttr.from_index_int_value(unroll) if unroll > 1 else None,
                "down": UnitAttr() if down else None,
            },
            result_types=[[init.type for init in inits]],
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    @property
    def index(self) -> SSAValue:
        """The induction variable."""
        return self.body.block.args[0]

    @property
    def carried(self) -> Sequence[SSAValue]:
        """The carried values, as the body sees them."""
        return self.body.block.args[1:]

    @property
    def fixed_bounds(self) -> tuple[int, int] | None:
        """Both bounds, where they are constants."""
        lower, upper = self.lower.data.results[0], self.upper.data.results[0]
        single = len(self.lower.data.results) == len(self.upper.data.results) == 1
        if not single or not isinstance(lower, AffineConstantExpr) or not isinstance(upper, AffineConstantExpr):
            return None
        return lower.value, upper.value

    def turns(self) -> Sequence[Turn]:
        return [Turn("loops as often as data say", self.dims, repeats=True, most=self.most_trips)]

    @property
    def trips(self) -> int | None:
        """How often the body runs, where the bounds are constants."""
        if self.fixed_bounds is None:
            return None
        first, end = self.fixed_bounds
        return max(0, -(-(end - first) // self.step.value.data))

    @property
    def most_trips(self) -> int | None:
        """How often the body runs at most, where it begins at a constant and ends at constants or sizes of the run."""
        if self.trips is not None:
            return self.trips
        first = self.lower.data.results[0]
        sizes = [value.owner.bounds for value in self.dims if isinstance(value.owner, SizeOp)]
        single = len(self.lower.data.results) == 1 and len(sizes) == len(self.dims)
        if not single or not isinstance(first, AffineConstantExpr):
            return None
        end = min(bounds(expr, sizes)[1] for expr in self.upper.data.results)
        return max(0, -(-(end - first.value) // self.step.value.data))

    def verify_(self) -> None:
        check_map(f"{self.name} lower bound", self.lower.data, len(self.dims))
        check_map(f"{self.name} upper bound", self.upper.data, len(self.dims))
        if self.step.value.data <= 0:
            raise VerifyException(f"{self.name}: step {self.step.value.data} is not positive")
        if self.unroll is not None and self.unroll.value.data < 2:
            raise VerifyException(f"{self.name}: unroll {self.unroll.value.data} is below 2")
        if self.kind.data not in KINDS:
            raise VerifyException(f"{self.name}: kind {self.kind.data!r} is none of {', '.join(KINDS)}")
        if self.down is not None and (self.inits or self.fixed_bounds is None):
            raise VerifyException(f"{self.name}: a loop that counts down has constant bounds and carries no values")
        if self.kind.data == PARALLEL and (self.inits or self.most_trips is None or self.down is not None):
            raise VerifyException(
                f"{self.name}: a parallel loop begins at a constant, ends at constants or sizes of the run, and has no "
                "direction and no carried values"
            )
        if self.kind.data == SCALABLE and (self.inits or self.step.value.data != 1):
            raise VerifyException(f"{self.name}: a scalable loop has a step of 1 and no carried values")
        arguments = [argument.type for argument in self.body.block.args]
        expected = [IndexType(), *(init.type for init in self.inits)]
        if arguments != expected:
            raise VerifyException(
                f"{self.name}: body takes ({_types(arguments)}), index and initial values are ({_types(expected)})"
            )
        _check_yield(self, self.body.block, self.res.types)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.index)
        printer.print_string(" = ")
        _print_bound(printer, "max", self.lower, self.dims)
        printer.print_string(" to ")
        _print_bound(printer, "min", self.upper, self.dims)
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        if self.down is not None:
            printer.print_string(" down")
        if self.kind.data != SERIAL:
            printer.print_string(f" {self.kind.data}")
        if self.unroll is not None:
            printer.print_string(f" unroll {self.unroll.value.data}")
        if self.inits:
            printer.print_string(" iter_args(")
            printer.print_list(
                list(zip(self.body.block.args[1:], self.inits, strict=True)),
                lambda pair: print_assignment(printer, *pair),
            )
            printer.print_string(") -> (")
            printer.print_list(self.res.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_empty_block=False, print_block_terminators=bool(self.inits)
        )
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        index = parser.parse_argument(expect_type=False).resolve(IndexType())
        parser.parse_punctuation("=")
        lower, lower_dims = _parse_bound(parser, "max")
        parser.parse_keyword("to")
        position = parser.pos
        upper, upper_dims = _parse_bound(parser, "min")
        dims = lower_dims or upper_dims
        if upper_dims and upper_dims != dims:
            parser.raise_error("both bounds take the same indices", position)
        step = parser.parse_integer() if parser.parse_optional_keyword("step") else 1
        down = bool(parser.parse_optional_keyword("down"))
        kind = parser.parse_optional_keyword(PARALLEL) or parser.parse_optional_keyword(SCALABLE) or SERIAL
        unroll = _unroll(parser)
        arguments, inits = [index], list[SSAValue]()
        if parser.parse_optional_keyword("iter_args"):
            pairs = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, lambda: parse_assignment(parser))
            parser.parse_punctuation("->")
            types = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
            inits = parser.resolve_operands([init for _, init in pairs], types, parser.pos)
            arguments += [argument.resolve(type) for (argument, _), type in zip(pairs, types, strict=True)]
        body = parser.parse_region(arguments)
        attributes = parser.parse_optional_attr_dict()
        op = cls(
            _as_map(lower, len(dims)),
            _as_map(upper, len(dims)),
            body,
            step=step,
            dims=dims,
            inits=inits,
            kind=kind,
            unroll=unroll,
            down=down,
        )
        op.attributes |= attributes
        if not inits and (body.block.last_op is None or not isinstance(body.block.last_op, YieldOp)):
            body.block.add_op(YieldOp())
        return op


@op_definition
class IfOp(Op, PathInterface):
    """Runs `then` where every constraint of the affine set holds for `dims`, else `otherwise`; hands on their values.

    The constraints are `expression >= 0`.
    """

    name = "loop.if"

    condition = prop_def(AffineSetAttr)
    dims = var_operand_def(IndexType)
    res = var_result_def()
    then = region_def("single_block")
    otherwise = opt_region_def("single_block")

    traits = traits_def(NestedEffects())

    assembly_format = "$condition `(` $dims `)` (`->` type($res)^)? $then (`else` $otherwise^)? attr-dict"

    def __init__(
        self,
        condition: AffineSet,
        dims: Sequence[SSAValue],
        then: Region,
        otherwise: Region | None = None,
        result_types: Sequence[Attribute] = (),
    ) -> None:
        super().__init__(
            operands=[dims],
            properties={"condition": AffineSetAttr(condition)},
            result_types=[result_types],
            regions=[then, [] if otherwise is None else [otherwise]],
        )

    def turns(self) -> Sequence[Turn]:
        return [Turn("branches on data", self.dims)]

    def verify_(self) -> None:
        if self.condition.data.num_dims != len(self.dims):
            raise VerifyException(
                f"{self.name}: set takes {self.condition.data.num_dims} dimensions, {len(self.dims)} operands given"
            )
        _check_yield(self, self.then.block, self.res.types)
        if self.otherwise is not None:
            _check_yield(self, self.otherwise.block, self.res.types)
        elif self.res:
            raise VerifyException(f"{self.name}: a result needs both regions")


def _as_map(bound: AffineMap | int, dims: int) -> AffineMap:
    """`bound`, a constant as a map over `dims` dimensions."""
    return AffineMap(dims, 0, (AffineConstantExpr(bound),)) if isinstance(bound, int) else bound


def _types(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


def _check_yield(op: IRDLOperation, block: Block, expected: Sequence[Attribute]) -> None:
    last = block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{op.name}: body does not end in loop.yield")
    given = [argument.type for argument in last.arguments]
    if given != list(expected):
        raise VerifyException(f"{op.name}: body yields ({_types(given)}), results are ({_types(expected)})")


def _print_bound(printer: Printer, word: str, bound: AffineMapAttr, dims: Sequence[SSAValue]) -> None:
    results = bound.data.results
    if len(results) == 1 and isinstance(results[0], AffineConstantExpr):
        printer.print_string(str(results[0].value))
        return
    printer.print_string(f"{word} ")
    printer.print_attribute(bound)
    printer.print_string("(")
    printer.print_list(dims, printer.print_ssa_value)
    printer.print_string(")")


def _unroll(parser: Parser) -> int:
    """The number of iterations after the keyword `unroll`; 1 without it."""
    if not parser.parse_optional_keyword("unroll"):
        return 1
    position, count = parser.pos, parser.parse_integer()
    if count < 2:
        parser.raise_error(f"unroll {count} is below 2", position)
    return count


def _parse_bound(parser: Parser, word: str) -> tuple[AffineMap | int, Sequence[SSAValue]]:
    if not parser.parse_optional_keyword(word):
        return parser.parse_integer(), []
    bound = parser.parse_attribute()
    if not isinstance(bound, AffineMapAttr):
        parser.raise_error("expected an affine map")
    operands = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_unresolved_operand)
    dims = [parser.resolve_operand(operand, IndexType()) for operand in operands]
    return bound.data, dims


__all__ = ["PARALLEL", "PARALLELIZE", "SCALABLE", "SERIAL", "STRIP_MINE", "ForOp", "IfOp", "YieldOp"]
