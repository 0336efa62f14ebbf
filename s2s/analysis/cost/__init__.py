"""How much work operators, kernels and loops are."""
