"""Interfaces for those who come from TVM, under its names."""
