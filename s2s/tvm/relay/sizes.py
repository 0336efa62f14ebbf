"""Variables of tensor expressions as sizes of types: what is inferred holds for all that are larger than windows.

    n = te.size_var("n")
    x = relay.var("x", relay.TensorType((n, 4)))
    relay.reshape(x, [-1, 2]).checked_type      Tensor[(2*n, 2), float32]

A network of such types can be looked at and printed, and is compiled once its sizes are numbers.
"""

from collections.abc import Iterable, Sequence
from operator import index
from typing import SupportsIndex, cast

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.te.expressions import Binary, Cast, Const, Expr, Var
from s2s.types.affine import is_constant
from s2s.types.size import Guard, Ledger, Ratio, Size
from s2s.types.sizes import SizeRange

LEDGER = Ledger()
"""The sizes of all types that have variables, and what their inference has taken for granted."""
ANY = "any"
"""The name of a size that a program says nothing of, which is written `?`."""
VARIABLES: list[Var] = []
"""The variables, in the order of their sizes."""
MIN_SIZE, MAX_SIZE = 16, 128
"""The sizes that inference looks at: windows of usual kernels fit, and products of some have no overflow. No two
variables have the same greatest size, so that nothing is inferred from it."""
ANY_SIZES = SizeRange(96, 97)
"""The sizes that stand for all of one without a name. They are taken for equal until arrays are given; what is inferred
then is of these."""


def size_of(value: object) -> int:
    """Return a size: a number as it is, a variable or arithmetic on variables as a symbol."""
    if isinstance(value, Size):
        return value
    if isinstance(value, Expr):
        return _symbol(value)
    try:
        size = index(cast("SupportsIndex", getattr(value, "value", value)))
    except TypeError as error:
        raise InputError(f"relay.TensorType: size {value!r} is no whole number; give one, or te.var") from error
    if size < 0:
        raise InputError(f"relay.TensorType: size {size} is negative; give at least 0")
    return size


def _symbol(value: Expr) -> int:
    match value:
        case Var():
            if not any(each is value for each in VARIABLES):
                VARIABLES.append(value)
            number = next(at for at, each in enumerate(VARIABLES) if each is value)
            bounds = ANY_SIZES if value.name == ANY else SizeRange(MIN_SIZE, MAX_SIZE + number)
            return LEDGER.size(f"{value.name}#{number}", bounds)
        case Const():
            return int(value.value)
        case Cast():
            return _symbol(value.x)
        case Binary(sign="+"):
            return _symbol(value.a) + _symbol(value.b)
        case Binary(sign="-"):
            return _symbol(value.a) - _symbol(value.b)
        case Binary(sign="*"):
            return _symbol(value.a) * _symbol(value.b)
        case Binary(sign="//" | "quo"):
            return _symbol(value.a) // _symbol(value.b)
        case Binary(sign="%" | "rem"):
            return _symbol(value.a) % _symbol(value.b)
        case _:
            raise UnsupportedError(f"relay.TensorType: size {value} is no sum or product of variables; give a number")


def ledger_of(values: Iterable[object]) -> Ledger | None:
    """Return the ledger of the first size among values, lists and tuples of them; None where all are plain."""
    for value in values:
        plain = value.size if isinstance(value, Ratio) else value
        nested = ledger_of(cast("Sequence[object]", plain)) if isinstance(plain, list | tuple) else None
        ledger = plain.ledger if isinstance(plain, Size) else nested
        if ledger is not None:
            return ledger
    return None


def text_of(size: int) -> str:
    """The text of a size: variables by their names, `?` where it depends on one that has none."""
    if isinstance(size, Size) and any(size.ledger.names[dim].partition("#")[0] == ANY for dim in size.expr.used_dims()):
        return "?"
    return "".join(part.partition("#")[0] if "#" in part else part for part in _words(size))


def _is_any(dim: int) -> bool:
    return LEDGER.names[dim].partition("#")[0] == ANY


def _is_open(guard: Guard) -> bool:
    """Whether what is inferred may depend on a guard: it says something of sizes without a name alone, whose types are
    inferred anew once arrays are given. A number that was taken of such a size would stay."""
    dims = guard.left.used_dims() | guard.right.used_dims()
    is_number = guard.relation == "==" and guard.answer and (is_constant(guard.left) or is_constant(guard.right))
    return not is_number and all(map(_is_any, dims))


def _words(size: int) -> list[str]:
    if not isinstance(size, Size):
        return [str(size)]
    text, words, word = size.text, list[str](), ""
    for letter in [*text, " "]:
        if letter.isalnum() or letter in "_#":
            word += letter
            continue
        words += [word, letter]
        word = ""
    return words[:-1]


class Settled:
    """Refuses what is inferred inside of the block, if it does not hold for all sizes of variables."""

    def __init__(self, what: str) -> None:
        self.what, self.count = what, len(LEDGER.guards)

    def __enter__(self) -> None:
        """Begin to look."""

    def __exit__(self, *_: object) -> None:
        guards = [each for each in LEDGER.guards[self.count :] if not _is_open(each)]
        del LEDGER.guards[self.count :]
        if guards:
            guard = guards[0]
            sides = [text_of(LEDGER.of(each)) for each in (guard.left, guard.right)]
            raise UnsupportedError(
                f"relay.{self.what}: its type depends on whether {sides[0]} {guard.relation} {sides[1]}; give numbers "
                "for these sizes"
            )
