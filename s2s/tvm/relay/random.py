"""Generators of random numbers under TVM's names: each is refused by name, with the reason (`refusals.py`)."""

from s2s.tvm.refusals import refusing

__getattr__ = refusing("relay.random")
