"""Write sizes that vary as a reader of C knows them."""

from collections.abc import Iterable, Mapping

from xdsl.ir.affine import AffineMap

from s2s.c_syntax.identifiers import size_identifiers
from s2s.types.sizes import spelled


def size_formula(name: str, given: Iterable[str], derived: Mapping[str, AffineMap]) -> str:
    """Return size `name` as an expression of the fields of the structure: `(width + 1) / 2`."""
    fields = size_identifiers(given)
    if name in fields:
        return fields[name]
    return spelled(derived[name].results[0], list(fields.values())).replace(" floordiv ", " / ")
