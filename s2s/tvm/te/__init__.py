"""Tensor expressions under TVM's names: a formula for each element, and a schedule that says how its loops run.

    k = te.reduce_axis((0, 512), "k")
    A, B = te.placeholder((512, 512), name="A"), te.placeholder((512, 512), name="B")
    C = te.compute((512, 512), lambda x, y: te.sum(A[x, k] * B[k, y], axis=k), name="C")
    s = te.create_schedule(C.op)
    xo, yo, xi, yi = s[C].tile(*C.op.axis, 8, 32)
    s[C].reorder(xo, yo, k, xi, yi)
    s[C].vectorize(yi)
    matmul = te.build(s, [A, B, C], target="host", name="matmul")
    matmul(a, b, c)

It builds `tensor.compute` operations and directives of their schedules, which the compiler's own passes lower. What
the directives cannot say is refused, with the reason.
"""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.te import arithmetic as arithmetic
from s2s.tvm.te import schedule as schedule
from s2s.tvm.te.bits import add, div, multiply, popcount, subtract
from s2s.tvm.te.buffers import call_extern, call_packed
from s2s.tvm.te.build import Function as Function
from s2s.tvm.te.build import build, lower
from s2s.tvm.te.expressions import Expr, IterVar, PlaceholderOp, Tensor, Var
from s2s.tvm.te.extern import extern
from s2s.tvm.te.extern_call import ExternOp
from s2s.tvm.te.further_functions import fmod
from s2s.tvm.te.operations import ComputeOp
from s2s.tvm.te.operators import (
    abs,
    acos,
    acosh,
    all,
    any,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    erf,
    exp,
    floor,
    floordiv,
    floormod,
    if_then_else,
    indexdiv,
    indexmod,
    isfinite,
    isinf,
    isnan,
    log,
    log2,
    log10,
    max,
    min,
    nearbyint,
    power,
    round,
    rsqrt,
    sigmoid,
    sin,
    sinh,
    sqrt,
    sum,
    tan,
    tanh,
    trunc,
    truncdiv,
    truncmod,
)
from s2s.tvm.te.reducers import comm_reducer, infinity, max_value, min_value
from s2s.tvm.te.scan import ScanOp, scan
from s2s.tvm.te.schedule import Schedule, create_schedule
from s2s.tvm.te.stage import Stage, thread_axis
from s2s.tvm.te.tag import tag_scope
from s2s.tvm.te.tensor_arithmetic import TensorSlice
from s2s.tvm.te.tensor_intrin import TensorIntrin, decl_tensor_intrin
from s2s.tvm.te.tensors import compute, placeholder, reduce_axis, size_var, var
from s2s.tvm.te.tensors import constant as const

__all__ = [
    "ComputeOp",
    "Expr",
    "ExternOp",
    "IterVar",
    "PlaceholderOp",
    "ScanOp",
    "Schedule",
    "Stage",
    "Tensor",
    "TensorIntrin",
    "TensorSlice",
    "Var",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "build",
    "call_extern",
    "call_packed",
    "ceil",
    "comm_reducer",
    "compute",
    "const",
    "cos",
    "cosh",
    "create_schedule",
    "decl_tensor_intrin",
    "div",
    "erf",
    "exp",
    "extern",
    "floor",
    "floordiv",
    "floormod",
    "fmod",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "infinity",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log2",
    "log10",
    "lower",
    "max",
    "max_value",
    "min",
    "min_value",
    "multiply",
    "nearbyint",
    "placeholder",
    "popcount",
    "power",
    "reduce_axis",
    "round",
    "rsqrt",
    "scan",
    "sigmoid",
    "sin",
    "sinh",
    "size_var",
    "sqrt",
    "subtract",
    "sum",
    "tag_scope",
    "tan",
    "tanh",
    "thread_axis",
    "trunc",
    "truncdiv",
    "truncmod",
    "var",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("te")
