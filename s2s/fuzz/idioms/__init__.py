"""The table of idioms that the fuzzer draws: several nodes that exporters write for one thing, which passes recognise.

    x -> MatMul with a constant -> Add of a constant -> BatchNormalization -> Relu          a layer
    x -> QuantizeLinear -> DequantizeLinear -> Conv -> QuantizeLinear                       a layer of integers

Nodes that are drawn one by one hardly ever meet in such an order, on operands that fit, and without another reader.
"""

from collections.abc import Callable, Mapping

from s2s.fuzz.idioms import attention, blocks, integers, islands, layers, shapes, sums, tables, trees
from s2s.fuzz.network import Network, Value

Draw = Callable[[Network], Value]
"""Adds the nodes of an idiom and returns its result; raises `Rejected` where it cannot."""

_FAMILIES = (attention, blocks, integers, islands, layers, shapes, sums, tables, trees)
IDIOMS: Mapping[str, Draw] = {name: draw for family in _FAMILIES for name, draw in family.IDIOMS.items()}
