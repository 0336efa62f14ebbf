"""Name kernels by what they compute, as C identifiers."""

from collections.abc import Sequence

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.base import number, type_of
from s2s.dialects.graph.traits import part_of
from s2s.types.dtypes import is_float

MAX_PARTS = 5

NAMES_OF_C = frozenset(
    (
        *("abs", "ceil", "div", "erf", "exp", "floor", "log", "pow", "round", "select", "sqrt"),
        *(f"{a}{name}{h}" for a in ("", "a") for name in ("cos", "sin", "tan") for h in ("", "h")),
    )
)
"""Operations that are also functions of the C library, or of POSIX."""


def kernel_name(ops: Sequence[Operation]) -> str:
    """A name such as `conv_3x3_s2_add_relu`; the steps of a composed function stand for it together: `matmul_gelu`."""
    parts: list[str] = []
    functions = set[str]()
    for op in ops:
        if (function := part_of(op)) and not isinstance(op, graph.IdentityOp):
            parts += [] if function in functions else [function]
            functions.add(function)
        elif (part := _part(op)) and not _prepares_integers(op):
            parts.append(part)
    if len(parts) > 1 and functions.issuperset(parts):
        parts = _family(parts)
    parts = parts or [part for op in ops[-1:] if (part := _part(op))] or ["rescale"]
    if len(parts) > MAX_PARTS:
        parts = [*parts[: MAX_PARTS - 1], f"and_{len(parts) - MAX_PARTS + 1}_more"]
    name = "_".join(parts)
    return f"{name}_elements" if name in NAMES_OF_C else name


def _family(functions: Sequence[str]) -> list[str]:
    """Return the common first word of steps of one function, `softmax_powers` and `softmax_total`, else all of them."""
    words = {function.partition("_")[0] for function in functions}
    return list(words) if len(words) == 1 else list(functions)


def _part(op: Operation) -> str:
    """The part of the name for one operation; empty for conversions between scales."""
    mnemonic = op.name.removeprefix("graph.")
    match op:
        case graph.ConvOp() | graph.ConvTransposeOp() | graph.MaxPoolOp() | graph.AvgPoolOp():
            window = op.window()
            stride = _factors("s", window.strides)
            return _kind(op, mnemonic) + _factors("", window.kernel) + stride + _factors("d", window.dilations)
        case graph.ClampOp():
            limits = number(op.min), number(op.max)
            return "relu" if limits == (0, None) else "relu6" if limits == (0, 6) else mnemonic
        case graph.IdentityOp():
            return "copy"
        case graph.RescaleOp():
            return "relu" if op.min is not None and op.limits[0] == op.zero_points[1] else ""
        case _:
            return mnemonic


def _prepares_integers(op: Operation) -> bool:
    """Whether `op` only widens, moves or scales stored integers, as every integer operator starts by doing."""
    if is_float(type_of(op.results[0]).element_type):
        return False
    match op:
        case graph.CastOp():
            return not is_float(type_of(op.x).element_type)
        case graph.AddOp() | graph.SubOp() | graph.MulOp() | graph.BitwiseAndOp() | graph.ShiftRightOp():
            return any(isinstance(value.owner, graph.ConstantOp) for value in op.operands)
        case _:
            return False


def _kind(op: Operation, mnemonic: str) -> str:
    if not isinstance(op, graph.ConvOp):
        return mnemonic
    groups, channels = op.groups.value.data, op.typed_operands().channels
    if groups == 1:
        return mnemonic
    return "depthwise_conv" if groups == channels else f"grouped_{mnemonic}"


def _factors(letter: str, values: Sequence[int]) -> str:
    """`_3x3`, `_s2`; nothing for strides and dilations of one."""
    if letter and all(value == 1 for value in values):
        return ""
    shown = values[:1] if letter and len(set(values)) == 1 else values
    return f"_{letter}" + "x".join(map(str, shown))


class UniqueNames:
    """Makes names unique: the second request for `conv` yields `conv_2`."""

    def __init__(self, taken: Sequence[str]) -> None:
        self._next: dict[str, int] = dict.fromkeys(taken, 2)

    def make(self, base: str) -> str:
        """Return `base`, or the first unused `base_N`."""
        if base not in self._next:
            self._next[base] = 2
            return base
        while (name := f"{base}_{self._next[base]}") in self._next:
            self._next[base] += 1
        self._next[name] = 2
        return name
