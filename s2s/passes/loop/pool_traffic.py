"""Count the bytes that a run of `main` reads and writes in each of its buffers and constants, for memory pools."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.cost.traffic import Traffic, traffic_of
from s2s.analysis.network.functions import POOL, device_of, is_kernel
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.dialects.walk import walk
from s2s.memory.accesses import buffer_bytes
from s2s.types.devices import MAIN


@dataclass
class PoolTraffic:
    """The buffers and constants of `main` by name: the bytes that a run moves there, and the calls that use them."""

    main: FuncOp
    functions: Mapping[str, FuncOp]
    names: Mapping[SSAValue, str]
    """The names of the buffers."""
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    """The bytes of each constant."""
    reads: Counter[str] = field(default_factory=Counter[str])
    writes: Counter[str] = field(default_factory=Counter[str])
    nodes: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The nodes of the model that write a buffer, or read a constant."""
    fixed: set[str] = field(default_factory=set[str])
    """The constants that kernels and other networks name themselves, which so cannot be copied at start."""
    streamed: set[str] = field(default_factory=set[str])
    """The constants that are copied before kernels read them."""

    def __post_init__(self) -> None:
        module = self.main.parent_op()
        assert isinstance(module, ModuleOp)
        weights = [op for op in walk(module) if isinstance(op, loop.WeightOp) and reader_of(op, self.functions) == MAIN]
        self.sizes = {constant_name(op): buffer_bytes(op.result) for op in weights}
        self.streamed = {constant_name(op) for op in weights if POOL in op.attributes}
        self.fixed = {constant_name(op) for op in weights if not self._is_passed(op)}
        known: dict[str, Traffic] = {}
        for op in self.main.body.block.ops:
            if isinstance(op, loop.CopyOp | loop.DeviceCopyOp | loop.StartDeviceCopyOp):
                self._count(self.writes, op.target, buffer_bytes(op.target), op)
                self._count(self.reads, op.source, buffer_bytes(op.source), op)
            if not isinstance(op, CallOp):
                continue
            kernel = self.functions[op.callee.string_value()]
            if not kernel.body.blocks:
                for value in op.arguments:
                    self._count(self.reads, value, buffer_bytes(value), op)
                continue
            moved = known.setdefault(kernel.sym_name.data, traffic_of(kernel))
            given: dict[SSAValue, SSAValue] = dict(zip(kernel.args, op.arguments, strict=True))
            for found, counts in zip((self.writes, self.reads), reversed(moved), strict=True):
                for value, count in counts.items():
                    self._count(found, given.get(value, value), count, op)

    def _is_passed(self, op: loop.WeightOp) -> bool:
        """Return whether `main` passes a constant to kernels."""
        return op.parent_op() is self.main and all(isinstance(use.operation, CallOp) for use in op.result.uses)

    def _count(self, found: Counter[str], value: SSAValue, count: int, step: Operation) -> None:
        value = loop.whole_of(value)
        name = constant_name(value.owner) if isinstance(value.owner, loop.WeightOp) else self.names.get(value)
        if name is None:
            return
        found[name] += count
        self.nodes.setdefault(name, provenance(step))


def reader_of(op: loop.WeightOp, kernels: Mapping[str, FuncOp]) -> str:
    """Return the device whose kernels read a constant; each device has constants of its own."""
    func = op.parent_op()
    if isinstance(func, FuncOp) and is_kernel(func):
        return device_of(func)
    calls = [use.operation for use in op.result.uses if isinstance(use.operation, CallOp)]
    return next((device_of(kernels[call.callee.string_value()]) for call in calls), MAIN)


def constant_name(op: loop.WeightOp) -> str:
    """Return the name of a constant among buffers and constants."""
    return f"constant {op.weight.data}"
