"""s2s: a source-to-source compiler from trained neural networks to portable C99."""
