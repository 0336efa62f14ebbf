"""Attributes of operators that a program registers: functions that put other expressions in the place of calls.

@register_legalize("nn.conv2d")
def doubled(attrs, inputs, types):
    return relay.nn.conv2d(inputs[0], inputs[1] * relay.const(2.0), **attrs)

`relay.build` asks them as TVM's does: first the ones of quantised operators, then the ones of all. An attribute that
TVM's compiler reads and this one does not is refused when it is set; attributes of a program's own are kept for it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from s2s.tvm.relay.operators import OPERATORS, Attrs, Op
from s2s.tvm.te import intrinsics

LEGALIZE, QNN_LEGALIZE, QNN_CANONICALIZE = "FTVMLegalize", "FTVMQnnLegalize", "FTVMQnnCanonicalize"
Legalization = Callable[[Attrs, list[Any], list[Any]], Any]
"""Returns the expression in the place of a call, of its attributes, arguments and types; None leaves the call."""


def register_op_attr(op_name: str, attr_key: str, value: object = None, level: int = 10) -> Any:
    """Set an attribute of an operator or an intrinsic; without a value, the decorator that does."""
    if op_name not in OPERATORS:
        return intrinsics.register_op_attr(op_name, attr_key, value, level)

    def register(content: object) -> object:
        Op.get(op_name).set_attr(attr_key, content, level)
        return content

    return register if value is None else register(value)


def replacement(op: object, attr_key: str, attrs: Attrs, inputs: Sequence[Any], types: Sequence[Any]) -> Any:
    """The expression that an attribute of an operator puts in the place of a call; None where it leaves the call."""
    function = op.get_attr(attr_key) if isinstance(op, Op) else None
    return None if function is None else function(attrs, list(inputs), list(types))


def is_registered(attr_key: str) -> bool:
    """Whether an operator has the attribute."""
    return any(operator.has_attr(attr_key) for operator in OPERATORS.values())


def register_legalize(op_name: str, legal_op: Legalization | None = None, level: int = 10) -> Any:
    """Let a function put other expressions in the place of an operator, before kernels are formed."""
    return register_op_attr(op_name, LEGALIZE, legal_op, level)


def register_qnn_legalize(op_name: str, legal_op: Legalization | None = None, level: int = 10) -> Any:
    """Let a function put other expressions in the place of a quantised operator, before it becomes integers."""
    return register_op_attr(op_name, QNN_LEGALIZE, legal_op, level)


def register_qnn_canonicalize(op_name: str, legal_op: Legalization | None = None, level: int = 10) -> Any:
    """Let a function say which operators of relay a quantised operator is made of, in the place of its own meaning."""
    return register_op_attr(op_name, QNN_CANONICALIZE, legal_op, level)
