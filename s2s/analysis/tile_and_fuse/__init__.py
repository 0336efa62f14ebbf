"""Analyses of computations of a kernel that are tiled and fused in one loop over tiles."""
