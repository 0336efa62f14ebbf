"""Convolutions of floats by oneDNN."""
