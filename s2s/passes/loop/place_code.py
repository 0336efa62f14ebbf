"""Put the functions of kernels into memory pools of code.

    func.func private @conv_1x1(…) attributes {kernel} { … }        512,000 operations in about 1,300 bytes
    func.func private @softmax(…) attributes {kernel} { … }         60 operations in about 900 bytes
->  pools itcm=2048:code
    func.func private @conv_1x1(…) attributes {kernel, pool = "itcm"} { … }
    func.func private @softmax(…) attributes {kernel} { … }

The kernels with most work for a byte of code are first. Their bytes are an estimate that is seldom too low: the linker
has the last word. What the user places is there, whatever it is estimated at.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from s2s.analysis.cost.loops import operations_of
from s2s.analysis.network.functions import POOL, is_kernel
from s2s.decisions.chooser import Chooser
from s2s.decisions.code import DEFAULT, PLANNED, CodeKind, PlacedKernel
from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.errors import InputError
from s2s.passes.context import given_of, target_of
from s2s.support.frozen import frozen
from s2s.types.pools import Pools, pools_of

OPERATION, AROUND = 12, 512
"""Bytes of code of an operation of a kernel, and of what is around its loops: of 24 kernels of MLPerf Tiny on Cortex-M4
22 take less at -O3, and none over a quarter more."""


@frozen
class PlaceCodePass(ModulePass):
    name = "loop-place-code"

    pools: tuple[str, ...] = ()
    """Memory pools as `itcm=64KiB:code`, the fastest first."""
    places: tuple[str, ...] = ()
    """Kernels that the user places, as `conv_1x1=itcm`."""
    target: str = "c"
    """The target that decisions are recorded for."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pools, asked = pools_of(self.pools), dict(placement.split("=", 1) for placement in self.places)
        kernels = {func.sym_name.data: func for func in op.ops if isinstance(func, FuncOp) and is_kernel(func)}
        _check_asked(asked, kernels, pools)
        calls = _calls(op)
        placed = [
            PlacedKernel(kernel, pools, _code_size(kernel), operations_of(kernel) * calls.get(name, 0))
            for name, kernel in kernels.items()
            if not kernel.is_declaration
        ]
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            chosen = {placement: chooser.choose(CodeKind(), placement) for placement in placed}
        chosen = {placement: asked.get(placement.kernel.sym_name.data, choice) for placement, choice in chosen.items()}
        for kernel, pool in _planned(chosen, pools).items():
            kernel.attributes[POOL] = StringAttr(pool)


def _check_asked(asked: Mapping[str, str], kernels: Mapping[str, FuncOp], pools: Pools) -> None:
    names = [*(pool.name for pool in pools), DEFAULT]
    for kernel, pool in asked.items():
        if kernel not in kernels:
            raise InputError(f"--place {kernel}={pool}: there is no such kernel; the kernels are {', '.join(kernels)}")
        if pool not in names:
            raise InputError(f"--place {kernel}={pool}: there is no such pool of code; give one of {', '.join(names)}")


def _planned(chosen: Mapping[PlacedKernel, str], pools: Pools) -> dict[FuncOp, str]:
    """Return the pool of each kernel that has one: the chosen kernels first, then the hottest ones that have room."""
    room = {pool.name: pool.size for pool in pools}
    places: dict[FuncOp, str] = {}
    hottest = sorted(chosen, key=lambda placement: (chosen[placement] == PLANNED, -placement.work / placement.size))
    for placement in hottest:
        choice = chosen[placement]
        if choice == PLANNED:
            choice = next((name for name, left in room.items() if placement.work and placement.size <= left), DEFAULT)
        if choice != DEFAULT:
            room[choice] -= placement.size
            places[placement.kernel] = choice
    return places


def _calls(module: ModuleOp) -> dict[str, int]:
    """How often a run calls each function; a network that another one repeats without a known number counts once."""
    calls: dict[str, int] = {}
    for function in (op for op in module.ops if isinstance(op, FuncOp)):
        steps = _steps(module, function.sym_name.data)
        for op in walk(function):
            if isinstance(op, CallOp):
                name = op.callee.string_value()
                calls[name] = calls.get(name, 0) + steps
    return calls


def _steps(module: ModuleOp, network: str) -> int:
    """How often a run calls a network in loops of a known number of steps."""
    steps = [1]
    for op in walk(module):
        if isinstance(op, loop.CallForOp) and network in op.networks:
            steps.append(op.steps.value.data)
        elif isinstance(op, loop.CallRowsOp):
            steps += [piece.steps for piece in op.pieces if piece.body == network]
    return max(steps)


def _code_size(kernel: FuncOp) -> int:
    """Estimate the bytes of code of a kernel."""
    return AROUND + OPERATION * sum(_copies(kernel.body.blocks, 1))


def _copies(blocks: Sequence[Block], times: int) -> Iterator[int]:
    """Yield for each operation how often it stands in the code: more than once where loops are unrolled."""
    for op in (op for block in blocks for op in block.ops):
        yield times
        unrolled = op.unroll.value.data if isinstance(op, loop.ForOp) and op.unroll is not None else 1
        for region in op.regions:
            yield from _copies(region.blocks, times * unrolled)


__all__ = ["PlaceCodePass"]
