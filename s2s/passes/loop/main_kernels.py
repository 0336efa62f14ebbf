"""Find the kernels of the first device that only `main` calls, so that passes may change their arguments and their
calls, and divide them among threads.

Networks that another network runs, as the steps of recurrent layers are, call kernels in the middle of a kernel. The
threads that share a kernel are those of the first device.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from s2s.analysis.network.functions import device_of
from s2s.passes.loop.plan_memory import is_network_of_buffers
from s2s.types.devices import MAIN


def kernels_of_main(module: ModuleOp) -> Iterator[tuple[FuncOp, list[CallOp]]]:
    """Return the kernels of the first device that only `main` calls, each with its calls."""
    functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
    calls: dict[str, list[CallOp]] = {}
    inner: set[str] = set()
    for network in filter(is_network_of_buffers, functions):
        for call in [op for op in network.body.block.ops if isinstance(op, CallOp)]:
            calls.setdefault(call.callee.string_value(), []).append(call)
            if not is_main(network):
                inner.add(call.callee.string_value())
    for kernel in functions:
        name = kernel.sym_name.data
        if name in calls and name not in inner and device_of(kernel) == MAIN:
            yield kernel, calls[name]


def is_main(network: FuncOp) -> bool:
    """Return whether a network is the one that callers run."""
    return network.sym_visibility is None
