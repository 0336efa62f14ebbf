"""What ends a statement before its last line: a return, a break, iterations that depend on each other."""

from s2s.errors import EndsEarly
from s2s.prove.declarations import CType
from s2s.prove.values import Value


class Conflict(EndsEarly):
    """Iterations cannot run at once; `loop` is to run in order, or the outermost one."""

    def __init__(self, loop: object | None = None, cuts: tuple[int, ...] = ()) -> None:
        super().__init__("iterations depend on each other")
        self.loop = loop
        self.cuts = cuts
        """Iterations between which the loop can be cut so that the parts run at once."""


class Broken(EndsEarly):
    """A break statement was reached."""


class Returned(EndsEarly):
    """A return statement was reached."""

    def __init__(self, value: Value | None, ctype: CType) -> None:
        super().__init__("a return statement")
        self.value = value
        self.ctype = ctype
