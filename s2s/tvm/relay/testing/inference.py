"""Functions of TVM's tests that run passes on an expression."""

from typing import NoReturn

from s2s.errors import UnsupportedError
from s2s.tvm.relay.analysis import list_op_freqs
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.transform import InferType
from s2s.tvm.transform import Pass


def run_opt_pass(expr: Expr, opt_pass: Pass, import_prelude: bool = False) -> Expr:
    """What a pass makes of a function, or of the body of the function that an expression is."""
    if import_prelude:
        raise UnsupportedError("run_opt_pass: import_prelude: there is no prelude; leave it out")
    main = opt_pass(IRModule.from_expr(expr))["main"]
    return main if isinstance(expr, Function) else main.body


def run_infer_type(expr: Expr) -> Expr:
    """The expression: types are known as soon as an operator is called."""
    return run_opt_pass(expr, InferType())


def count_ops(expr: Expr) -> dict[str, int]:
    """How often each operator is called."""
    return list_op_freqs(IRModule.from_expr(expr))


def check_grad(func: Expr, *_: object, **__: object) -> NoReturn:
    """TVM's comparison of gradients; refused."""
    raise UnsupportedError("relay.testing.check_grad: networks have no gradients here; train elsewhere")
