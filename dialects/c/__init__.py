"""The `c` dialect."""

from xdsl.ir import Dialect

C = Dialect("c", [], [])
