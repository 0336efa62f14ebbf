"""Chains that can be computed a few rows at a time."""
