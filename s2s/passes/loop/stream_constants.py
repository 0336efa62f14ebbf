"""Copy constants from a slow memory to buffers, while the kernels before their readers compute.

    %w = loop.weight "w" : memref<64xi8>
    func.call @first(%a, %x)
    func.call @second(%y, %a, %w)
->                                                              with {pools="tcm=4096","flash=65536:streamed"}
    %w = loop.weight "w" {pool = "flash"} : memref<64xi8>
    %b = loop.alloc : memref<64xi8>
    loop.start_device_copy %b, %w from "flash" to "main"
    func.call @first(%a, %x)
    loop.wait_device_copy %b, %w from "flash" to "main"
    func.call @second(%y, %a, %b)

Which constants are copied, and how early, is a decision (`s2s/decisions/streams.py`). A constant with several readers
is copied for each. Declined without a pool that is streamed, and for constants that other networks read, or kernels
that name them themselves.
"""

from collections import Counter
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.cost.loops import operations_of
from s2s.analysis.network.arguments import Role, arguments_in
from s2s.analysis.network.functions import POOL, main_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.streams import Aheads, StreamsKind, StreamsUnit
from s2s.dialects import loop
from s2s.dialects.graph.traits import copy_provenance
from s2s.dialects.walk import walk
from s2s.memory.accesses import buffer_bytes
from s2s.memory.buffers import Buffer, InPlace, align_up, lower_bound
from s2s.memory.calls import Lifetime
from s2s.memory.plan import plan
from s2s.memory.streams import Stream
from s2s.passes.context import given_of, target_of
from s2s.passes.loop.overlapping import in_place_pairs
from s2s.passes.loop.pool_traffic import reader_of
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.pools import Pool, pools_of


@frozen
class StreamConstantsPass(ModulePass):
    """Insert the copies into `main`."""

    name = "loop-stream-constants"

    pools: tuple[str, ...] = ()
    """Memory pools as `tcm=64KiB`, the fastest first."""
    align: int = 4
    """Alignment in bytes of every buffer."""
    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pools = pools_of(self.pools)
        streamed = next((pool for pool in pools if pool.is_streamed), None)
        if streamed is None:
            return
        room = next(pool for pool in pools if pool.may_hold(is_constant=False))
        found = _StreamedNetwork(op, streamed, room, self.align)
        if not found.constants:
            return
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            found.insert(chooser.choose(StreamsKind(), found.unit()))


class _StreamedNetwork:
    """The constants of `main`, and the steps that read them."""

    def __init__(self, module: ModuleOp, pool: Pool, room: Pool, align: int) -> None:
        self.main, self.pool, self.room, self.align = main_of(module), pool, room, align
        self.kernels = {func.sym_name.data: func for func in module.ops if isinstance(func, FuncOp)}
        self.steps = [op for op in self.main.body.block.ops if isinstance(op, loop.STEPS)]
        readers = Counter(op.weight.data for op in walk(module) if isinstance(op, loop.WeightOp))
        constants = [op for op in self.main.body.block.ops if isinstance(op, loop.WeightOp)]
        used = {op: self._readers(op) for op in constants if readers[op.weight.data] == 1 and self._is_read_here(op)}
        self.constants = sorted((op for op in used if used[op]), key=lambda op: used[op][0])
        self.streams = tuple(
            Stream(number, step, self._bytes(op), pool.copy_cycles(buffer_bytes(op.result)))
            for number, op in enumerate(self.constants)
            for step in used[op]
        )

    def _readers(self, op: loop.WeightOp) -> list[int]:
        readers = {use.operation for use in op.result.uses}
        return [number for number, step in enumerate(self.steps) if step in readers]

    def _is_read_here(self, op: loop.WeightOp) -> bool:
        """Return whether all readers of a constant are calls of kernels of the first device."""
        kernels_only = all(isinstance(use.operation, CallOp) for use in op.result.uses)
        return kernels_only and reader_of(op, self.kernels) == MAIN

    def _bytes(self, op: loop.WeightOp) -> int:
        return align_up(buffer_bytes(op.result), self.align)

    def unit(self) -> StreamsUnit:
        """Return the subject of the decision."""
        memory = self._memory()
        return StreamsUnit(
            self.main,
            self.pool,
            self.room,
            self.streams,
            tuple(map(self._bytes, self.constants)),
            tuple(map(self._cycles, self.steps)),
            memory.bound,
            memory.peak,
        )

    def _cycles(self, step: Operation) -> int:
        """Estimate the time of a step: one cycle for each operation of a kernel, or for each byte of what is copied."""
        kernel = self.kernels.get(step.callee.string_value()) if isinstance(step, CallOp) else None
        if kernel is not None and kernel.body.blocks:
            return operations_of(kernel)
        return sum(map(buffer_bytes, step.operands))

    def _memory(self) -> "_Memory":
        """Return the buffers of the network without copies."""
        names: dict[SSAValue, str] = {
            op.result: f"{number}"
            for number, op in enumerate(op for op in self.main.body.block.ops if isinstance(op, loop.AllocOp))
        }
        lives: dict[SSAValue, Lifetime] = {}
        for number, step in enumerate(self.steps):
            for value in map(loop.whole_of, step.operands):
                if value in names:
                    lives.setdefault(value, Lifetime(number, number)).last = number
        buffers = [
            Buffer(names[value], buffer_bytes(value), self.align, life.first, life.last)
            for value, life in lives.items()
        ]
        states = sum(align_up(buffer_bytes(argument), self.align) for argument in arguments_in(self.main, Role.STATE))
        return _Memory(self, states, buffers, in_place_pairs(self.steps, self.kernels, names, lives))

    def kept(self, choice: Aheads) -> int:
        """Return the bytes of the constants that are not copied."""
        return sum(self._bytes(op) for op, ahead in zip(self.constants, choice, strict=True) if ahead is None)

    def targets(self, choice: Aheads) -> list[Buffer]:
        """Return the buffers that copies write."""
        return [
            Buffer(f"stream {number}", stream.size, self.align, max(stream.step - ahead, 0), stream.step)
            for number, stream in enumerate(self.streams)
            if (ahead := choice[stream.constant]) is not None
        ]

    def insert(self, choice: Aheads) -> None:
        """Insert the copies, and let kernels read their targets."""
        block = self.main.body.block
        late: dict[int, list[Operation]] = {}
        early: dict[int, list[Operation]] = {}
        waits: dict[int, list[Operation]] = {}
        for stream in self.streams:
            ahead, constant = choice[stream.constant], self.constants[stream.constant]
            if ahead is None:
                continue
            constant.attributes[POOL] = StringAttr(self.pool.name)
            reader, first = self.steps[stream.step], max(stream.step - ahead, 0)
            target = loop.AllocOp(constant.result.type)
            target.result.name_hint = constant.result.name_hint
            operands = (target.result, constant.result, StringAttr(self.pool.name), StringAttr(MAIN))
            start = loop.StartDeviceCopyOp(*operands)
            copy_provenance(start, reader)
            (late if first == stream.step else early).setdefault(first, []).extend([target, start])
            waits.setdefault(stream.step, []).append(loop.WaitDeviceCopyOp(*operands))
            for number, operand in enumerate(reader.operands):
                if operand is constant.result:
                    reader.operands[number] = target.result
        for number, step in enumerate(self.steps):
            block.insert_ops_before([*late.get(number, ()), *waits.get(number, ()), *early.get(number, ())], step)
        for constant in reversed(self.constants):
            constant.detach()
            assert block.first_op is not None
            block.insert_op_before(constant, block.first_op)


@dataclass
class _Memory:
    """The memory of kernels with the copies of a choice."""

    network: _StreamedNetwork
    states: int
    """Bytes of state."""
    buffers: list[Buffer]
    """The buffers of the network without copies."""
    in_place: list[InPlace]
    known: dict[Aheads, int] = field(default_factory=dict[Aheads, int])

    def bound(self, choice: Aheads) -> int:
        """Return the bytes of what lives at the same time."""
        buffers = [*self.buffers, *self.network.targets(choice)]
        return self.states + self.network.kept(choice) + lower_bound(buffers, self.in_place)

    def peak(self, choice: Aheads) -> int:
        """Return the bytes of a plan."""
        if choice not in self.known:
            planned = plan([*self.buffers, *self.network.targets(choice)], self.in_place).size
            self.known[choice] = self.states + self.network.kept(choice) + planned
        return self.known[choice]
