"""Passes on quantised networks under TVM's names.

qnn.quantize(%x, 0.5f, 3)        cast(clip(add(round(divide(%x, 0.5f)), 3f), …), dtype="int8")
"""

from typing import Any

from s2s.passes.instruments import PassInfo
from s2s.tvm.relay import legalize
from s2s.tvm.relay.expr_functor import ExprMutator
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.op_attributes import QNN_CANONICALIZE, QNN_LEGALIZE, is_registered, replacement
from s2s.tvm.relay.operators import Call, Op
from s2s.tvm.relay.qnn.configuration import UNSET, RequantizeConfig, current_requantize_config
from s2s.tvm.transform import Pass


class _Meanings(ExprMutator):
    """Puts the meaning of each quantised operator in its place."""

    def __init__(self, *, expand: bool) -> None:
        super().__init__()
        self.expand = expand
        """Whether operators without a registered meaning become their own."""

    def visit_call(self, call: Call) -> Any:
        """A call, or what its operator has made of the arguments."""
        changed = super().visit_call(call)
        if not isinstance(changed, Call):
            return changed
        types = [*(item.checked_type for item in call.args), call.checked_type]
        result = replacement(changed.op, QNN_CANONICALIZE, changed.attrs, changed.args, types)
        if result is not None:
            return result
        changed = _configured(changed)
        is_quantised = isinstance(call.op, Op) and call.op.name.startswith("qnn.")
        return self.visit(changed.expansion) if is_quantised and self.expand else changed


def _configured(call: Call) -> Call:
    """The call with the rounding and the type of products that the configuration around asks for."""
    config = current_requantize_config()
    if getattr(call.op, "name", "") != "qnn.requantize" or config == RequantizeConfig():
        return call
    configured = {"rounding": config.rounding, "compute_dtype": config.compute_dtype}
    attrs = {key: configured.get(key, value) if value == UNSET else value for key, value in call.attrs.items()}
    return Call(call.op, call.args, attrs, call.type_args, call.span, names=call.names)


class CanonicalizeOps(Pass):
    """Quantised operators become the operators of relay that they are made of."""

    def __init__(self, *, expand: bool = True) -> None:
        super().__init__(PassInfo(0, "qnn.CanonicalizeOps"))
        self._own = expand

    def applied(self, mod: IRModule) -> IRModule:
        return IRModule({var: _Meanings(expand=self._own).visit(function) for var, function in mod.functions.items()})


class Legalize(legalize.Legalize):
    """Calls become what `register_qnn_legalize` says of their operators; there is code for every operator."""

    def __init__(self) -> None:
        super().__init__(QNN_LEGALIZE, name="qnn.Legalize")


def registered(mod: IRModule) -> IRModule:
    """The module after the functions that a program has registered for operators, as `relay.build` applies them."""
    result = Legalize().under_context(mod) if is_registered(QNN_LEGALIZE) else mod
    if is_registered(QNN_CANONICALIZE) or current_requantize_config() != RequantizeConfig():
        result = CanonicalizeOps(expand=False).under_context(result)
    general = legalize.Legalize()
    return general.under_context(result) if is_registered(general.attr_key) else result


__all__ = ["CanonicalizeOps", "Legalize"]
