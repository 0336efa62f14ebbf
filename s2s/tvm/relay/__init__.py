"""Networks written in Python under TVM's names, and their compilation.

    x, w = relay.var("x", shape=(1, 3, 32, 32)), relay.var("w")
    y = relay.nn.relu(relay.nn.conv2d(x, w, channels=8, kernel_size=3, padding=1))
    mod = s2s.IRModule.from_expr(relay.Function([x, w], y))
    library = s2s.build(mod, target="host", params={"w": weights})

The types of expressions are known at once; operations are made when a module is, by the builder that importers use.
"""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.relay import (
    analysis,
    annotation,
    backend,
    build_module,
    expr,
    frontend,
    function,
    image,
    memory,
    nn,
    op,
    qnn,
    random,
    testing,
    transform,
    ty,
    vision,
)
from s2s.tvm.relay.arithmetic import (
    cast_like,
    einsum,
    fixed_point_multiply,
    floor_divide,
    floor_mod,
    isfinite,
    isinf,
    isnan,
    log2,
    log10,
    mod,
    ndarray_size,
    reinterpret,
    round,
    shape_of,
    trunc,
    trunc_divide,
    trunc_mod,
)
from s2s.tvm.relay.derived import (
    argsort,
    full_like,
    gather,
    one_hot,
    repeat,
    reshape_like,
    reverse,
    sort,
    topk,
)
from s2s.tvm.relay.executor import create_executor
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var, const, var
from s2s.tvm.relay.expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from s2s.tvm.relay.factory import build
from s2s.tvm.relay.function import Function, GlobalVar, If, Let
from s2s.tvm.relay.indexing import (
    adv_index,
    broadcast_to_like,
    collapse_sum_like,
    collapse_sum_to,
    cumprod,
    gather_nd,
    invert_permutation,
    layout_transform,
    matrix_set_diag,
    meshgrid,
    reverse_reshape,
    reverse_sequence,
    scatter_elements,
    scatter_nd,
    searchsorted,
    segment_sum,
    sequence_mask,
    slice_like,
    sliding_window,
    strided_set,
    take,
    trilu,
    unravel_index,
)
from s2s.tvm.relay.module import IRModule, bind_params_by_name
from s2s.tvm.relay.op import (
    abs,
    acos,
    acosh,
    add,
    arange,
    asin,
    asinh,
    atan,
    atanh,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    broadcast_to,
    call_dps_packed,
    cast,
    ceil,
    clip,
    concatenate,
    copy,
    cos,
    cosh,
    divide,
    equal,
    erf,
    exp,
    expand_dims,
    floor,
    full,
    greater,
    greater_equal,
    identity,
    left_shift,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    ones,
    ones_like,
    power,
    reshape,
    right_shift,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sinh,
    split,
    sqrt,
    squeeze,
    stack,
    strided_slice,
    subtract,
    tan,
    tanh,
    tile,
    transpose,
    where,
    zeros,
    zeros_like,
)
from s2s.tvm.relay.op_attributes import register_legalize
from s2s.tvm.relay.operators import Call, TupleGetItem, TupleWrapper
from s2s.tvm.relay.reduce import (
    all,
    any,
    argmax,
    argmin,
    cumsum,
    logsumexp,
    max,
    mean,
    mean_std,
    mean_variance,
    min,
    prod,
    std,
    sum,
    variance,
)
from s2s.tvm.relay.scope_builder import ScopeBuilder, astext, bind, pretty_print
from s2s.tvm.relay.signal import dft, stft
from s2s.tvm.relay.sparse import sparse_reshape
from s2s.tvm.relay.strategy import OpStrategy, register_strategy, select_implementation
from s2s.tvm.relay.text.parser import fromtext, parse, parse_expr
from s2s.tvm.relay.ty import (
    Any,
    FuncType,
    IncompleteType,
    TensorType,
    TupleType,
    Type,
    TypeVar,
    scalar_type,
)
from s2s.tvm.runtime import params as param_dict
from s2s.tvm.runtime.params import load_param_dict, save_param_dict
from s2s.tvm.transform import PassContext

build_config = PassContext

__all__ = [
    "Any", "Call", "Constant", "Expr", "ExprFunctor", "ExprMutator", "ExprVisitor", "FuncType", "Function",
    "GlobalVar", "IRModule", "If", "IncompleteType", "Let", "OpStrategy", "ScopeBuilder", "TensorType", "Tuple",
    "TupleGetItem", "TupleType", "TupleWrapper", "Type", "TypeVar", "Var", "abs", "acos", "acosh", "add",
    "adv_index", "all", "analysis", "annotation", "any", "arange", "argmax", "argmin", "argsort", "asin", "asinh",
    "astext", "atan", "atanh", "backend", "bind", "bind_params_by_name", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "broadcast_to", "broadcast_to_like", "build", "build_config", "build_module", "call_dps_packed",
    "cast", "cast_like", "ceil", "clip", "collapse_sum_like", "collapse_sum_to", "concatenate", "const", "copy",
    "cos", "cosh", "create_executor", "cumprod", "cumsum", "dft", "divide", "einsum", "equal", "erf", "exp",
    "expand_dims", "expr", "fixed_point_multiply", "floor", "floor_divide", "floor_mod", "fromtext", "frontend",
    "full", "full_like", "function", "gather", "gather_nd", "greater", "greater_equal", "identity", "image",
    "invert_permutation", "isfinite", "isinf", "isnan", "layout_transform", "left_shift", "less", "less_equal",
    "load_param_dict", "log", "log2", "log10", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logsumexp", "matrix_set_diag", "max", "maximum", "mean", "mean_std", "mean_variance", "memory", "meshgrid",
    "min", "minimum", "mod", "multiply", "ndarray_size", "negative", "nn", "not_equal", "one_hot", "ones",
    "ones_like", "op", "param_dict", "parse", "parse_expr", "power", "pretty_print", "prod", "qnn", "random",
    "register_legalize", "register_strategy", "reinterpret", "repeat", "reshape", "reshape_like", "reverse",
    "reverse_reshape", "reverse_sequence", "right_shift", "round", "rsqrt", "save_param_dict", "scalar_type",
    "scatter_elements",
    "scatter_nd", "searchsorted", "segment_sum", "select_implementation", "sequence_mask", "shape_of", "sigmoid",
    "sign", "sin", "sinh", "slice_like", "sliding_window", "sort", "sparse_reshape", "split", "sqrt", "squeeze",
    "stack", "std", "stft", "strided_set", "strided_slice", "subtract", "sum", "take", "tan", "tanh", "testing",
    "tile", "topk", "transform", "transpose", "trilu", "trunc", "trunc_divide", "trunc_mod", "ty", "unravel_index",
    "var", "variance", "vision", "where", "zeros", "zeros_like",
]  # fmt: skip

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay")
