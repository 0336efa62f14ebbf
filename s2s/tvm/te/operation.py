"""The makers of tensors where TVM has them."""

from s2s.tvm.te.extern import extern
from s2s.tvm.te.scan import scan
from s2s.tvm.te.stage import thread_axis
from s2s.tvm.te.tensors import compute, placeholder, reduce_axis, size_var, var
from s2s.tvm.te.tensors import constant as const

__all__ = ["compute", "const", "extern", "placeholder", "reduce_axis", "scan", "size_var", "thread_axis", "var"]
