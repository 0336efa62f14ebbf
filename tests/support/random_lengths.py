"""Random networks over `x[1, 3, N]`, in ONNX's text form, that compute with the length of their input."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

CONSTANTS = """<int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] end = {9999},
int64[1] back = {-9999}, int64[1] minus = {-1}, int64[1] three = {3}, int64[1] many = {41},
int64 origin = {0}, int64 step = {1}, int64 axis = {2},
float half = {0.5},
float[3,3,1] w1 = {1, -0.5, 2, 0.25, 1, -1, 0.5, 0.75, -2},
float[3,1,2] w2 = {1, -0.5, 2, 0.25, 1, -1}, float[3,1,3] w3 = {1, -0.5, 2, 0.25, 1, -1, 0.5, 0.75, -2}>"""
"""The constants that steps read."""


class _Names:
    """Values with new names, one after the other."""

    def __init__(self) -> None:
        self.count = 0

    def new(self) -> str:
        """Return a name that no value has."""
        self.count += 1
        return f"t{self.count}"


Step = Callable[[Random, _Names, str], tuple[str, str]]
"""Gives the text of nodes that read a value, and the name of their result."""


def _plain(text: str) -> Step:
    """A step of one node, whose text reads `{x}` and makes `{y}`."""

    def step(random: Random, names: _Names, x: str) -> tuple[str, str]:
        y = names.new()
        numbers = {name: random.randint(low, high) for name, (low, high) in _NUMBERS.items()}
        others = {letter: names.new() for letter in "abcde"}
        types = {name: random.choice(choices) for name, choices in _TYPES.items()}
        return text.format(x=x, y=y, **others, **numbers, **types), y

    return step


_NUMBERS = {"k": (2, 3), "s": (1, 3), "p": (0, 1), "m": (2, 5), "least": (4, 14), "n": (-3, 3), "flag": (0, 1)}
_TYPES = {"float": (1, 11), "few": (2, 3, 4, 5, 6, 10), "divisor": ("minus", "two", "three", "many")}
"""Element types by their number in ONNX, and constants. Halves are none: onnxruntime keeps more digits of them between
operators than the type has."""
_LENGTH = "{a} = Shape <start = 2, end = 3> ({x})"
_CONSTANT = "{d} = Constant <value_ints = [{m}]> ()"

STEPS: dict[str, Step] = {
    "elementwise": _plain("{y} = Relu ({x})"),
    "convolution": _plain("{y} = Conv <group = 3, strides = [{s}], pads = [{p}, {p}]> ({x}, w{k})"),
    "mixing": _plain("{y} = Conv ({x}, w1)"),
    "maxima": _plain("{y} = MaxPool <kernel_shape = [{k}], strides = [{s}], ceil_mode = {flag}> ({x})"),
    "means": _plain("{y} = AveragePool <kernel_shape = [{k}], strides = [{s}], pads = [{p}, {p}]> ({x})"),
    "centred": _plain('{y} = MaxPool <kernel_shape = [{k}], strides = [{s}], auto_pad = "SAME_UPPER"> ({x})'),
    "part": _plain(
        "{a} = Constant <value_ints = [{n}]> () {b} = Constant <value_ints = [{least}]> () "
        "{y} = Slice ({x}, {a}, {b}, two)"
    ),
    "rest": _plain(
        "{a} = Constant <value_ints = [{n}]> () {b} = Constant <value_ints = [{s}]> () "
        "{y} = Slice ({x}, {a}, end, two, {b})"
    ),
    "backwards": _plain("{y} = Slice ({x}, minus, back, two, minus)"),
    "constant padding": _plain("{a} = Constant <value_ints = [0, 0, {p}, 0, 0, {s}]> () {y} = Pad ({x}, {a})"),
    "edge": _plain('{a} = Constant <value_ints = [0, 0, {p}, 0, 0, {s}]> () {y} = Pad <mode = "edge"> ({x}, {a})'),
    "reflected": _plain(
        '{a} = Constant <value_ints = [0, 0, {p}, 0, 0, {s}]> () {y} = Pad <mode = "reflect"> ({x}, {a})'
    ),
    "to a multiple": _plain(
        f"{_LENGTH} {_CONSTANT} {{b}} = Sub (zero, {{a}}) {{c}} = Mod ({{b}}, {{d}}) "
        "{e} = Concat <axis = 0> (zero, zero, zero, zero, zero, {c}) {y} = Pad ({x}, {e})"
    ),
    "to a least length": _plain(
        f"{_LENGTH} {{d}} = Constant <value_ints = [{{least}}]> () {{b}} = Sub ({{d}}, {{a}}) "
        "{c} = Max ({b}, zero) {e} = Concat <axis = 0> (zero, zero, zero, zero, zero, {c}) {y} = Pad ({x}, {e})"
    ),
    "at most": _plain(
        f"{_LENGTH} {{d}} = Constant <value_ints = [{{least}}]> () {{b}} = Min ({{d}}, {{a}}) "
        "{y} = Slice ({x}, zero, {b}, two)"
    ),
    "whole chunks": _plain(
        f"{_LENGTH} {_CONSTANT} {{b}} = Div ({{a}}, {{d}}) {{c}} = Mul ({{b}}, {{d}}) "
        "{y} = Slice ({x}, zero, {c}, two)"
    ),
    "first half": _plain(f"{_LENGTH} {{b}} = Div ({{a}}, two) {{y}} = Slice ({{x}}, zero, {{b}}, two)"),
    "twice": _plain("{y} = Concat <axis = 2> ({x}, {x})"),
    "positions": _plain(
        f"{_LENGTH} {{b}} = Squeeze ({{a}}) {{c}} = Range (origin, {{b}}, step) {{d}} = Cast <to = 1> ({{c}}) "
        "{y} = Add ({x}, {d})"
    ),
    "a mask": _plain(
        f"{_LENGTH} {{b}} = Div ({{a}}, two) {{e}} = Squeeze ({{a}}) {{c}} = Range (origin, {{e}}, step) "
        "{d} = Less ({c}, {b}) {y} = Where ({d}, {x}, half)"
    ),
    "mean of all": _plain("{a} = ReduceMean <axes = [2]> ({x}) {y} = Sub ({x}, {a})"),
    "expanded": _plain(
        "{a} = ReduceMax <axes = [2]> ({x}) {b} = Shape ({x}) {c} = Expand ({a}, {b}) {y} = Sub ({c}, {x})"
    ),
    "softmax": _plain("{y} = Softmax <axis = 2> ({x})"),
    "running sum": _plain("{y} = CumSum <reverse = {flag}> ({x}, axis)"),
    "turned": _plain(
        "{a} = Transpose <perm = [0, 2, 1]> ({x}) {b} = Shape ({a}) {c} = Reshape ({x}, {b}) "
        "{y} = Transpose <perm = [0, 2, 1]> ({c})"
    ),
    "in one row": _plain(
        "{a} = Constant <value_ints = [1, 1, -1]> () {b} = Reshape ({x}, {a}) {c} = Constant "
        "<value_ints = [1, 3, -1]> () {d} = Neg ({b}) {y} = Reshape ({d}, {c})"
    ),
    "by the length": _plain(f"{_LENGTH} {{b}} = Cast <to = 1> ({{a}}) {{y}} = Div ({{x}}, {{b}})"),
    "a share": _plain(
        f"{_LENGTH} {{b}} = Cast <to = {{float}}> ({{a}}) {{c}} = CastLike ({{divisor}}, {{b}}) "
        "{d} = Div ({b}, {c}) {e} = Floor ({d}) {y}_n = Cast <to = 7> ({e}) {y}_m = Max ({y}_n, one) "
        "{y} = Slice ({x}, zero, {y}_m, two)"
    ),
    "there and back": _plain(
        f"{_LENGTH} {{b}} = Cast <to = {{float}}> ({{a}}) {{c}} = CastLike ({{divisor}}, {{b}}) "
        "{d} = Div ({b}, {c}) {e} = Mul ({d}, {c}) {y}_r = Ceil ({e}) {y}_n = Cast <to = 7> ({y}_r) "
        "{y}_f = Cast <to = 1> ({y}_n) {y} = Add ({x}, {y}_f)"
    ),
    "in few bits": _plain(
        f"{_LENGTH} {{b}} = Cast <to = {{few}}> ({{a}}) {{c}} = CastLike ({{divisor}}, {{b}}) "
        "{d} = Mul ({b}, {c}) {e} = Cast <to = 1> ({d}) {y} = Add ({x}, {e})"
    ),
    "numbered": _plain(
        "{a} = Shape <start = 2, end = 3> ({x}) {b} = ConstantOfShape <value = int64[1] {{1}}> ({a}) "
        "{c} = NonZero ({b}) {d} = Cast <to = 1> ({c}) {e} = Squeeze ({d}, zero) {y} = Add ({x}, {e})"
    ),
    "looked up": _plain(
        f"{_LENGTH} {{b}} = Squeeze ({{a}}) {{c}} = Range (origin, {{b}}, step) {{d}} = Sub ({{a}}, {{c}}) "
        "{e} = Sub ({d}, one) {y} = Gather <axis = 2> ({x}, {e})"
    ),
    "last one": _plain("{a} = Gather <axis = 2> ({x}, minus) {y} = Add ({x}, {a})"),
}
"""Steps that keep the three rows, by name."""

UNEVEN: dict[str, Step] = {
    "up to a remainder": _plain(
        f"{_LENGTH} {_CONSTANT} {{b}} = Mod ({{a}}, {{d}}) "
        "{c} = Add ({b}, one) {y} = Slice ({x}, zero, {c}, two)"
    ),
    "longer by a remainder": _plain(
        f"{_LENGTH} {_CONSTANT} {{b}} = Mod ({{a}}, {{d}}) "
        "{e} = Concat <axis = 0> (zero, zero, zero, zero, zero, {b}) {y} = Pad ({x}, {e})"
    ),
    "longer the shorter": _plain(
        f"{_LENGTH} {{d}} = Constant <value_ints = [30]> () {{b}} = Sub ({{d}}, {{a}}) {{c}} = Mul ({{b}}, two) "
        "{e} = Concat <axis = 0> (zero, zero, zero, zero, zero, {c}) {y} = Pad ({x}, {e})"
    ),
    "remainder in front": _plain(
        f"{_LENGTH} {_CONSTANT} {{b}} = Mod ({{a}}, {{d}}) "
        "{c} = Gather <axis = 2> ({x}, {b}) {y} = Add ({x}, {c})"
    ),
}
"""Steps whose numbers are not the greatest ones at the greatest length: these are right as well, or refused."""


class Drawn(NamedTuple):
    """A network, and bounds of `N`."""

    text: str
    steps: tuple[str, ...]
    least: int
    most: int


def draw(seed: int) -> Drawn:
    """Return the network and the bounds of a seed."""
    random, names = Random(seed), _Names()
    every = {**STEPS, **UNEVEN}
    chosen = [random.choice(list(every)) for _ in range(random.randint(1, 4))]
    lines, x = list[str](), "x"
    for name in chosen:
        line, x = every[name](random, names, x)
        lines.append(line)
    least = random.randint(1, 6)
    body = "\n  ".join([*lines, f"y = Neg ({x})"])
    text = f"(float[1,3,N] x) => (float[1,3,M] y)\n{CONSTANTS}\n{{ {body} }}"
    return Drawn(text, tuple(chosen), least, least + random.randint(3, 20))
