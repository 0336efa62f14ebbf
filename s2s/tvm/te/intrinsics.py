"""Calls of intrinsics and of functions of C inside of formulas, and the rules by which a program lowers its own.

register_intrin_lowering("tir.mylog", target="default", f=lambda op: te.log(op.args[0]))
B = te.compute((n,), lambda i: tir.call_intrin("float32", "tir.mylog", A[i]))
"""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import Call, Expr, Number, const

TARGETS = ("default", "llvm", "c")
"""The targets of rules that hold for our code; rules for others wait for a target of that name, which never comes."""
FUNCTIONS = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor", "log", "nearbyint",
    "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
"""The functions of one float that the compiler knows, as `tir.<name>` and as functions of C with and without `f`."""
OF_C: Mapping[str, str] = {f"{name}{suffix}": name for name in FUNCTIONS for suffix in ("", "f")}


class CallEffectKind(IntEnum):
    """What a call does besides giving a value."""

    ExprAnnotation = 0
    Pure = 1
    ReadState = 2
    UpdateState = 3
    SpecialCallArg = 4
    EmbedInfo = 5
    ControlJump = 6
    Opaque = UpdateState


@frozen
class Op:
    """The name of an intrinsic."""

    name: str


class Intrinsic(Expr):
    """A call by name: of an intrinsic, or of a function of C that depends on its arguments only."""

    def __init__(self, dtype: str, op: Op | str, args: Sequence[Expr | Number], *, is_extern: bool = False) -> None:
        self.dtype, self.op, self.is_extern = dtype, Op(op) if isinstance(op, str) else op, is_extern
        self.args = tuple(each if isinstance(each, Expr) else const(each) for each in args)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.args

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return Intrinsic(self.dtype, self.op, operands, is_extern=self.is_extern)

    def __repr__(self) -> str:
        return f"{self.op.name}({', '.join(map(str, self.args))})"


Rule = Callable[[Any], Any]
_rules: dict[tuple[str, str], list[tuple[int, Rule]]] = {}
_attributes: dict[tuple[str, str], object] = {}


def call_intrin(dtype: str, func_name: str, *args: Expr | Number) -> Expr:
    """A call of an intrinsic, `tir.exp` or one that `register_intrin_lowering` has a rule for."""
    return Intrinsic(dtype, func_name, args)


def call_pure_extern(dtype: str, func_name: str, *args: Expr | Number) -> Expr:
    """A call of a function of C's mathematics; other functions are refused when the function is built."""
    return Intrinsic(dtype, func_name, args, is_extern=True)


def register_intrin_lowering(
    op_name: str, target: str, *, f: Rule | None = None, level: int = 10, override: bool = False
) -> Any:
    """Let `f(call)` say what a call of an intrinsic is on a target; of several rules the one of the highest level."""

    def register(rule: Rule) -> Rule:
        rules = _rules.setdefault((op_name, target), [])
        if any(at == level for at, _ in rules) and not override:
            raise InputError(
                f"register_intrin_lowering {op_name}: level {level} of {target} has a rule; give another, or override"
            )
        rules[:] = sorted([*(each for each in rules if each[0] != level), (level, rule)], key=lambda each: -each[0])
        return rule

    return register if f is None else register(f)


def register_op_attr(op_name: str, attr_key: str, value: object = None, level: int = 10) -> Any:
    """Keep an attribute of an intrinsic; calls inside of formulas are pure, so that other effects are refused."""

    def register(given: object) -> object:
        if attr_key == "TCallEffectKind" and given not in (CallEffectKind.Pure, CallEffectKind.ExprAnnotation):
            raise InputError(f"register_op_attr {op_name}: effect {given}: calls in formulas are pure; give Pure")
        _attributes[op_name, attr_key] = given
        return given

    return register if value is None else register(value)


def lowered(call: Intrinsic) -> Expr:
    """What a call is made of: by a rule of the program, or by a function that the compiler knows."""
    name = call.op.name
    rules = [] if call.is_extern else [rule for each in TARGETS for _, rule in _rules.get((name, each), [])]
    for rule in rules:
        made = rule(call)
        if made is not None and made is not call:
            return made
    known = OF_C.get(name if call.is_extern else name.removeprefix("tir."))
    if known is None or len(call.args) != 1:
        way = "register_intrin_lowering a rule for it" if not call.is_extern else "use te.extern for functions of C"
        raise InputError(f"te: {call}: {name} is no function that the compiler knows; {way}")
    return Call(known, call.args[0])
