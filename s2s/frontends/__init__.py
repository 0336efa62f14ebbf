"""Readers of model files, one folder a format."""
