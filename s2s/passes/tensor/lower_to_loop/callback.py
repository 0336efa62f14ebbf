"""Lower declarations of the user's C functions to kernels over buffers.

    func.func private @blur(tensor<4xi8>) -> tensor<4xi8> attributes {callback = "my_blur"}
->
    func.func private @blur(%y: memref<4xi8>, %x: memref<4xi8>) attributes {callback = "my_blur", in_place = []} {
      loop.callback "my_blur" sets(%y) from(%x) : (memref<4xi8>), (memref<4xi8>)
    }
"""

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block

from s2s.analysis.network.functions import CALLBACK
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type


def is_callback(func: FuncOp) -> bool:
    """Whether `func` declares a C function of the user."""
    return CALLBACK in func.attributes


def lower_callback(func: FuncOp) -> None:
    """Give the declaration a body that calls the C function."""
    inputs, outputs = func.function_type.inputs.data, func.function_type.outputs.data
    types = [buffer_type(type) for type in (*outputs, *inputs)]
    block = Block(arg_types=types)
    for number, argument in enumerate(block.args):
        argument.name_hint = "y" if number < len(outputs) else "x"
    function = str(getattr(func.attributes[CALLBACK], "data", ""))
    block.add_op(loop.CallbackOp(function, block.args[: len(outputs)], block.args[len(outputs) :]))
    block.add_op(ReturnOp())
    func.body.add_block(block)
    func.function_type = FunctionType.from_lists(types, [])
