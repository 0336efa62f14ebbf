"""Cut a run into steps of which none takes more than a bound, so that a program may do something else between them.

    func.func private @conv(…) { loop.for %i = 0 to 62 { … } }       55,800 of work
    func.func private @relu(…) { … }                                      900
    func.func @main(…) {
      func.call @conv(%y, %x, %w)
      func.call @relu(%z, %y)
      func.call @relu(%p, %z)
    }
->  most=4000 unit=macs
    func.func private @conv(…) { %tile = loop.tile of 16
      loop.for %i = max (d0 * 4)(%tile) to min (d0 * 4 + 4, 62)(%tile) { … } }
    func.func @main(…) attributes {step_count = 17, longest_step = 3600, step_unit = "macs"} {
      func.call @conv(%y, %x, %w) {step = 0, tiles = 16}
      func.call @relu(%z, %y) {step = 1}
      func.call @relu(%p, %z) {step = 1}
    }

Memory is planned by now, and the order of all operations stays as it is, so a run in steps needs no memory more and
computes the same bits. Kernels with several parts become a kernel for each. Of networks that another one repeats, a
step runs some repetitions, or a part of one.

What has no bound, or cannot be cut to it, is an error that says so: routines of the runtime, functions of others, loops
that end as data say, sums that one loop carries.
"""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from s2s.analysis.cost.loops import operations_of
from s2s.analysis.cost.steps import StepPrices, prices_of
from s2s.analysis.network.functions import callees_first
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.dialects.walk import walk
from s2s.errors import UnsupportedError
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.cut_kernel import KernelParts, UncutError, write_tiles
from s2s.passes.loop.main_kernels import is_main
from s2s.passes.loop.plan_memory import is_network_of_buffers, networks_run
from s2s.passes.loop.split_kernels import KernelSteps, SplitKernel, replace_kernel
from s2s.support.frozen import frozen
from s2s.types.steps import StepBound, StepUnit


class Cost(NamedTuple):
    """What a call takes."""

    longest: int
    """Its longest tile, or all of it."""
    tiles: int | None = None
    """None for a call in one piece."""


@frozen
class CutIntoStepsPass(ModulePass):
    name = "loop-cut-into-steps"

    most: int = 0
    """What a step takes at most."""
    unit: str = "macs"
    """`cycles` or `macs`."""
    target: str = "c"
    """The target whose cycles count."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bound = StepBound(self.most, cast(StepUnit, self.unit))
        cut = _Cut(op, bound, prices_of(bound, self.target))
        cut.kernels()
        networks = [function for function in _functions(op) if is_network_of_buffers(function)]
        for network in callees_first(networks, networks_run):
            cut.network(network)


_FEW = 32
"""Tiles of an operation whose last one does others as well: each asks in 3 cycles whether it is the last, and a step
takes 100."""


def _group(costs: Sequence[tuple[Operation, Cost]], room: int) -> Cost:
    """Put operations that follow each other and fit one step into one, also into the last one of an operation in tiles;
    return the longest step, and the number of them."""
    number, total, longest, count, moves, tiled = -1, room + 1, 0, 0, False, False
    for op, cost in costs:
        ends = moves and not isinstance(op, loop.AdvanceOp)  # what follows reads where the windows are
        ends |= tiled and isinstance(op, loop.AdvanceOp)
        if ends or cost.tiles is not None or total + cost.longest > room:
            number, total = number + 1, 0
            count += cost.tiles or 1
        loop.mark_step(op, number, cost.tiles)
        total, moves = total + cost.longest, isinstance(op, loop.AdvanceOp)
        longest = max(longest, total)
        if cost.tiles is not None and cost.tiles > _FEW:
            total = room + 1
        tiled = cost.tiles is not None or (tiled and total > cost.longest)
    return Cost(longest, count)


def _functions(module: ModuleOp) -> Iterator[FuncOp]:
    return (op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration)


class _Cut:
    """Cuts the kernels of a module, then its networks."""

    def __init__(self, module: ModuleOp, bound: StepBound, prices: StepPrices) -> None:
        self.module, self.bound, self.prices = module, bound, prices
        self.room = bound.most - prices.step
        """The bound without the cost of every step."""
        self.costs: dict[str, Cost] = {}
        """What a call of each function takes, by its name."""
        self.wholes: dict[str, int] = {}
        """What a run of each network takes."""

    def kernels(self) -> None:
        """Cut the kernels that take more than a step may."""
        taken = {function.sym_name.data for function in _functions(self.module)}
        calls = [op for op in walk(self.module) if isinstance(op, CallOp)]
        for kernel in [function for function in _functions(self.module) if not is_network_of_buffers(function)]:
            name = kernel.sym_name.data
            mine = [call for call in calls if call.callee.string_value() == name]
            for part in self._in_parts(kernel, mine, taken):
                self._tile(part, mine)

    def _in_parts(self, kernel: FuncOp, calls: Sequence[CallOp], taken: set[str]) -> list[FuncOp]:
        """Make a kernel of each part of one that takes too much."""
        parts = self._parts_of(kernel, calls)
        if parts is None or len(parts.parts) < 2:
            return [kernel]
        steps = KernelSteps(parts.shared, [list(part.ops) for part in parts.parts])
        pieces = SplitKernel(kernel, steps).run(taken)
        replace_kernel(kernel, pieces, calls)
        return [function for function, _ in pieces]

    def _tile(self, kernel: FuncOp, calls: Sequence[CallOp]) -> None:
        """Give a kernel tiles if it takes too much."""
        parts, name = self._parts_of(kernel, calls), kernel.sym_name.data
        if parts is None:
            self.costs[name] = Cost(operations_of(kernel, self.prices.inside))
            return
        (part,) = parts.parts
        self.costs[name] = Cost(parts.longest, part.tiles)
        if part.tiles > 1:
            write_tiles(kernel, part, parts.shared)
        else:
            self.costs[name] = Cost(parts.longest)

    def _parts_of(self, kernel: FuncOp, calls: Sequence[CallOp]) -> KernelParts | None:
        """Return the parts of a kernel; None if it fits a step."""
        room = self.room - self.prices.call
        for op in walk(kernel):
            if isinstance(op, loop.ExternOp | loop.CallbackOp):
                raise self._refusal(kernel.sym_name.data, calls, f"nobody has stated what {op.name} takes there")
        if operations_of(kernel, self.prices.inside) <= room:
            return None
        try:
            return KernelParts(kernel, self.prices.inside, room)
        except UncutError as error:
            least = error.least + self.bound.most - room
            fact = f"a part of it takes {least:,} {self.bound.unit} in one piece, since {error.why}"
            raise self._refusal(kernel.sym_name.data, calls, fact, least) from error

    def network(self, network: FuncOp) -> None:
        """Put the operations of a network into steps."""
        steps = [op for op in network.body.block.ops if isinstance(op, loop.STEPS)]
        costs = [(op, self._cost_of(op)) for op in steps]
        name, total = network.sym_name.data, sum(cost.longest * (cost.tiles or 1) for _, cost in costs)
        self.wholes[name], self.costs[name] = total, Cost(total)
        room = self.room if is_main(network) else self.room - self.prices.call
        if is_main(network) or total > room:
            self.costs[name] = cut = _group(costs, room)
            loop.RunSteps(cut.tiles or 1, cut.longest + self.prices.step, self.bound.unit).record(network)

    def _cost_of(self, op: Operation) -> Cost:
        """Return what an operation of a network takes. Raises `UnsupportedError` if nobody knows, or it is too much."""
        match op:
            case CallOp():
                cost = self._kernel(op)
                return cost._replace(longest=cost.longest + self.prices.call)
            case loop.CopyOp():
                cost = Cost(buffer_bytes(op.target) * self.prices.element + self.prices.call)
            case loop.AdvanceOp():
                cost = Cost(buffer_bytes(op.result) * self.prices.element + self.prices.call)
            case loop.CallForOp():
                cost = self._repeated(self.wholes[op.networks[0]], self.costs[op.networks[0]], op.steps.value.data)
            case loop.CallIfOp():
                cost = Cost(max(self.wholes[name] for name in op.networks) + self.prices.call)
            case loop.RequireOp():
                cost = Cost(self.prices.call)
            case _:
                raise self._refusal(op.name, [op], "nobody knows how long it takes, or what it leaves to the next step")
        if cost.longest > self.room:
            least = cost.longest + self.prices.step
            raise self._refusal(op.name, [op], f"takes {least:,} {self.bound.unit} in one piece", least)
        return cost

    def _kernel(self, call: CallOp) -> Cost:
        name = call.callee.string_value()
        if name not in self.costs:
            raise self._refusal(name, [call], "its C is not ours, and nobody has stated what it takes")
        return self.costs[name]

    def _repeated(self, total: int, body: Cost, repetitions: int) -> Cost:
        """Return what a loop of a network takes: some repetitions a tile, or a step of one."""
        turn = total + self.prices.call
        if body.tiles is not None:
            return Cost(body.longest + self.prices.call, repetitions * body.tiles)
        if repetitions * turn <= self.room or turn > self.room:
            return Cost(repetitions * turn)
        tiles = ceil(repetitions / (self.room // turn))
        return Cost(ceil(repetitions / tiles) * turn, tiles)

    def _refusal(self, name: str, ops: Sequence[Operation], fact: str, least: int | None = None) -> UnsupportedError:
        nodes = ", ".join(dict.fromkeys(node for op in ops for node in provenance(op)))
        place = f"{name} ({nodes})" if nodes else name
        way = f"give --steps {least}{self.bound.unit} or more" if least is not None else "leave --steps out"
        return UnsupportedError(f"{place}: cannot be cut into steps of {self.bound}: {fact}; {way}")


__all__ = ["CutIntoStepsPass"]
