"""Questions about expressions, under TVM's names."""

from s2s.tvm.relay.expr import free_vars, post_order

__all__ = ["free_vars", "post_order"]
