"""Choose names for values from the hints of the lowering, unique where they are visible."""

import re

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i1, i32
from xdsl.ir import Attribute, BlockArgument, SSAValue

from s2s.c_syntax.identifiers import c_identifier
from s2s.dialects import c
from s2s.passes.c.name_temporaries.aliases import root_of
from s2s.passes.c.name_temporaries.placement import is_long_sum

_COUNTERS = "ijklmn"


class Scope:
    """The names visible in a block: its own names and the enclosing blocks' names.

    Blocks that stand side by side may use the same names, as loops of a hand-written function use `i` again and again.
    """

    def __init__(self, taken: frozenset[str], outer: "Scope | None" = None) -> None:
        self._taken = taken
        self._outer = outer
        self._own: set[str] = set()
        self.depth: int = 0 if outer is None else outer.depth + 1

    def inner(self) -> "Scope":
        """Return the scope of a block nested in this one."""
        return Scope(self._taken, self)

    def _is_free(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope._own:
                return False
            scope = scope._outer
        return name not in self._taken

    def declare(self, wish: str) -> str:
        """Declare `wish`, or the nearest free name, and return it: `acc`, `acc2`, `acc3`; `x0`, `x0_2`; beside a
        parameter `x`: `x0`."""
        base = c_identifier(wish)
        name, count = base, -1 if self._outer is not None and base in self._outermost()._own else 1
        while not self._is_free(name):
            count += 1
            name = f"{base}_{count}" if base[-1].isdigit() else f"{base}{count}"
        self._own.add(name)
        return name

    def _outermost(self) -> "Scope":
        return self if self._outer is None else self._outer._outermost()

    def declare_numbered(self, base: str) -> str:
        """Declare the first free name of `t0`, `t1`, `t2`, and return it."""
        count = 0
        while not self._is_free(f"{base}{count}"):
            count += 1
        self._own.add(f"{base}{count}")
        return f"{base}{count}"

    def declare_value(self, value: SSAValue) -> str:
        """Declare a name for a temporary or a variable, and return it."""
        hint = readable_hint(value)
        return self.declare(hint) if hint is not None else self.declare_numbered(_kind(value))

    def declare_counter(self, value: SSAValue) -> str:
        """Declare a name for a loop counter, and return it."""
        hint = readable_hint(value)
        if hint is not None:
            return self.declare(hint)
        free = next((letter for letter in _COUNTERS if self._is_free(letter)), None)
        return self.declare(free) if free is not None else self.declare_numbered("i")


def readable_hint(value: SSAValue) -> str | None:
    """The name hint of `value`, unless it is a number from a printer."""
    hint = value.name_hint
    return hint if hint is not None and re.search("[A-Za-z]", hint) else None


def _kind(value: SSAValue) -> str:
    """Return a name for an unnamed value: the name of the buffer it is loaded from, `sum`, or one by its type."""
    if isinstance(value.owner, c.LoadOp):
        root = root_of(value.owner.place).of
        if isinstance(root, BlockArgument) and (hint := readable_hint(root)) is not None:
            return c_identifier(hint).rstrip("0123456789") or "t"
    if isinstance(value.owner, c.BinaryOp) and is_long_sum(value.owner) and value.type == i32:
        return "sum"
    return _kind_of_type(value.type)


def _kind_of_type(type: Attribute) -> str:
    if isinstance(type, c.PtrType):
        return "p"
    if isinstance(type, IndexType):
        return "at"
    if type == i1:
        return "test"
    if isinstance(type, IntegerType):
        return "n"
    return "v" if isinstance(type, VectorType) else "t"
