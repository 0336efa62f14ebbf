"""Refuse kernels that take more arguments than a function of their device may have.

    func.func private @pool(%y: memref<4xf32>, %x: memref<4xf32>, %scratch: memref<2xf32>, …)      with {limits=dsp=2}
->
    UnsupportedError: pool: takes 3 arguments, a function of dsp may have 2; …

Runs behind everything that gives kernels arguments. `graph-split-args` and `graph-fuse-ops` keep inputs within the
limit (`max_function_args` of the target); scratch buffers and results beyond the first are known here only.

Declined for kernels within the limit, and for devices without one.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import device_of, main_of
from s2s.errors import UnsupportedError
from s2s.passes.graph.function_args import limits_of
from s2s.support.frozen import frozen


@frozen
class LimitArgsPass(ModulePass):
    """Refuse kernels with too many arguments."""

    name = "loop-limit-args"

    limits: tuple[str, ...] = ()
    """The arguments that a function on each device may have, as `main=127`; no limit where one is left out."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        limits = limits_of(self.limits).by_device
        kernels = [each for each in op.ops if isinstance(each, FuncOp) and each is not main_of(op)]
        for kernel in kernels:
            device, count = device_of(kernel), len(kernel.function_type.inputs.data)
            limit = limits.get(device, count)
            if count > limit:
                raise UnsupportedError(
                    f"{kernel.sym_name.data}: takes {count} arguments with its results and scratch, a function of "
                    f'{device} may have {limit}; raise max_function_args, or compile with schedule="reference"'
                )
