"""The constants of a network as arrays, the paths of its files, and what it shares with others of its tree."""

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from s2s.analysis.network.functions import POOL
from s2s.dialects import c
from s2s.dialects.c import ArrayType
from s2s.emit.units import Program, owner_of
from s2s.emit.weights import ConstantArray
from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.weights import WeightStore

if TYPE_CHECKING:
    from s2s.emit.pack import PackedWeights


def stem_of(name: str, device: str) -> str:
    """Return how the paths of a device's files begin in `src/`: the first device's are not in a folder."""
    return name if device == MAIN else f"{device}/{name}_{device}"


def script_of(name: str) -> str:
    """Return the path of the part of a linker script that places memory pools."""
    return f"{name}_pools.ld"


def header_of_constants(name: str, device: str) -> str:
    """Return what the network includes to name the constants of a device."""
    return f'"{stem_of(name, device)}_weights.h"'


def constants_of(program: Program, weights: WeightStore) -> list[ConstantArray]:
    """Return the constants that `program` defines."""
    return [_constant_of(op, weights) for op in program.weights]


def pack_of(program: Program, weights: WeightStore, align: int) -> "PackedWeights":
    """Place the constants that `program` finds in its pack."""
    from s2s.emit.pack import PackedWeights

    return PackedWeights([_constant_of(op, weights) for op in program.packed], align)


def _constant_of(op: c.GlobalOp, store: WeightStore) -> ConstantArray:
    identifier, type, pool = op.sym_name.data, op.type, op.attributes.get(POOL)
    if not isinstance(type, ArrayType) or op.weight is None:
        raise CompilerBug(f"{identifier} is no weight")
    name = op.weight.data
    array = ConstantArray(identifier, type.element, store.get(name), name, getattr(pool, "data", ""), owner_of(op))
    if array.count != type.size:
        raise CompilerBug(f"{identifier}: declared with {type.size} elements, weight {name} has {array.count}")
    return array


@frozen
class Shared:
    """What a network has in common with the others of its tree."""

    name: str
    """The prefix of its C names."""
    program: Program
    constants: Sequence[ConstantArray]

    @property
    def kernels(self) -> list[str]:
        """The names of the shared kernels."""
        return [kernel.sym_name.data for kernel in self.program.kernels]

    @property
    def headers(self) -> list[str]:
        """The headers of shared kernels and constants, as far as there are any."""
        kernels = [f'"{self.name}_kernels.h"'] if self.program.kernels else []
        return [*kernels, *self.headers_of_constants({array.identifier for array in self.constants})]

    def headers_of_constants(self, named: Set[str]) -> list[str]:
        """The headers of the shared constants that are named."""
        owners = dict.fromkeys(array.device for array in self.constants if array.identifier in named)
        return [header_of_constants(self.name, owner) for owner in owners]
