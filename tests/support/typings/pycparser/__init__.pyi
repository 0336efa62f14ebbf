"""The part of pycparser that `s2s.prove` uses, with types."""
