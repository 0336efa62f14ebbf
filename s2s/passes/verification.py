"""Verify a module as xDSL does, without checking equal arithmetic again and again."""

from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.math import Math
from xdsl.ir import Operation, Region
from xdsl.ir.core import ErasedSSAValue

_ARITHMETIC = frozenset((*Arith.operations, *Math.operations))

Signature = tuple[object, ...]


def verify(module: ModuleOp) -> None:
    """Verify all operations of `module`, inner ones first; raises what `Operation.verify` raises.

    The unrolled points of a tile repeat the same arithmetic: xDSL's operations on scalars and vectors look at nothing
    but their types and properties, so one of each kind is checked.
    """
    proven: set[Signature] = set()
    _verify_regions(module, proven)
    module.verify(verify_nested_ops=False)


def _verify_regions(op: Operation, proven: set[Signature]) -> None:
    for region in op.regions:
        _verify_region(region, proven)


def _verify_region(region: Region, proven: set[Signature]) -> None:
    for block in region.blocks:
        for op in block.ops:
            if op.parent is not block:
                raise ValueError("Parent pointer of operation does not refer to containing region")
            if type(op) in _ARITHMETIC and op.next_op is not None:
                signature = _signature(op)
                if signature in proven:
                    continue
                proven.add(signature)
            _verify_regions(op, proven)
            op.verify(verify_nested_ops=False)
        if block.first_op is None:
            block.verify()
        if block.parent is not region:
            raise ValueError("Parent pointer of block does not refer to containing region")


def _signature(op: Operation) -> Signature:
    """The class of `op`, and the identities of its types and attributes, which live as long as the module."""
    return (
        type(op),
        *[id(value if type(value) is ErasedSSAValue else value.type) for value in op.operands],
        "->",
        *[id(result.type) for result in op.results],
        *[(name, id(value)) for name, value in op.properties.items()],
        "attributes",
        *[(name, id(value)) for name, value in op.attributes.items()],
    )
