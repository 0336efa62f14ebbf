"""Passes on quantised networks under TVM's names.

qnn.quantize(%x, 0.5f, 3)        cast(clip(add(round(divide(%x, 0.5f)), 3f), …), dtype="int8")
"""

from typing import Any

from s2s.passes.instruments import PassInfo
from s2s.tvm.relay.expr_functor import ExprMutator
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.operators import Call, Op
from s2s.tvm.transform import Pass


class _Meanings(ExprMutator):
    """Puts the meaning of each quantised operator in its place."""

    def visit_call(self, call: Call) -> Any:
        """A call, or what its operator has made of the arguments."""
        changed = super().visit_call(call)
        is_quantised = isinstance(call.op, Op) and call.op.name.startswith("qnn.")
        return self.visit(changed.expansion) if is_quantised and isinstance(changed, Call) else changed


class CanonicalizeOps(Pass):
    """Quantised operators become the operators of relay that they are made of."""

    def __init__(self) -> None:
        super().__init__(PassInfo(0, "qnn.CanonicalizeOps"))

    def applied(self, mod: IRModule) -> IRModule:
        return IRModule({var: _Meanings().visit(function) for var, function in mod.functions.items()})


class Legalize(Pass):
    """A copy: there is code for every operator on every target."""

    def __init__(self) -> None:
        super().__init__(PassInfo(1, "qnn.Legalize"))


__all__ = ["CanonicalizeOps", "Legalize"]
