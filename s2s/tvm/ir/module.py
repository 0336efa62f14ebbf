"""Modules, under the name of TVM's module."""

from s2s.tvm.relay.module import IRModule

__all__ = ["IRModule"]
