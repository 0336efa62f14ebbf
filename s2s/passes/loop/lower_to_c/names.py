"""Choose the C names of kernels and weights, which have external linkage."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from s2s.analysis.network.functions import INIT, PACKED, THREADS
from s2s.c_syntax.identifiers import c_identifier, unique_identifiers
from s2s.dialects import loop
from s2s.passes.loop.lower_to_c.device_hooks import hook_names
from s2s.passes.loop.lower_to_c.weight_names import weight_texts
from s2s.passes.loop.plan_memory import is_network_of_buffers, operations_of_networks
from s2s.types.hints import isa
from s2s.types.symbols import function_named

SPECIALISED = "specialised"
"""Attribute of a call of a kernel: its clones for constant sizes, each with the sizes of the runs that it is for."""

_OF_STEPS = ("steps", "begin", "step", "abort")
"""The functions, and the structure, of a run in steps."""
MAX_PREFIX = 24
"""The maximum length of the network's name in C names, which leaves the rest of 31 characters for other parts."""


class Names(NamedTuple):
    """C names by loop-level names, in the order of the module."""

    prefix: str
    kernels: Mapping[str, str]
    weights: Mapping[str, str]
    divided: frozenset[str] = frozenset()
    """The C names of the kernels that take a thread pool as their first parameter."""
    status: str | None = None
    """The function that tells whether a kernel has failed; None if none can."""
    sizes: Mapping[str, Sequence[str]] = {}
    """The sizes that each kernel, and each network that another one runs, takes as its last parameters, by its C name;
    functions without any are left out."""


def specialised_calls(call: Operation) -> list[tuple[str, dict[str, int]]]:
    """Return the clones of the kernel that `call` calls, each with the sizes of the runs that it is for."""
    special = call.attributes.get(SPECIALISED)
    return [_clone(each) for each in special] if isa(special, ArrayAttr[DictionaryAttr]) else []


def _clone(clone: DictionaryAttr) -> tuple[str, dict[str, int]]:
    callee, sizes = clone.data["callee"], clone.data["sizes"]
    assert isinstance(callee, StringAttr)
    assert isinstance(sizes, DictionaryAttr)
    return callee.data, {name: size.value.data for name, size in sizes.data.items() if isinstance(size, IntegerAttr)}


def functions(module: ModuleOp) -> list[FuncOp]:
    """Return all functions."""
    return [op for op in module.ops if isinstance(op, FuncOp)]


def is_main(func: FuncOp) -> bool:
    """Return whether `func` is a network that no other one runs."""
    return is_network_of_buffers(func) and not is_inner(func)


def is_inner(func: FuncOp) -> bool:
    """Return whether `func` is a network that another one runs."""
    return is_network_of_buffers(func) and func.sym_visibility is not None


def c_names(module: ModuleOp, prefix: str) -> Names:
    """Choose names: kernels and networks are `<prefix>_<kernel>`, weights `<prefix>_<layer>_<what>` or their model
    names."""
    prefix = c_identifier(prefix, MAX_PREFIX)
    kernels = [func.sym_name.data for func in functions(module) if not is_main(func)]
    weights = list(dict.fromkeys(name for op in operations_of_networks(module) for name in _weights_of(op)))
    faces = [
        "run",
        "reset",
        "load",
        "graph",
        *_OF_STEPS * any(loop.RunSteps.of(func) is not None for func in functions(module)),
    ]
    taken = {*(f"{prefix}_{face}" for face in faces), *hook_names(module, prefix)}
    texts = weight_texts(module, weights, f"{prefix}_")
    made = unique_identifiers([*kernels, *texts], prefix=f"{prefix}_", taken=taken)
    named = dict(zip(kernels, made[: len(kernels)], strict=True))
    divided = {
        named[func.sym_name.data] for func in functions(module) if not is_main(func) and THREADS in func.attributes
    }
    status = "s2s_kernel_status" if any(PACKED in func.attributes for func in functions(module)) else None
    sizes = {named[func.sym_name.data]: _sizes_below(func) for func in functions(module) if not is_main(func)}
    return Names(
        prefix,
        named,
        dict(zip(weights, made[len(kernels) :], strict=True)),
        frozenset(divided),
        status,
        {name: found for name, found in sizes.items() if found},
    )


def sizes_in(func: FuncOp) -> list[str]:
    """Return the sizes of this run that a kernel asks for."""
    if not func.body.blocks:
        return []
    return list(dict.fromkeys(op.size.data for op in func.body.block.ops if isinstance(op, loop.SizeOp)))


def _sizes_below(func: FuncOp) -> list[str]:
    """Return the sizes of this run that a kernel asks for, or the kernels and networks that a network runs."""
    found = dict.fromkeys(sizes_in(func))
    for op in func.body.block.ops if func.body.blocks else ():
        names: Sequence[str] = ()
        if isinstance(op, CallOp):
            names = (op.callee.string_value(),)
        elif isinstance(op, loop.NetworkCall):
            names = op.networks
        if isinstance(op, loop.CallForOp) and op.size is not None:
            found[op.size.data] = None
        for callee in (function_named(op, name) for name in names):
            found |= dict.fromkeys(_sizes_below(callee) if callee is not None else ())
    return list(found)


def _weights_of(op: Operation) -> list[str]:
    """Return the weights that `op` refers to: its own, or the initial value of state."""
    init = op.attributes.get(INIT) if isinstance(op, loop.ViewOp) else None
    if isinstance(init, StringAttr):
        return [init.data]
    return [op.weight.data] if isinstance(op, loop.WeightOp) else []
