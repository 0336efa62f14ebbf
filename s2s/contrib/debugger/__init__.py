"""Executors that can be looked into, under TVM's names."""
