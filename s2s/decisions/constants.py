"""Decide where the constants of a network are written: as arrays of C literals, or in a binary file beside the C.

A C compiler takes seconds and hundreds of megabytes for a million literals; `.incbin` includes a binary file in no
time, but needs an assembler that knows it. The subject is `weights`, the unit of all constants of a network. The
vectors of the self-test are no subject: they are not part of the product, and their size alone decides.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from s2s.decisions.kind import Candidate, Heuristic, NamedKind, named
from s2s.targets import Target

CONSTANTS = "constants"
"""Discardable attribute of a module: where its constants are written."""
ARRAYS, BINARY = "C arrays", "binary file"
MAX_LITERAL_BYTES = 1 << 20
"""Constants up to this many bytes are written as literals, unless an option says otherwise."""
_FORMS = {"arrays": ARRAYS, "incbin": BINARY}


class ConstantsUnit(NamedTuple):
    """The constants of a network."""

    module: ModuleOp
    size: int
    """Bytes."""
    form: str
    """What the options ask for: `auto`, `arrays` or `incbin`."""


class ConstantsKind(NamedKind[ConstantsUnit]):
    """Places of constants."""

    name = "constants"
    names = (ARRAYS, BINARY)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[ConstantsUnit, str]]]:
        return (("the option --weights", _wished), ("size", _by_size))

    def key(self, subject: ConstantsUnit) -> str:
        return "weights"

    def home(self, subject: ConstantsUnit) -> Operation:
        return subject.module

    def about(self, subject: ConstantsUnit) -> str:
        return f"{subject.size:,} bytes"

    def apply(self, subject: ConstantsUnit, choice: str) -> None:
        subject.module.attributes[CONSTANTS] = StringAttr(choice)


def packs_weights(options: Any) -> bool:
    """Return whether the weights come in a pack."""
    return str(options.weights) == "pack"


def sees_values(options: Any) -> bool:
    """Return whether the program may be made for the values of its weights: a pack brings others."""
    return str(options.schedule) != "reference" and not packs_weights(options)


def equal_weights(options: Any) -> Mapping[str, str]:
    """Return what tells weights apart, as an option of a pass."""
    return {"weights": "names"} if packs_weights(options) else {}


def zero_points_apart(options: Any) -> Mapping[str, str]:
    """Return what tells kernels apart whose zero points a pack may bring, as an option of a pass."""
    return {"zero_points": "apart"} if packs_weights(options) else {}


def form_of(options: Any, pools: Sequence[object]) -> str:
    """Return the form of the constants that the program holds itself, some of them in memory pools."""
    if pools or options.devices:
        return "arrays"
    return "auto" if packs_weights(options) else str(options.weights)


def by_size(size: int) -> str:
    """Return where `size` bytes of constants are written by default."""
    return BINARY if size > MAX_LITERAL_BYTES else ARRAYS


def place_of_constants(module: ModuleOp) -> str:
    """Return where the constants of `module` are written, as decided."""
    chosen = module.attributes.get(CONSTANTS)
    return chosen.data if isinstance(chosen, StringAttr) else ARRAYS


def _wished(subject: ConstantsUnit, target: Target) -> Sequence[Candidate[str]]:
    return named(*(name for form, name in _FORMS.items() if form == subject.form))


def _by_size(subject: ConstantsUnit, target: Target) -> Sequence[Candidate[str]]:
    best = by_size(subject.size)
    return named(best, *(name for name in (ARRAYS, BINARY) if name != best))
