"""Reference interpreters: they execute every level of the IR."""
