"""The `loop` dialect."""

from xdsl.ir import Dialect

Loop = Dialect("loop", [], [])
