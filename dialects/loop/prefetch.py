"""Prefetch hints: bring a cache line nearer before it is needed."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.operation import Op, op_definition
from s2s.support.frozen import frozen


@frozen
class Cache(Resource):
    """The caches of the processor, whose contents change no value."""

    def name(self) -> str:
        return "<Cache>"


class CacheEffect(MemoryEffect):
    """A write to the caches alone: the operation stays where it is, and touches no buffer."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.WRITE, resource=Cache())}


@op_definition
class PrefetchOp(Op):
    """A hint: the cache line of `buffer[min(map(indices), size - 1)]` will be wanted soon. No number changes.

    `near` asks for the first cache, else it is the second. The position is not negative.
    """

    name = "loop.prefetch"

    map = prop_def(AffineMapAttr)
    near = opt_prop_def(UnitAttr)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    traits = traits_def(CacheEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer `[` $map `(` $indices `)` `]` (`near` $near^)? attr-dict `:` type($buffer)"

    def __init__(
        self, buffer: SSAValue, affine_map: AffineMap, indices: Sequence[SSAValue], *, near: bool = False
    ) -> None:
        super().__init__(
            operands=[buffer, indices],
            properties={"map": AffineMapAttr(affine_map), "near": UnitAttr() if near else None},
        )

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        check_flat(self, self.buffer.type)


__all__ = ["PrefetchOp"]
