"""Helpers for every part of the compiler: progress messages, and the resource files of the package."""
