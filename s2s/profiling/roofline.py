"""Compute a lower bound of the time of a kernel on a machine.

A kernel is held up by its arithmetic or by its memory, whichever takes longer:

    arithmetic = float operations / float peak + integer operations / int8 peak
    memory     = activations / bandwidth(where the kernel's tensors lie)
               + constants / bandwidth(where all constants of the network lie)

Activations were written just before by another kernel, so they lie in the nearest cache that holds this kernel's
tensors. Constants are read once a run, and between two runs everything else passes through the caches: they lie where
all that a run touches has room.
"""

from s2s.analysis.cost.kernels import KernelCost
from s2s.profiling.machine import Level, Machine
from s2s.support.frozen import frozen

ARITHMETIC = "arithmetic"


@frozen
class Bound:
    """The lower bound of the time of one call, and what limits it."""

    seconds: float
    by: str
    """`arithmetic`, or the cache or memory that takes most of the time."""


def bound_of(cost: KernelCost, machine: Machine, network_bytes: int) -> Bound:
    """The bound of a kernel in a network that touches `network_bytes` in a run."""
    arithmetic = cost.operations.floats / machine.float_gflops + cost.operations.integers / machine.int8_gops
    near, far = machine.holding(cost.bytes), machine.holding(max(cost.bytes, network_bytes))
    activations, constants = _transfer(cost.activations, near), _transfer(cost.constants, far)
    if arithmetic >= activations + constants:
        return Bound(arithmetic * 1e-9, ARITHMETIC)
    return Bound((activations + constants) * 1e-9, (near if activations >= constants else far).name)


def _transfer(size: int, level: Level) -> float:
    """Return the nanoseconds to read `size` bytes from `level`."""
    return size / level.read_gbs
