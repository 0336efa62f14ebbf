"""Networks that tests of microTVM are made with."""

from s2s.tvm.relay import nn
from s2s.tvm.relay.expr import var
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule


def get_conv2d_relay_module() -> IRModule:
    """Return a convolution of eight filters of 5x5 on an image of 64x64 with three channels, all of int8."""
    data = var("data", shape=(1, 3, 64, 64), dtype="int8")
    weight = var("weight", shape=(8, 3, 5, 5), dtype="int8")
    result = nn.conv2d(data, weight, padding=(2, 2), channels=8, kernel_size=(5, 5), out_dtype="int32")
    return IRModule.from_expr(Function([data, weight], result))


__all__ = ["get_conv2d_relay_module"]
