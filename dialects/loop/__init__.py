"""The `loop` dialect: loop nests over flat buffers, registers and small vectors.

Values are scalars, rank-1 vectors and `index`es; memory is flat memrefs. Scalar arithmetic is `arith` and `math`, on
vectors too. Nothing here knows what a tensor is. Each file holds a family of operations and exports it in `__all__`.
"""

from collections.abc import Iterable
from types import ModuleType

from xdsl.ir import Dialect, Operation

from s2s.dialects.loop import (
    callback,
    cast_runs,
    codes,
    control,
    devices,
    extern,
    groups,
    index,
    interleaved,
    intrinsics,
    lanes,
    memory,
    network,
    nibbles,
    pairs,
    prefetch,
    products,
    register,
    sliding,
)
from s2s.dialects.loop.callback import *
from s2s.dialects.loop.cast_runs import *
from s2s.dialects.loop.checks import lanes_of as lanes_of
from s2s.dialects.loop.codes import *
from s2s.dialects.loop.control import *
from s2s.dialects.loop.devices import *
from s2s.dialects.loop.extern import *
from s2s.dialects.loop.groups import *
from s2s.dialects.loop.index import *
from s2s.dialects.loop.interfaces import Access as Access
from s2s.dialects.loop.interfaces import AccessInterface as AccessInterface
from s2s.dialects.loop.interfaces import Extent as Extent
from s2s.dialects.loop.interfaces import WorkInterface as WorkInterface
from s2s.dialects.loop.interleaved import *
from s2s.dialects.loop.intrinsics import *
from s2s.dialects.loop.lanes import *
from s2s.dialects.loop.memory import *
from s2s.dialects.loop.network import *
from s2s.dialects.loop.nibbles import *
from s2s.dialects.loop.pairs import *
from s2s.dialects.loop.prefetch import *
from s2s.dialects.loop.products import *
from s2s.dialects.loop.register import *
from s2s.dialects.loop.sliding import *

FAMILIES = (
    callback,
    cast_runs,
    codes,
    control,
    devices,
    extern,
    groups,
    index,
    interleaved,
    intrinsics,
    lanes,
    memory,
    network,
    nibbles,
    pairs,
    prefetch,
    products,
    register,
    sliding,
)


def _operations(families: Iterable[ModuleType]) -> list[type[Operation]]:
    """The operations that the families export; a base of several operations has no name and is none."""
    exported = [getattr(family, name) for family in families for name in family.__all__]
    return [
        each for each in exported if isinstance(each, type) and issubclass(each, Operation) and "name" in vars(each)
    ]


Loop = Dialect("loop", _operations(FAMILIES), [intrinsics.IntrinsicAttr])
