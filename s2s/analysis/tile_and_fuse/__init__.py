"""Computations of a kernel that are tiled together."""
