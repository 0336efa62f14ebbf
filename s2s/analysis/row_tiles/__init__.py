"""Analyses of chains of kernels that can be computed in row tiles."""
