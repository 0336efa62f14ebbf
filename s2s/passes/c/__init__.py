"""Passes on the `c` dialect."""
