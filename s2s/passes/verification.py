"""Verify a module as xDSL does, but check equal arithmetic, equal expressions of C and equal calls only once."""

from dataclasses import replace

from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.math import Math
from xdsl.ir import Operation, Region
from xdsl.ir.core import ErasedSSAValue
from xdsl.irdl import traits_def
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.c import C
from s2s.dialects.isolation import ComputedBeforeUse
from s2s.dialects.loop import BroadcastOp, FmaOp
from s2s.dialects.plain import PlainOp
from s2s.dialects.walk import operations

_OF_EQUAL_KINDS = frozenset(
    (
        *Arith.operations,
        *Math.operations,
        CallOp,
        BroadcastOp,
        FmaOp,
        *(each for each in C.operations if issubclass(each, PlainOp)),
    )
)
"""Operations whose verifiers look at nothing but types, properties and the functions of the module."""

_DECLARED = FuncOp.get_irdl_definition()
_OTHER_TRAITS = [trait for trait in _DECLARED.traits if not isinstance(trait, IsolatedFromAbove)]
_FUNCTION = replace(_DECLARED, traits=traits_def(*_OTHER_TRAITS, ComputedBeforeUse()))
"""The definition of functions, with a trait that takes one walk where xDSL's climbs from each operand."""

Signature = tuple[object, ...]


def verify(module: ModuleOp) -> None:
    """Verify all operations of `module`, inner ones first; raises what `Operation.verify` raises.

    The unrolled points of a tile repeat the same arithmetic, and equal layers the same calls: of those with the same
    types and properties, one is checked.
    """
    proven: set[Signature] = set()
    _verify_regions(module, proven)
    module.verify(verify_nested_ops=False)


def _verify_regions(op: Operation, proven: set[Signature]) -> None:
    for region in op.regions:
        _verify_region(region, proven)


def _verify_region(region: Region, proven: set[Signature]) -> None:
    for block in region.blocks:
        for op in operations(block):
            if op.parent is not block:
                raise ValueError("Parent pointer of operation does not refer to containing region")
            if type(op) in _OF_EQUAL_KINDS and op.next_op is not None:
                signature = _signature(op)
                if signature in proven:
                    continue
                proven.add(signature)
            _verify_regions(op, proven)
            if type(op) is FuncOp:
                _verify_function(op)
            else:
                op.verify(verify_nested_ops=False)
        if block.first_op is None:
            block.verify()
        if block.parent is not region:
            raise ValueError("Parent pointer of block does not refer to containing region")


def _verify_function(func: FuncOp) -> None:
    try:
        _FUNCTION.verify(func)
    except VerifyException as error:
        func.emit_error(f"Operation does not verify: {error}", error)
    entry = func.body.blocks.first
    if entry is not None and entry.arg_types != func.function_type.inputs.data:
        func.verify(verify_nested_ops=False)  # which tells what is wrong


def _signature(op: Operation) -> Signature:
    """The class of `op`, and the identities of its types and properties, which live as long as the module."""
    return (
        type(op),
        *[id(value if type(value) is ErasedSSAValue else value.type) for value in op.operands],
        "->",
        *[id(result.type) for result in op.results],
        *[(name, id(value)) for name, value in op.properties.items()],
    )
