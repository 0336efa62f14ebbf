"""Analyses of the functions of a module and of their constant arguments."""
