"""Estimate the memory that a network needs for other steps than one, which that step may use for nothing.

Three steps with 8, 6 and 4 KB of live buffers, of whose result 3, 2 and 1 KB may lie over an operand that dies: the
network needs at least 5 KB, of which the last step leaves 1.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.dialects import loop
from s2s.memory.accesses import buffer_bytes
from s2s.memory.calls import Lifetime


def spare_bytes(network: FuncOp) -> dict[Operation, int]:
    """Return for each step of `network` how many bytes all steps together need at least beyond its own live buffers."""
    steps = [op for op in network.body.block.ops if isinstance(op, loop.STEPS)]
    lives: dict[SSAValue, Lifetime] = {}
    for number, step in enumerate(steps):
        for value in map(loop.whole_of, step.operands):
            if isinstance(value.owner, loop.AllocOp):
                lives.setdefault(value, Lifetime(number, number)).last = number
    live = [0] * len(steps)
    over = [0] * len(steps)
    for value, life in lives.items():
        size = buffer_bytes(value)
        for number in range(life.first, life.last + 1):
            live[number] += size
        if life.first < life.last:
            over[life.last] = max(over[life.last], size)
    needed = max((mine - shared for mine, shared in zip(live, over, strict=True)), default=0)
    return {step: max(needed - mine, 0) for step, mine in zip(steps, live, strict=True)}
