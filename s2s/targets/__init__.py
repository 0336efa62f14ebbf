"""Targets: what the code generator may know of a machine."""
