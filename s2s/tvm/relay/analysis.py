"""Questions about expressions, under TVM's names."""

from collections import Counter

from s2s.errors import UnsupportedError
from s2s.tvm.relay.expr import Expr, post_order, written
from s2s.tvm.relay.expr_functor import post_order_visit
from s2s.tvm.relay.function import Function, bound_vars, free_vars
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.operators import Call, Op


def all_vars(expr: Expr) -> list[Expr]:
    """The variables of an expression, bound ones first."""
    return [*bound_vars(expr), *free_vars(expr)]


def list_op_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator is called in `main`."""
    calls = [each for each in written(mod["main"]) if isinstance(each, Call)]
    return dict(Counter(call.op.name for call in calls if isinstance(call.op, Op)))


def list_fake_quantized_op_freqs(mod: IRModule) -> dict[str, int]:
    """TVM's count of operators between quantisations; refused."""
    raise UnsupportedError("relay.analysis: fake quantisation is no pass here; see list_op_freqs")


def check_constant(expr: Expr) -> bool:
    """Whether an expression reads no variable."""
    return not free_vars(expr) and not isinstance(expr, Function)


def well_formed(expr: Expr) -> bool:
    """Whether each variable is bound once, which expressions see to when they are made."""
    return True


def count_layers(expr: Expr | IRModule, valid_ops: list[str]) -> int:
    """The largest number of operators of `valid_ops` on one path."""
    root = expr["main"] if isinstance(expr, IRModule) else expr
    depth: dict[int, int] = {}
    for each in written(root):
        counts = isinstance(each, Call) and isinstance(each.op, Op) and each.op.name in valid_ops
        depth[id(each)] = max((depth[id(child)] for child in each.children), default=0) + counts
    return depth[id(root)]


__all__ = [
    "all_vars",
    "bound_vars",
    "check_constant",
    "count_layers",
    "free_vars",
    "list_fake_quantized_op_freqs",
    "list_op_freqs",
    "post_order",
    "post_order_visit",
    "well_formed",
]
