"""Relay's text format: expressions and modules as text, and text as expressions and modules."""
