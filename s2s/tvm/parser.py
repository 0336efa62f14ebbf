"""Read Relay's text format, under TVM's names."""

from s2s.tvm.relay.text.parser import fromtext, parse, parse_expr

__all__ = ["fromtext", "parse", "parse_expr"]
