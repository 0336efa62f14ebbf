"""Estimate the arithmetic and the memory traffic of operators, kernels and loops."""
