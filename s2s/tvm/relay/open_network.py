"""Networks whose sizes are variables, compiled once for all sizes within bounds.

    x = relay.var("x", shape=(relay.Any(), 4))
    library = relay.build(relay.Function([x], relay.nn.relu(x)), "llvm", dims={"x_0": "1..64"})
    library.export_library("relu.so")

A size has the name of its variable; one without a name, `relay.Any()`, has the name of its parameter and axis.
"""

from collections.abc import Mapping

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.imported import Imported, Origin
from s2s.frontends.named_axes import state_sizes
from s2s.tvm.relay.function import Function, unique_names
from s2s.tvm.relay.lowering import Lowered, built
from s2s.tvm.relay.module import IRModule, bind_params_by_name
from s2s.tvm.relay.sizes import ANY, LEDGER
from s2s.tvm.relay.specialise import is_open, specialised
from s2s.types.size import Ledger, Size, all_plain
from s2s.types.sizes import DimSize, SizeRange
from s2s.types.weights import Array


def within(mod: IRModule, params: Mapping[str, Array], dims: Mapping[str, DimSize]) -> IRModule:
    """The module, its function `main` read for sizes within the bounds that `dims` gives where they are variables."""
    if not mod.is_written or "main" not in mod or not is_open(mod["main"]):
        return mod
    lowered = opened(bind_params_by_name(mod["main"], params), dims)
    return IRModule.of(lowered.module, lowered.weights, lowered.resize)


def opened(function: Function, dims: Mapping[str, DimSize]) -> Lowered:
    """The network at graph level of a function whose sizes vary within the bounds, or have the values, of `dims`."""

    def resized(others: Mapping[str, DimSize]) -> Imported:
        lowered = _within(function, {**dims, **others})
        return Imported(lowered.module, lowered.weights, "model", Origin("Relay", "s2s", 0, {}, 0))

    bounds = {name: SizeRange(size, size) if isinstance(size, int) else size for name, size in dims.items()}
    lowered = _within(function, bounds)
    return Lowered(lowered.module, lowered.weights, resized)


def _within(function: Function, dims: Mapping[str, DimSize]) -> Lowered:
    ledger = Ledger()
    shapes = [
        tuple(_size(size, f"{parameter.name_hint}_{axis}", dims, ledger) for axis, size in enumerate(parameter.shape))
        for parameter in function.params
    ]
    for parameter, name, shape in zip(function.params, unique_names(function.params), shapes, strict=True):
        if not all_plain(parameter.shape):
            ledger.ports[name] = tuple(size.expr if isinstance(size, Size) else None for size in shape)
    lowered = built(specialised(function, shapes), ledger)
    state_sizes(lowered.module, ledger)
    return lowered


def _size(size: int, place: str, dims: Mapping[str, DimSize], ledger: Ledger) -> int:
    """A size of a parameter as a symbol of the bounds that it is given."""
    if not isinstance(size, Size):
        return size
    used = [LEDGER.names[number] for number in size.expr.used_dims()]
    if len(used) != 1 or LEDGER.describe(size.expr) != used[0]:
        raise UnsupportedError(f"relay.build: {place} is computed of other sizes; give it a variable of its own")
    variable = used[0].partition("#")[0]
    name = place if variable == ANY else variable
    if name not in dims:
        raise InputError(f"relay.build: size {name} is open; give its bounds, dims={{{name!r}: '1..64'}}, or a number")
    bounds = dims[name]
    return ledger.size(name, bounds) if isinstance(bounds, SizeRange) else bounds
