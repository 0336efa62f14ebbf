"""Bound the number of operations that a loop-level kernel executes, from its affine loop bounds; tell whether its path,
the instructions that run and the addresses that they access, is the same for all data.

    %v = loop.load %x[…]          data
    %n = arith.index_cast %v      data
    %w = loop.load_at %t[%n]      "reads at positions that data give"

Values of tensors are data, values of constants are none; what is computed of data is data. A kernel without an
operation that turns on data has an exact path: one run is the path of every run. Choices (`arith.select`) do not turn a
path: the C compiler decides whether they become branches, which `s2s.boards.paths` finds in the linked program.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.network.functions import LOADED
from s2s.dialects import loop
from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.interfaces import AccessInterface
from s2s.dialects.walk import walk
from s2s.support.frozen import frozen
from s2s.types.affine import Range, bounds

FUNCTION = 16
"""The number of simple operations that one call of a mathematical library function counts as."""


def _plain_price(op: Operation) -> int:
    """Return 1 for a load, a store and a scalar operation, and more for what does the work of many."""
    match op:
        case arith.ConstantOp() | loop.YieldOp():
            return 0
        case loop.WorkInterface():
            return op.work
        case _ if op.results and isinstance(op.results[0].type, IndexType):
            return 0
        case _:
            return FUNCTION if op.name.startswith(math.Math.name) else 1


@frozen
class Prices:
    """What the parts of a kernel count in some unit."""

    of: Callable[[Operation], int] = _plain_price
    """What an operation without regions counts each time that it runs."""
    turn: int = 0
    """What a turn of a loop counts beside its body."""
    entry: int = 0
    """What a loop counts before its first turn."""
    unrolled: int | None = None
    """What a turn of a loop counts that the C compiler unrolls; None if it is the same."""

    def turn_of(self, op: loop.ForOp) -> int:
        """Return what a turn of a loop counts beside its body."""
        return self.turn if op.unroll is None or self.unrolled is None else self.unrolled


OPERATIONS = Prices()
"""The unit is a load, a store or a scalar operation."""


class Count:
    """Counts the operations of a kernel: an upper bound of each part's, in the unit of `prices`, each time it runs."""

    def __init__(self, prices: Prices = OPERATIONS) -> None:
        self.prices = prices
        self.ranges: dict[SSAValue, Range] = {}
        self.costs: dict[Operation, int] = {}
        """What each operation counts, with all that is inside of it."""
        self.trips: dict[loop.ForOp, int] = {}
        """How often each loop turns at most."""

    def block(self, block: Block) -> int:
        """Return the count of a block."""
        return sum(map(self.operation, block.ops))

    def operation(self, op: Operation) -> int:
        """Return the count of an operation; note the ranges of indices."""
        cost = self.costs[op] = self._operation(op)
        return cost

    def _operation(self, op: Operation) -> int:
        match op:
            case loop.ForOp():
                self.trips[op] = trips_of(op, self.ranges)
                return self.trips[op] * (self.block(op.body.block) + self.prices.turn_of(op)) + self.prices.entry
            case loop.IfOp():
                return max(self.block(region.block) for region in op.regions if region.blocks)
            case loop.ApplyOp():
                self.ranges[op.result] = range_of(op, self.ranges)
                return 0
            case loop.SizeOp() | loop.TileOp():
                self.ranges[op.result] = op.bounds
                return 0
            case _:
                return self.prices.of(op)


def operations_of(kernel: FuncOp, prices: Prices = OPERATIONS) -> int:
    """Return an upper bound of the operations of one call of `kernel`, in the unit of `prices`."""
    return Count(prices).block(kernel.body.block)


def operations_in(op: Operation) -> int:
    """Return an upper bound of the loads, stores and scalar operations of one outermost operation of a kernel, whose
    loops may end at sizes of the run."""
    count = Count()
    for each in () if op.parent is None else op.parent.ops:
        if isinstance(each, loop.SizeOp | loop.ApplyOp):
            count.operation(each)
    return count.operation(op)


def runs_of(kernel: FuncOp) -> dict[Operation, int]:
    """Return an upper bound of how often each operation runs in one call of `kernel`."""
    count, runs = Count(), dict[Operation, int]()
    count.block(kernel.body.block)

    def note(block: Block, times: int) -> None:
        for op in block.ops:
            runs[op] = times
            inner = times * count.trips[op] if isinstance(op, loop.ForOp) else times
            for region in op.regions:
                for each in region.blocks:
                    note(each, inner)

    note(kernel.body.block, 1)
    return runs


def range_of(op: loop.ApplyOp, ranges: dict[SSAValue, Range]) -> Range:
    """Return the range of a computed index."""
    return _bounds(op.map.data.results[0], op.indices, ranges)


def trips_of(op: loop.ForOp, ranges: dict[SSAValue, Range]) -> int:
    """Return an upper bound of the trip count of a loop; record the range of its induction variable in `ranges`."""
    first = max(_bounds(each, op.dims, ranges)[0] for each in op.lower.data.results)
    last = min(_bounds(each, op.dims, ranges)[1] for each in op.upper.data.results) - 1
    ranges[op.index] = (first, max(first, last))
    lengths = [
        _bounds(high - low, op.dims, ranges)[1] for high in op.upper.data.results for low in op.lower.data.results
    ]
    return max(0, -(-min(lengths) // op.step.value.data))


def _bounds(expr: AffineExpr, operands: Sequence[SSAValue], ranges: dict[SSAValue, Range]) -> Range:
    return bounds(expr, [ranges.get(operand, (0, 0)) for operand in operands])


Kind = Literal["exact", "bounded", "open"]
_INSTRUCTIONS = (math.AbsFOp, math.AbsIOp, math.CopySignOp, math.CountLeadingZerosOp, math.FmaOp, math.SqrtOp)
"""What takes no function of the C library where the core computes floats."""


@frozen
class KernelPath:
    """What is proven of the path of a kernel, or of the network's own steps."""

    kernel: str
    """Its name in C."""
    path: Kind
    """`exact`: the same in every run; `bounded`: one of some; `open`: nobody knows how long it gets."""
    because: tuple[str, ...] = ()
    """What depends on data; empty if nothing does."""
    repeats: bool = False
    """Whether data decide how often its instructions run."""
    most: int | None = None
    """How often a loop of it turns in a call at most; None if nobody knows."""

    def describe(self) -> str:
        """Return the path in words: `bounded, because it reads at positions that data give`."""
        return f"{self.path}, because it {' and '.join(self.because)}" if self.because else self.path


def kernel_paths(module: ModuleOp, names: Mapping[str, str]) -> tuple[KernelPath, ...]:
    """Return the path of each function of a module of loops, under its name in C by `names`."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration}
    constants = _constant_arguments(functions)
    return tuple(
        _path(names[name], function, constants.get(name, frozenset()))
        for name, function in functions.items()
        if name in names
    )


def _constant_arguments(functions: Mapping[str, FuncOp]) -> dict[str, frozenset[int]]:
    """The arguments that every call of a function gives a constant for, by number."""
    arguments: dict[str, frozenset[int]] = {}
    for function in functions.values():
        for call in (op for op in walk(function) if isinstance(op, CallOp)):
            given = frozenset(number for number, value in enumerate(call.arguments) if _is_constant(value))
            callee = call.callee.string_value()
            arguments[callee] = arguments.get(callee, given) & given
    return arguments


def _is_constant(buffer: SSAValue) -> bool:
    views: list[Operation] = []
    while isinstance(buffer.owner, loop.ViewOp | loop.ShiftOp):
        views.append(buffer.owner)
        buffer = buffer.owner.operands[0]
    return isinstance(buffer.owner, loop.WeightOp) or any(LOADED in view.attributes for view in views)


def _path(name: str, function: FuncOp, constants: frozenset[int]) -> KernelPath:
    turns = list(_turns(function, _data_of(function, constants)))
    because = tuple(dict.fromkeys(turn.why for turn in turns))
    repeats = [turn.most for turn in turns if turn.repeats]
    if None in repeats:
        return KernelPath(name, "open", because, repeats=True)
    inside = (
        operations_of(function)
        if repeats
        else max((times * _loops(op) for op, times in runs_of(function).items()), default=1)
    )
    most = max(2 * max(inside, 1), *(turn.questions for turn in turns), 2)
    return KernelPath(name, "bounded" if turns else "exact", because, repeats=bool(repeats), most=most)


def _loops(op: Operation) -> int:
    """How often a loop of the C of an operation turns at most each time that it runs."""
    return max(op.work, 1) if isinstance(op, loop.WorkInterface) else 1


def _turns(function: FuncOp, data: frozenset[SSAValue]) -> Iterator[Turn]:
    """Yield what turns on data in a function."""
    for op in walk(function):
        if isinstance(op, PathInterface):
            yield from (turn for turn in op.turns() if turn.on is None or any(value in data for value in turn.on))
        elif op.name.startswith("math.") and not isinstance(op, _INSTRUCTIONS):
            yield Turn("calls the C library")


def _data_of(function: FuncOp, constants: frozenset[int]) -> frozenset[SSAValue]:
    """The values of a function that depend on data; arguments with numbers in `constants` hold none."""
    data: set[SSAValue] = set()
    same: set[SSAValue] = {argument for number, argument in enumerate(function.args) if number in constants}
    for block in function.body.blocks:
        _spread(block, data, same)
    return frozenset(data)


def _spread(block: Block, data: set[SSAValue], same: set[SSAValue]) -> None:
    """Add the values of a block that depend on data; what loops carry counts as data."""
    for op in block.ops:
        if isinstance(op, loop.ViewOp | loop.ShiftOp) and op.operands[0] in same:
            same.add(op.results[0])
        elif isinstance(op, loop.ForOp):
            data.update(op.carried, [op.index] if any(value in data for value in op.dims) else [])
        if _loads(op, same) or op.regions or any(value in data for value in op.operands):
            data.update(op.results)
        for inner in _blocks(op):
            _spread(inner, data, same)


def _loads(op: Operation, same: set[SSAValue]) -> bool:
    """Whether an operation reads a buffer that is no constant."""
    if not isinstance(op, AccessInterface):
        return False
    buffers = (access.buffer for access in op.accesses())
    return any(value not in same and not isinstance(value.owner, loop.WeightOp) for value in buffers)


def _blocks(op: Operation) -> Iterable[Block]:
    return (block for region in op.regions for block in region.blocks)
