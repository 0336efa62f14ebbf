"""The C names of what has one name in the whole program: kernels and weights."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from s2s.dialects import loop
from s2s.emit.identifiers import c_identifier, unique_identifiers

LONGEST_PREFIX = 24
"""Characters of the network's name in C names, so that something else is left of 31."""


@dataclass(frozen=True)
class Names:
    """C names by the names of the loop level, in the order of the module."""

    prefix: str
    kernels: Mapping[str, str]
    weights: Mapping[str, str]


def functions(module: ModuleOp) -> list[FuncOp]:
    """All functions."""
    return [op for op in module.ops if isinstance(op, FuncOp)]


def is_main(func: FuncOp) -> bool:
    """Whether `func` calls kernels; a kernel calls nothing."""
    return any(isinstance(op, CallOp) for op in func.body.walk())


def c_names(module: ModuleOp, prefix: str) -> Names:
    """Kernels are `<prefix>_<kernel>`, weights `<prefix>_<weight>`."""
    prefix = c_identifier(prefix, LONGEST_PREFIX)
    kernels = [func.sym_name.data for func in functions(module) if not is_main(func)]
    weights = list(dict.fromkeys(op.weight.data for op in module.walk() if isinstance(op, loop.WeightOp)))
    taken = {f"{prefix}_run", f"{prefix}_graph"}
    made = unique_identifiers([*kernels, *weights], prefix=f"{prefix}_", taken=taken)
    return Names(
        prefix,
        dict(zip(kernels, made[: len(kernels)], strict=True)),
        dict(zip(weights, made[len(kernels) :], strict=True)),
    )
