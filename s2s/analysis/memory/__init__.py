"""Analyses of which buffers operations read and write."""
