"""Questions about expressions, under TVM's names."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from s2s.errors import UnsupportedError
from s2s.tvm.refusals import refusing
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var, post_order, written
from s2s.tvm.relay.expr_functor import post_order_visit
from s2s.tvm.relay.function import Function, Let, bound_vars, free_vars
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.operators import Call, Op, TupleWrapper
from s2s.tvm.relay.ty import TensorType, Type


def all_vars(expr: Expr) -> list[Var]:
    """The variables of an expression, in the order in which it binds or reads them first."""
    return [each for each in post_order(expr, children=_binders_first) if isinstance(each, Var)]


def _binders_first(expr: Expr) -> tuple[Expr, ...]:
    """The expressions that one is made of, with a name before its value."""
    return (expr.var, expr.value, expr.body) if isinstance(expr, Let) else expr.children


def list_op_freqs(mod: IRModule) -> dict[str, int]:
    """How often each operator is called in `main`."""
    calls = [each for each in written(mod["main"]) if isinstance(each, Call)]
    return dict(Counter(call.op.name for call in calls if isinstance(call.op, Op)))


def list_fake_quantized_op_freqs(mod: IRModule) -> dict[str, int]:
    """TVM's count of operators between quantisations; refused."""
    raise UnsupportedError("relay.analysis: fake quantisation is no pass here; see list_op_freqs")


def check_constant(expr: Expr) -> bool:
    """Whether an expression is a constant, or a tuple of such."""
    value = expr.tuple_value if isinstance(expr, TupleWrapper) else expr
    if isinstance(value, Tuple):
        return all(check_constant(each) for each in value.fields)
    return isinstance(value, Constant)


def well_formed(expr: Expr) -> bool:
    """Whether each variable is bound once, and read only where it is bound, or bound nowhere."""
    scopes = _Scopes()
    pending: list[Expr | list[Var]] = [expr]
    visited: set[int] = set()
    while pending and scopes.are_right:
        each = pending.pop()
        if isinstance(each, list):
            scopes.leave(each)
        elif isinstance(each, Var):
            scopes.read(each)
        elif id(each) not in visited:
            visited.add(id(each))
            names = list(each.params) if isinstance(each, Function) else [each.var] if isinstance(each, Let) else []
            scopes.enter(names)
            inner = [child for child in each.children if child not in names] if names else each.children
            pending += [names, *reversed(inner)]
    return scopes.are_right


class _Scopes:
    """The variables that are bound around an expression, and all that were met before it."""

    def __init__(self) -> None:
        self._around, self._bound, self._free = set[int](), set[int](), set[int]()
        self.are_right = True

    def enter(self, names: Sequence[Var]) -> None:
        """Bind variables, each for the first time."""
        for each in names:
            self.are_right = self.are_right and id(each) not in self._bound | self._free
            self._around.add(id(each))
            self._bound.add(id(each))

    def leave(self, names: Sequence[Var]) -> None:
        """End the scope of variables."""
        self._around -= set(map(id, names))

    def read(self, variable: Var) -> None:
        """Read a variable that is bound around, or bound nowhere."""
        key = id(variable)
        self.are_right = self.are_right and (key in self._around or key not in self._bound)
        self._free |= {key} - self._around


def count_layers(expr: Expr | IRModule, valid_ops: list[str]) -> int:
    """The largest number of operators of `valid_ops` on one path."""
    root = expr["main"] if isinstance(expr, IRModule) else expr
    depth: dict[int, int] = {}
    for each in written(root):
        counts = isinstance(each, Call) and isinstance(each.op, Op) and each.op.name in valid_ops
        depth[id(each)] = max((depth[id(child)] for child in each.children), default=0) + counts
    return depth[id(root)]


__all__ = [
    "all_dtypes",
    "all_type_vars",
    "all_vars",
    "bound_type_vars",
    "bound_vars",
    "check_constant",
    "count_layers",
    "free_type_vars",
    "free_vars",
    "get_total_mac_number",
    "list_fake_quantized_op_freqs",
    "list_op_freqs",
    "post_order",
    "post_order_visit",
    "well_formed",
]


def all_dtypes(expr: Expr) -> set[str]:
    """The element types of the values that an expression is made of."""
    return {node.dtype for node in written(expr) if _is_tensor(node)}


def _is_tensor(expr: Expr) -> bool:
    return isinstance(expr, Var | Constant | Call) and isinstance(expr.checked_type, TensorType)


def get_total_mac_number(expr: Expr) -> int:
    """The multiply-adds of convolutions, dense layers and products of matrices in a batch."""
    calls = [node for node in written(expr) if isinstance(node, Call)]
    return sum(_multiply_adds(call, call.op.name) for call in calls if isinstance(call.op, Op))


def _multiply_adds(call: Call, name: str) -> int:
    """The elements of the result times the products of each."""
    data, weight = ([*each.shape] for each in call.args[:2]) if len(call.args) > 1 else ([], [])
    match name:
        case "nn.dense" | "nn.batch_matmul":
            return math.prod(call.shape) * data[-1]
        case "nn.conv2d" | "nn.conv2d_transpose":
            layout, groups = str(call.attrs["data_layout"]), call.attrs["groups"]
            spatial = [weight[at] for at, axis in enumerate(str(call.attrs["kernel_layout"])) if axis in "HW"]
            assert isinstance(groups, int)
            return math.prod(call.shape) * math.prod(spatial) * data[layout.index("C")] // groups
        case _:
            return 0


def all_type_vars(expr: Expr, mod: IRModule | None = None) -> list[Type]:
    """The type variables of an expression: there are none."""
    return []


def free_type_vars(expr: Expr, mod: IRModule | None = None) -> list[Type]:
    """The type variables that an expression does not bind: there are none."""
    return []


def bound_type_vars(expr: Expr, mod: IRModule | None = None) -> list[Type]:
    """The type variables that an expression binds: there are none."""
    return []


if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay.analysis")
