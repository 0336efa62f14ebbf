"""Attributes of operators that a program registers: functions that put other expressions in the place of calls.

@register_legalize("nn.conv2d")
def doubled(attrs, inputs, types):
    return relay.nn.conv2d(inputs[0], inputs[1] * relay.const(2.0), **attrs)

`relay.build` asks them as TVM's does: first the ones of quantised operators, then the ones of all. An attribute that
TVM's compiler reads and this one does not is refused when it is set; attributes of a program's own are kept for it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.relay.operators import OPERATORS, Attrs, Op
from s2s.tvm.te import intrinsics

LEGALIZE, QNN_LEGALIZE, QNN_CANONICALIZE = "FTVMLegalize", "FTVMQnnLegalize", "FTVMQnnCanonicalize"
Legalization = Callable[[Attrs, list[Any], list[Any]], Any]
"""Returns the expression in the place of a call, of its attributes, arguments and types; None leaves the call."""
_LAYOUT = "layouts are chosen by relay.build"
_STRATEGY = "other implementations are given by relay.register_strategy"
_KERNELS = "kernels are formed by relay.build; see relay.FuseOps.max_depth"
REFUSED: Mapping[str, str] = {
    "FInferCorrectLayout": _LAYOUT,
    "FTVMAlterOpLayout": _LAYOUT,
    "FTVMConvertOpLayout": _LAYOUT,
    "FTVMCompute": _STRATEGY,
    "FTVMSchedule": _STRATEGY,
    "FTVMStrategy": _STRATEGY,
    "TOpPattern": _KERNELS,
    "FPrimalGradient": "networks have no gradients here",
    "FShapeFunc": "sizes of results are computed by operators of s2s",
    "FTVMMixedPrecisionConversionType": "convert the model before it is imported",
    "FTVMFakeQuantizationToInteger": "quantised networks are read as such by importers",
    "TOpIsStateful": "operators are functions of their arguments",
}
"""Attributes of TVM's operators that nothing here reads."""


def register_op_attr(op_name: str, attr_key: str, value: object = None, level: int = 10) -> Any:
    """Set an attribute of an operator or an intrinsic; without a value, the decorator that does."""
    if op_name not in OPERATORS:
        return intrinsics.register_op_attr(op_name, attr_key, value, level)

    def register(given: object) -> object:
        set_attr(Op.get(op_name), attr_key, given, level)
        return given

    return register if value is None else register(value)


def set_attr(op: Op, attr_key: str, value: object, level: int = 10) -> None:
    """Set an attribute; of two values the one of the higher level holds, two of one level are an error."""
    if attr_key in REFUSED:
        raise UnsupportedError(f"{op.name}: {attr_key}: is not read; {REFUSED[attr_key]}")
    if level <= 0:
        raise InputError(f"{op.name}: {attr_key}: level {level}; give a positive one")
    held = op.attributes.get(attr_key)
    if held is not None and held[0] == level:
        raise InputError(f"{op.name}: {attr_key}: level {level} has a value; reset_attr it, or give another level")
    if held is None or held[0] < level:
        op.attributes[attr_key] = level, value


def replacement(op: object, attr_key: str, attrs: Attrs, inputs: Sequence[Any], types: Sequence[Any]) -> Any:
    """The expression that an attribute of an operator puts in the place of a call; None where it leaves the call."""
    function = op.get_attr(attr_key) if isinstance(op, Op) else None
    return None if function is None else function(attrs, list(inputs), list(types))


def is_registered(attr_key: str) -> bool:
    """Whether an operator has the attribute."""
    return any(each.has_attr(attr_key) for each in OPERATORS.values())


def register_legalize(op_name: str, legal_op: Legalization | None = None, level: int = 10) -> Any:
    """Let a function put other expressions in the place of an operator, before kernels are formed."""
    return register_op_attr(op_name, LEGALIZE, legal_op, level)


def register_qnn_legalize(op_name: str, legal_op: Legalization | None = None, level: int = 10) -> Any:
    """Let a function put other expressions in the place of a quantised operator, before it becomes integers."""
    return register_op_attr(op_name, QNN_LEGALIZE, legal_op, level)


def register_qnn_canonicalize(op_name: str, legal_op: Legalization | None = None, level: int = 10) -> Any:
    """Let a function say which operators of relay a quantised operator is made of, in the place of its own meaning."""
    return register_op_attr(op_name, QNN_CANONICALIZE, legal_op, level)
