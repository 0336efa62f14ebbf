"""Several compiled networks in one tree, which share a runtime, an arena, kernels and constants."""
