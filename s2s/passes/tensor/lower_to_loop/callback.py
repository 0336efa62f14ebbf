"""Lower declarations of C functions, of the user or of code generators, to kernels over buffers.

    func.func private @blur(tensor<4xi8>) -> tensor<4xi8> attributes {callback = "my_blur"}
->
    func.func private @blur(%y: memref<4xi8>, %x: memref<4xi8>) attributes {callback = "my_blur", in_place = []} {
      loop.callback "my_blur" sets(%y) from(%x) : (memref<4xi8>), (memref<4xi8>)
    }

A declaration of a code generator may name constants in a layout of its own, which become weights inside of the kernel,
so that neither `main` nor the parameters of the network know them; and ask for scratch, the last argument:

    func.func private @dense(tensor<4xi8>) -> tensor<4xi8> attributes {callback = "f", constants = ["w"], scratch = 16}
->
    func.func private @dense(%y: memref<4xi8>, %x: memref<4xi8>, %scratch: memref<2xi64>) … {
      %w = loop.weight "w" …
      loop.callback "f" sets(%y, %scratch) from(%x, %w) {meaning = "dense"} : …
    }
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntegerAttr, MemRefType, StringAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block

from s2s.analysis.network.functions import CALLBACK, CONSTANTS, SCRATCH, meaning_of
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type
from s2s.types.dtypes import type_of_array
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

_WORD = 8


def is_callback(func: FuncOp) -> bool:
    """Return whether `func` declares a C function."""
    return CALLBACK in func.attributes


def lower_callback(func: FuncOp, weights: WeightStore) -> tuple[MemRefType[Attribute], ...]:
    """Give the declaration a body that calls the C function; return the types of its scratch arguments."""
    inputs, outputs = func.function_type.inputs.data, func.function_type.outputs.data
    scratch = _scratch_types(func)
    types = [*(buffer_type(type) for type in (*outputs, *inputs)), *scratch]
    block = Block(arg_types=types)
    first, last = len(outputs), len(outputs) + len(inputs)
    for number, argument in enumerate(block.args):
        argument.name_hint = "y" if number < first else "x" if number < last else "scratch"
    constants = [_weight(name, weights) for name in _constants(func)]
    block.add_ops(constants)
    function = str(getattr(func.attributes[CALLBACK], "data", ""))
    meaning = None if meaning_of(func) is None else func.sym_name.data
    written = [*block.args[:first], *block.args[last:]]
    read = [*block.args[first:last], *(op.result for op in constants)]
    block.add_op(loop.CallbackOp(function, written, read, meaning))
    block.add_op(ReturnOp())
    func.body.add_block(block)
    func.function_type = FunctionType.from_lists(types, [])
    return scratch


def _scratch_types(func: FuncOp) -> tuple[MemRefType[Attribute], ...]:
    size = func.attributes.get(SCRATCH)
    if not isinstance(size, IntegerAttr) or not size.value.data:
        return ()
    return (MemRefType(i64, [-(-size.value.data // _WORD)]),)


def _constants(func: FuncOp) -> Sequence[str]:
    listed = func.attributes.get(CONSTANTS)
    return [each.data for each in listed] if isa(listed, ArrayAttr[StringAttr]) else []


def _weight(name: str, weights: WeightStore) -> loop.WeightOp:
    made = loop.WeightOp(
        StringAttr(name), StringAttr(weights.hash(name)), buffer_type(type_of_array(weights.get(name)))
    )
    made.result.name_hint = "c"
    return made
