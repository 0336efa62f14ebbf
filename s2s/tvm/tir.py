"""What users of tensor expressions take from TVM's module of tensor programs."""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.runtime.imm import FloatImm, IntImm
from s2s.tvm.te import (
    abs,
    all,
    any,
    call_extern,
    call_packed,
    ceil,
    cos,
    erf,
    exp,
    floor,
    if_then_else,
    indexdiv,
    indexmod,
    log,
    max,
    min,
    power,
    round,
    rsqrt,
    sigmoid,
    sin,
    sqrt,
    sum,
    tanh,
    var,
)
from s2s.tvm.te.expressions import IterVar, Select, Var, const
from s2s.tvm.te.intrinsics import CallEffectKind, call_intrin, call_pure_extern
from s2s.tvm.te.intrinsics import Intrinsic as Call
from s2s.tvm.te.operators import (
    floordiv,
    floormod,
    isfinite,
    isinf,
    isnan,
    log2,
    log10,
    nearbyint,
    trunc,
    truncdiv,
    truncmod,
)
from s2s.tvm.te.reducers import comm_reducer as comm_reducer
from s2s.tvm.te.reducers import infinity, max_value, min_value
from s2s.tvm.te.tensors import size_var

SizeVar = Var


__all__ = [
    "Call",
    "CallEffectKind",
    "FloatImm",
    "IntImm",
    "IterVar",
    "Select",
    "SizeVar",
    "Var",
    "abs",
    "all",
    "any",
    "call_extern",
    "call_intrin",
    "call_packed",
    "call_pure_extern",
    "ceil",
    "comm_reducer",
    "const",
    "cos",
    "erf",
    "exp",
    "floor",
    "floordiv",
    "floormod",
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
    "max",
    "max_value",
    "min",
    "min_value",
    "nearbyint",
    "power",
    "round",
    "rsqrt",
    "sigmoid",
    "sin",
    "size_var",
    "sqrt",
    "sum",
    "tanh",
    "trunc",
    "truncdiv",
    "truncmod",
    "var",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("tir")
