"""Execution order, arena planning and its lower bound."""
