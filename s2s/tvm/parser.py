"""Read Relay's text format, under TVM's names."""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.relay.text.parser import fromtext, parse, parse_expr

__all__ = ["fromtext", "parse", "parse_expr"]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("parser")
