"""Steps of networks beside kernel calls: copies, and control flow around calls of other networks.

A network takes its outputs, then its inputs, as buffers; `loop-plan-memory` puts its arena in front of them and gives
the operations here the memory for it as `arena`.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, NamedTuple, cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.interfaces import Access, AccessEffects, AccessInterface, RunEffect, read_any, write_any
from s2s.dialects.operation import Op, op_definition

_INTS = DenseArrayBase.constr(i64)
_STEP, _TILES = "step", "tiles"
_COUNT, _LONGEST, _UNIT = "step_count", "longest_step", "step_unit"


@op_definition
class CopyOp(Op, AccessInterface):
    """`target = source`, all elements; one may be the other."""

    name = "loop.copy"

    T: ClassVar = VarConstraint("T", BaseAttr[MemRefType[Attribute]](MemRefType))
    target = operand_def(T)
    source = operand_def(T)
    assembly_format = "$target `,` $source attr-dict `:` type($target)"

    def __init__(self, target: SSAValue, source: SSAValue) -> None:
        super().__init__(operands=[target, source])

    def accesses(self) -> Sequence[Access]:
        return [write_any(self.target), read_any(self.source)]


class NetworkCall(Op, AccessInterface):
    """Base of operations that run networks: the arena of the networks, and the buffers that these are called with."""

    arena = opt_operand_def(MemRefType)
    buffers = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    @property
    def networks(self) -> tuple[str, ...]:
        """The names of the networks that the operation may run."""
        raise NotImplementedError

    def accesses(self) -> Sequence[Access]:
        """Which of the buffers a network writes depends on the network: each may be read and written."""
        given = [*([] if self.arena is None else [self.arena]), *self.buffers]
        return [access(each) for each in given for access in (write_any, read_any)]

    def calls(self) -> Iterable[tuple[str, Sequence[SSAValue]]]:
        """Yield the networks with the buffers that each takes."""
        return [(name, self.buffers) for name in self.networks]

    def with_arena(self, arena: SSAValue) -> "NetworkCall":
        """The operation with memory for the networks that it runs."""
        raise NotImplementedError


@op_definition
class ReadSizeOp(Op, AccessInterface, PathInterface):
    """`size = source[0]`: from here on the size `size` of this run is known, which lies from 0 to `most`.

    A run in which it is larger ends here with an error.
    """

    name = "loop.read_size"

    size = prop_def(StringAttr)
    most = prop_def(IntegerAttr[I64])
    source = operand_def(MemRefType)
    traits = traits_def(AccessEffects(), RunEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$size `from` $source attr-dict `:` type($source)"

    def __init__(self, size: str, source: SSAValue, *, most: int) -> None:
        super().__init__(operands=[source], properties={"size": StringAttr(size), "most": IntegerAttr(most, i64)})

    def accesses(self) -> Sequence[Access]:
        return [read_any(self.source)]

    def turns(self) -> Sequence[Turn]:
        return [Turn(f"computes the size {self.size.data}", repeats=True)]

    def verify_(self) -> None:
        if check_flat(self, self.source.type).get_shape() != (1,):
            raise VerifyException(f"{self.name}: reads {self.source.type}, expected one element")


@op_definition
class RequireOp(Op, AccessInterface, PathInterface):
    """The run ends here with an error if `outside[0]` is above 0."""

    name = "loop.require"

    outside = operand_def(MemRefType)
    traits = traits_def(AccessEffects(), RunEffect())
    assembly_format = "$outside attr-dict `:` type($outside)"

    def __init__(self, outside: SSAValue) -> None:
        super().__init__(operands=[outside])

    def accesses(self) -> Sequence[Access]:
        return [read_any(self.outside)]

    def turns(self) -> Sequence[Turn]:
        return [Turn("ends early where a computed index is out of range")]

    def verify_(self) -> None:
        if check_flat(self, self.outside.type, i32).get_shape() != (1,):
            raise VerifyException(f"{self.name}: reads {self.outside.type}, expected one element")


@op_definition
class CallIfOp(NetworkCall, PathInterface):
    """`if (condition[0]) then(buffers); else otherwise(buffers);`"""

    name = "loop.call_if"

    then = prop_def(FlatSymbolRefAttrConstr)
    otherwise = prop_def(FlatSymbolRefAttrConstr)
    condition = operand_def(MemRefType)
    assembly_format = (
        "$condition `then` $then `else` $otherwise (`in` $arena^)? `(` $buffers `)` attr-dict"
        " `:` type($condition) (`,` type($arena)^)? `(` type($buffers) `)`"
    )

    def __init__(
        self,
        condition: SSAValue,
        then: SymbolRefAttr | str,
        otherwise: SymbolRefAttr | str,
        buffers: Sequence[SSAValue],
        arena: SSAValue | None = None,
    ) -> None:
        super().__init__(
            operands=[condition, arena, buffers],
            properties={"then": _symbol(then), "otherwise": _symbol(otherwise)},
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return self.then.string_value(), self.otherwise.string_value()

    def with_arena(self, arena: SSAValue) -> "CallIfOp":
        return CallIfOp(self.condition, self.then, self.otherwise, self.buffers, arena)

    def accesses(self) -> Sequence[Access]:
        return [read_any(self.condition), *super().accesses()]

    def turns(self) -> Sequence[Turn]:
        return [Turn("runs one of two networks")]

    def verify_(self) -> None:
        _check_flag(self, self.condition.type)


@op_definition
class CallWhileOp(NetworkCall, PathInterface):
    """`for (;;) { condition(flag, buffers); if (!flag[0]) break; body(buffers); }`"""

    name = "loop.call_while"

    condition = prop_def(FlatSymbolRefAttrConstr)
    body = prop_def(FlatSymbolRefAttrConstr)
    flag = operand_def(MemRefType)
    assembly_format = (
        "$condition `sets` $flag `do` $body (`in` $arena^)? `(` $buffers `)` attr-dict"
        " `:` type($flag) (`,` type($arena)^)? `(` type($buffers) `)`"
    )

    def __init__(
        self,
        condition: SymbolRefAttr | str,
        flag: SSAValue,
        body: SymbolRefAttr | str,
        buffers: Sequence[SSAValue],
        arena: SSAValue | None = None,
    ) -> None:
        super().__init__(
            operands=[flag, arena, buffers],
            properties={"condition": _symbol(condition), "body": _symbol(body)},
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return self.condition.string_value(), self.body.string_value()

    def with_arena(self, arena: SSAValue) -> "CallWhileOp":
        return CallWhileOp(self.condition, self.flag, self.body, self.buffers, arena)

    def accesses(self) -> Sequence[Access]:
        return [write_any(self.flag), read_any(self.flag), *super().accesses()]

    def turns(self) -> Sequence[Turn]:
        return [Turn("repeats a network as long as data say, with no greatest number of steps", repeats=True)]

    def verify_(self) -> None:
        _check_flag(self, self.flag.type)


@op_definition
class CallForOp(NetworkCall):
    """`for (t = 0; t < steps; t++) body(…, buffers[k] + starts[k] + t * strides[k], …);`, counted in elements.

    `size` names the size that `steps` have in a run, where it varies. A buffer with a negative stride is walked from
    the end that it has in the run: the last step is at its first element.
    """

    name = "loop.call_for"

    body = prop_def(FlatSymbolRefAttrConstr)
    steps = prop_def(IntegerAttr[I64])
    starts = prop_def(_INTS)
    strides = prop_def(_INTS)
    size = opt_prop_def(StringAttr)
    assembly_format = "$body (`in` $arena^ `:` type($arena))? `(` $buffers `)` attr-dict `:` `(` type($buffers) `)`"

    def __init__(
        self,
        body: SymbolRefAttr | str,
        buffers: Sequence[SSAValue],
        *,
        steps: int,
        starts: Sequence[int],
        strides: Sequence[int],
        size: StringAttr | None = None,
        arena: SSAValue | None = None,
    ) -> None:
        super().__init__(
            operands=[arena, buffers],
            properties={
                "body": _symbol(body),
                "steps": IntegerAttr(steps, i64),
                "starts": DenseArrayBase.from_list(i64, starts),
                "strides": DenseArrayBase.from_list(i64, strides),
                "size": size,
            },
        )

    @property
    def networks(self) -> tuple[str, ...]:
        return (self.body.string_value(),)

    @property
    def slices(self) -> list[tuple[int, int]]:
        """The start of each buffer in the first step, and the elements by which it advances in each step."""
        starts, strides = self.starts.get_values(), self.strides.get_values()
        return [(int(start), int(stride)) for start, stride in zip(starts, strides, strict=True)]

    def with_arena(self, arena: SSAValue) -> "CallForOp":
        starts, strides = [start for start, _ in self.slices], [stride for _, stride in self.slices]
        return CallForOp(
            self.body,
            self.buffers,
            steps=self.steps.value.data,
            starts=starts,
            strides=strides,
            size=self.size,
            arena=arena,
        )

    def verify_(self) -> None:
        if self.steps.value.data < 1:
            raise VerifyException(f"{self.name}: runs {self.steps.value.data} steps, expected at least one")
        if not len(self.starts) == len(self.strides) == len(self.buffers):
            raise VerifyException(
                f"{self.name}: {len(self.starts)} starts, {len(self.strides)} strides, {len(self.buffers)} buffers"
            )
        for buffer, (start, stride) in zip(self.buffers, self.slices, strict=True):
            size = check_flat(self, buffer.type).get_shape()[0]
            last = start + stride * (self.steps.value.data - 1)
            if min(start, last) < 0 or max(start, last) >= size:
                raise VerifyException(f"{self.name}: slices from {start} to {last} leave {buffer.type}")
            if self.size is not None and stride < 0 and last != 0:
                raise VerifyException(f"{self.name}: the last of {self.size.data} steps is at {last}, expected 0")


def _symbol(name: SymbolRefAttr | str) -> SymbolRefAttr:
    return SymbolRefAttr(name) if isinstance(name, str) else name


def _check_flag(op: IRDLOperation, type: Attribute) -> None:
    flag = check_flat(op, type)
    if flag.get_shape() != (1,) or flag.element_type != i1:
        raise VerifyException(f"{op.name}: the condition is {type}, expected one bool")


class RunSteps(NamedTuple):
    """The steps that a run is cut into, and how a network is marked with them.

    func.func @main(…) attributes {step_count = 17, longest_step = 19200, step_unit = "cycles"} {
      func.call @conv(%y, %x) {step = 0, tiles = 16}      sixteen steps, each a tile
      func.call @relu(%z, %y) {step = 1}                  the next step,
      func.call @pool(%p, %z) {step = 1}                  which does this, too
    """

    number: int
    longest: int
    """What the longest takes, by the model of the unit."""
    unit: Literal["cycles", "macs"]

    def describe(self) -> str:
        """Return them in words: `640 in a run, none above 18,804 cycles`."""
        return f"{self.number:,} in a run, none above {self.longest:,} {self.unit}"

    def record(self, network: Operation) -> None:
        """Write the steps to the network."""
        network.attributes[_COUNT] = IntegerAttr(self.number, i64)
        network.attributes[_LONGEST] = IntegerAttr(self.longest, i64)
        network.attributes[_UNIT] = StringAttr(self.unit)

    @staticmethod
    def of(network: Operation) -> "RunSteps | None":
        """Return the steps of a network; None if a run is one piece."""
        unit = network.attributes.get(_UNIT)
        if not isinstance(unit, StringAttr):
            return None
        return RunSteps(
            _number(network, _COUNT) or 0, _number(network, _LONGEST) or 0, cast(Literal["cycles", "macs"], unit.data)
        )


def tiles_of(call: Operation) -> int | None:
    """Return how many tiles a call stands for; None for a call as a whole."""
    return _number(call, _TILES)


def step_of(op: Operation) -> int | None:
    """Return the number of the step, or of the group of tiles, that an operation of a network belongs to; None for what
    every step may use, such as views."""
    return _number(op, _STEP)


def mark_step(op: Operation, step: int, tiles: int | None) -> None:
    """Write to an operation of a network which step it belongs to, and how many tiles it stands for."""
    op.attributes[_STEP] = IntegerAttr(step, i64)
    if tiles is not None:
        op.attributes[_TILES] = IntegerAttr(tiles, i64)


def _number(op: Operation, key: str) -> int | None:
    number = op.attributes.get(key)
    return number.value.data if isinstance(number, IntegerAttr) else None


__all__ = [
    "CallForOp",
    "CallIfOp",
    "CallWhileOp",
    "CopyOp",
    "NetworkCall",
    "ReadSizeOp",
    "RequireOp",
    "RunSteps",
    "mark_step",
    "step_of",
    "tiles_of",
]
