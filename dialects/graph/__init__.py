"""The `graph` dialect."""

from xdsl.ir import Dialect

Graph = Dialect("graph", [], [])
