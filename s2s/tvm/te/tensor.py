"""Tensors and their operations where TVM has them."""

from s2s.tvm.te.expressions import PlaceholderOp, Tensor, TensorOp
from s2s.tvm.te.extern_call import ExternOp
from s2s.tvm.te.operations import ComputeOp
from s2s.tvm.te.scan import ScanOp
from s2s.tvm.te.tensor_arithmetic import TensorSlice

Operation = TensorOp

__all__ = ["ComputeOp", "ExternOp", "Operation", "PlaceholderOp", "ScanOp", "Tensor", "TensorSlice"]
