"""The version of s2s; `pyproject.toml` reads it from here."""

VERSION = "0.1.0"
