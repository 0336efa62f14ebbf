"""Control flow between networks: operations that call other functions of the module.

A sub-network is a function like `main`: weights, operations, a return. Its attribute `tied` names for each result the
argument that it replaces in the next step, or -1: the loop-carried values of a scan or a loop, and the state of `main`.
"""

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    FunctionType,
    StringAttr,
    SymbolRefAttr,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.base import INT, INTS, TENSOR, Value, integer, ints
from s2s.dialects.graph.interfaces import StepInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.types.symbols import function_named

TIED = "tied"
"""Attribute of a network: for each result the number of the argument that it replaces in the next step, or -1."""

Types = Sequence[Attribute]


def tied_arguments(network: FuncOp) -> tuple[int | None, ...]:
    """Return for each result of `network` the argument that it is tied to."""
    listed = network.attributes.get(TIED)
    if not isinstance(listed, DenseArrayBase):
        return (None,) * len(network.function_type.outputs)
    return tuple(None if number < 0 else int(number) for number in listed.get_values())


def _symbol(callee: str | SymbolRefAttr) -> SymbolRefAttr:
    return SymbolRefAttr(callee) if isinstance(callee, str) else callee


def check_callee(op: Operation, callee: str, inputs: Types, outputs: Types, tied: int = 0) -> None:
    """Raise an error unless `callee` is a network of these types whose first `tied` results are tied to its first
    arguments."""
    network = function_named(op, callee)
    if network is None:
        raise VerifyException(f"@{callee} is not a function of this module")
    wanted = FunctionType.from_lists(list(inputs), list(outputs))
    if network.function_type != wanted:
        raise VerifyException(f"run as {wanted}, but @{callee} is {network.function_type}")
    expected = tuple(number if number < tied else None for number in range(len(outputs)))
    if tied_arguments(network) != expected:
        raise VerifyException(f"@{callee} ties its results to {tied_arguments(network)}, expected {expected}")


class RunsNetworks(SymbolUserOpInterface):
    """Verifies that every callee is a network of the types with which the operation calls it."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, NetworkOp)
        op.check_callees()


class NetworkOp(StepInterface):
    """The base class of operations that call networks."""

    @property
    def networks(self) -> tuple[str, ...]:
        """The names of the networks that the operation may run."""
        raise NotImplementedError

    @property
    def repetitions(self) -> tuple[int, ...]:
        """How many times each of the networks runs: once where that depends on the data."""
        return (1,) * len(self.networks)

    def check_callees(self) -> None:
        """Raise an error for callees whose types do not match."""
        raise NotImplementedError


@op_definition
class IfOp(NetworkOp):
    """`outputs = then(inputs) if condition else otherwise(inputs)`; only one of the two runs."""

    name = "graph.if"
    then = prop_def(FlatSymbolRefAttrConstr)
    otherwise = prop_def(FlatSymbolRefAttrConstr)
    condition = operand_def(TENSOR)
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), RunsNetworks(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$condition `then` $then `else` $otherwise `(` $inputs `)` attr-dict"
        " `:` type($condition) `,` functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        condition: Value,
        then: str | SymbolRefAttr,
        otherwise: str | SymbolRefAttr,
        inputs: Sequence[Value],
        result_types: Types,
    ) -> None:
        super().__init__(
            operands=[condition, inputs],
            result_types=[result_types],
            properties={"then": _symbol(then), "otherwise": _symbol(otherwise)},
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return self.then.string_value(), self.otherwise.string_value()

    def check_callees(self) -> None:
        _check_condition(self.condition.type)
        for callee in self.networks:
            check_callee(self, callee, self.inputs.types, self.outputs.types)


@op_definition
class WhileOp(NetworkOp):
    """`while condition(carried, kept): carried = body(carried, kept)`.

    As many inputs as there are results are carried, the first ones; the others are the same in each step.
    """

    name = "graph.while"
    condition = prop_def(FlatSymbolRefAttrConstr)
    body = prop_def(FlatSymbolRefAttrConstr)
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), RunsNetworks(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$condition `do` $body `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self, condition: str | SymbolRefAttr, body: str | SymbolRefAttr, inputs: Sequence[Value], result_types: Types
    ) -> None:
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"condition": _symbol(condition), "body": _symbol(body)},
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return self.condition.string_value(), self.body.string_value()

    def check_callees(self) -> None:
        condition = function_named(self, self.condition.string_value())
        outputs = [] if condition is None else list(condition.function_type.outputs)
        check_callee(self, self.condition.string_value(), self.inputs.types, outputs)
        if len(outputs) != 1:
            raise VerifyException(f"{self.condition} gives {len(outputs)} values, expected one bool")
        _check_condition(outputs[0])
        carried = self.outputs.types
        if tuple(self.inputs.types[: len(carried)]) != tuple(carried):
            raise VerifyException("the results are not of the types of the first inputs, which they replace")
        check_callee(self, self.body.string_value(), self.inputs.types, carried, tied=len(carried))


@op_definition
class ScanOp(NetworkOp):
    """Run `body` for `steps` steps: `carried, parts = body(carried, slices, kept)`.

    Of the inputs, the first `carried` go from step to step, and come out as the first results; the next `scanned` are
    sliced along their first dimension, of size `steps`; the others are the same in each step. The other results are
    the parts of all steps, stacked in front. `backward` lists which of the scanned inputs and then of the stacked
    results (counted on) are walked from their end. `extent` names the size that `steps` have in a run, where it varies.
    """

    name = "graph.scan"
    body = prop_def(FlatSymbolRefAttrConstr)
    steps = prop_def(INT)
    carried = prop_def(INT)
    scanned = prop_def(INT)
    backward = opt_prop_def(INTS)
    extent = opt_prop_def(StringAttr)
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), RunsNetworks(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$body `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self,
        body: str | SymbolRefAttr,
        carried: Sequence[Value],
        scanned: Sequence[Value],
        kept: Sequence[Value],
        result_types: Types,
        *,
        steps: int,
        backward: Sequence[int] = (),
    ) -> None:
        super().__init__(
            operands=[[*carried, *scanned, *kept]],
            result_types=[result_types],
            properties={
                "body": _symbol(body),
                "steps": integer(steps),
                "carried": integer(len(carried)),
                "scanned": integer(len(scanned)),
                "backward": ints(backward) if backward else None,
            },
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return (self.body.string_value(),)

    @property
    def repetitions(self) -> tuple[int, ...]:
        return (self.steps.value.data,)

    @property
    def parts(self) -> tuple[range, range, range]:
        """The numbers of the carried, scanned and kept inputs."""
        ends = (0, self.carried.value.data, self.carried.value.data + self.scanned.value.data, len(self.inputs))
        carried, scanned, kept = (range(first, end) for first, end in pairwise(ends))
        return carried, scanned, kept

    def is_backward(self, number: int) -> bool:
        """Return whether the scanned input or stacked result that `backward` numbers `number` runs from its end."""
        return self.backward is not None and number in self.backward.get_values()

    def _check_parts(self) -> None:
        steps, carried, scanned = (each.value.data for each in (self.steps, self.carried, self.scanned))
        if steps < 1:
            raise VerifyException(f"runs {steps} steps, expected at least one")
        if min(carried, scanned) < 0 or carried + scanned > len(self.inputs) or carried > len(self.outputs):
            raise VerifyException(
                f"carries {carried} and scans {scanned} of {len(self.inputs)} inputs, with {len(self.outputs)} results"
            )
        if tuple(self.inputs.types[:carried]) != tuple(self.outputs.types[:carried]):
            raise VerifyException("the carried inputs and results differ in their types")
        moving = scanned + len(self.outputs) - carried
        for number in () if self.backward is None else self.backward.get_values():
            if not 0 <= number < moving:
                raise VerifyException(f"backward lists {number}, expected numbers below {moving}")
        for type in (*self.inputs.types[carried : carried + scanned], *self.outputs.types[carried:]):
            if as_tensor_type(type).get_shape()[:1] != (steps,):
                raise VerifyException(f"{type} has not {steps} slices")

    def check_callees(self) -> None:
        self._check_parts()
        carried, scanned, kept = self.parts
        types = self.inputs.types
        inputs = [types[number] for number in carried]
        inputs += [slice_type(types[number]) for number in scanned]
        inputs += [types[number] for number in kept]
        outputs = [*types[: len(carried)], *(slice_type(type) for type in self.outputs.types[len(carried) :])]
        check_callee(self, self.body.string_value(), inputs, outputs, tied=len(carried))


def slice_type(type: Attribute) -> AnyTensor:
    """The type of one slice along the first dimension."""
    whole = as_tensor_type(type)
    return tensor_type(whole.element_type, whole.get_shape()[1:])


def _check_condition(type: Attribute) -> None:
    tensor = as_tensor_type(type)
    if tensor.element_type != i1 or tensor.element_count() != 1:
        raise VerifyException(f"the condition is {type}, expected one bool")
