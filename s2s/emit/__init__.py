"""Emit files from the `c` dialect."""
