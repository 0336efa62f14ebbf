"""Compilation within budgets of memory: searches over `Compilation.resume`."""
