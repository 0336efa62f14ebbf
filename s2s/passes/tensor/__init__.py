"""Passes on the `tensor` dialect."""
