"""The `tensor` dialect."""

from xdsl.ir import Dialect

Tensor = Dialect("tensor", [], [])
