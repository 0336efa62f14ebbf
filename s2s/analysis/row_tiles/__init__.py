"""Analyses of chains of operations that can be computed in row tiles."""
