"""Passes, one folder a level and one file a pass."""
