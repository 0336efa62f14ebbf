"""The pass that asks functions of a program for other expressions in the place of calls, under TVM's name.

nn.relu(%x)        nn.relu(add(%x, 1f))        with register_legalize("nn.relu", …)
"""

from typing import Any, cast

from s2s.passes.instruments import PassInfo
from s2s.passes.levels import PROGRAM_PASSES
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.expr_functor import ExprMutator
from s2s.tvm.relay.function import Function, GlobalVar
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.op_attributes import LEGALIZE, is_registered, replacement
from s2s.tvm.relay.operators import Call
from s2s.tvm.transform import Pass

PROGRAM_PASSES.update(("Legalize", "qnn.Legalize", "qnn.CanonicalizeOps"))


class _Replaced(ExprMutator):
    """Puts what an attribute of an operator makes of a call in its place; the result is not asked again."""

    def __init__(self, attr_key: str) -> None:
        super().__init__()
        self.attr_key = attr_key

    def visit_call(self, call: Call) -> Any:
        """A call, or what its operator's attribute has made of it."""
        changed = cast("Call", super().visit_call(call))
        types = [*(item.checked_type for item in call.args), call.checked_type]
        result = replacement(call.op, self.attr_key, changed.attrs, changed.args, types)
        return changed if result is None else result


class Legalize(Pass):
    """Calls become what the attribute of their operators makes of them."""

    def __init__(self, legalize_map_attr_name: str = LEGALIZE, *, name: str = "Legalize") -> None:
        super().__init__(PassInfo(1, name))
        self.attr_key = legalize_map_attr_name

    def applied(self, mod: IRModule) -> IRModule:
        if not is_registered(self.attr_key):
            return mod.clone()
        result = {var: _Replaced(self.attr_key).visit(function) for var, function in mod.functions.items()}
        return replaced(mod, result)


def replaced(mod: IRModule, result: dict[GlobalVar, Expr]) -> IRModule:
    """The module with other functions; a copy of the module where none has changed."""
    if all(result[var] is function for var, function in mod.functions.items()):
        return mod.clone()
    functions = {var: item for var, item in result.items() if isinstance(item, Function)}
    return IRModule(functions, attrs=mod.attrs)
